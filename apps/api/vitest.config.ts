import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';

export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [PROPERTY_SEED],
});
