import { fileURLToPath } from 'node:url';
import { PROPERTY_SEED, svcVitest } from '../../tooling/vitest.shared.ts';

/** No add-on is installed there, whatever is installed on this machine. */
export const NO_ADD_ONS = { SVC_MODELS_DIR: fileURLToPath(new URL('node_modules/.no-add-ons', import.meta.url)) };

/** Checks what the service sends to the database. */
export const STATEMENTS = 'src/testing/statements/check.ts';

/** Nodes killed under load: a campaign of `npm run test:long`, which names it by this setting. */
const CAMPAIGNS = process.env.SVC_TEST_CRASH_API_INSTANTS ? [] : ['src/testing/robustness/crash.e2e.test.ts'];

export default svcVitest({
  exclude: CAMPAIGNS,
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [PROPERTY_SEED, STATEMENTS],
  env: NO_ADD_ONS,
});
