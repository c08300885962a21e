import { fileURLToPath } from 'node:url';
import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';

/** No add-on is installed there, whatever is installed on this machine. */
export const NO_ADD_ONS = { SVC_MODELS_DIR: fileURLToPath(new URL('node_modules/.no-add-ons', import.meta.url)) };

/** Records the statements for `npm run statements`. */
export const RECORDER = 'src/testing/routing/record-statements.ts';

export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [PROPERTY_SEED, RECORDER],
  env: NO_ADD_ONS,
});
