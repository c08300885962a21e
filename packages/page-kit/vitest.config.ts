import { PROPERTY_SEED, svcVitest } from '../../tooling/vitest.shared.ts';

export default svcVitest({ setupFiles: [PROPERTY_SEED] });
