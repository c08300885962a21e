import { svcVitest } from '../../vitest.shared.ts';

export default svcVitest({ globalSetup: ['src/support/global-setup.ts'] });
