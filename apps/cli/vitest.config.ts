import { svcVitest } from '../../vitest.shared.ts';

export default svcVitest({ globalSetup: ['@svc/api/testing/global-setup'] });
