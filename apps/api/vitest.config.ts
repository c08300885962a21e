import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';
import { NO_ADD_ONS } from './vitest.no-add-ons.ts';

export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [PROPERTY_SEED],
  env: NO_ADD_ONS,
});
