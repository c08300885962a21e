import { svcVitest } from '../../tooling/vitest.shared.ts';

export default svcVitest({ globalSetup: ['@svc/api/testing/global-setup'] });
