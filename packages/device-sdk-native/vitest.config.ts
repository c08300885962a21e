import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';

export default svcVitest({ setupFiles: [PROPERTY_SEED] });
