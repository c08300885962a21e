import { fileURLToPath } from 'node:url';
import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';

export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [PROPERTY_SEED],
  // No add-on is installed there, whatever is installed on this machine.
  env: { SVC_MODELS_DIR: fileURLToPath(new URL('node_modules/.no-add-ons', import.meta.url)) },
});
