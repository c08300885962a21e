import { fileURLToPath } from 'node:url';
import { PROPERTY_SEED, svcVitest } from '../../tooling/vitest.shared.ts';

/** No add-on is installed there, whatever is installed on this machine. */
export const NO_ADD_ONS = { SVC_MODELS_DIR: fileURLToPath(new URL('node_modules/.no-add-ons', import.meta.url)) };

/** Checks what the service sends to the database. */
export const STATEMENTS = 'src/testing/statements/check.ts';

/** Nodes killed under load, hostile requests: campaigns of `npm run test:long`, which name them by these settings. */
const CAMPAIGNS = [
  ...(process.env.SVC_TEST_CRASH_API_INSTANTS ? [] : ['src/testing/robustness/crash.e2e.test.ts']),
  ...(process.env.SVC_TEST_API_FUZZ_REQUESTS ? [] : ['src/features/openapi/openapi.fuzz.test.ts']),
];

export default svcVitest({
  exclude: CAMPAIGNS,
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [PROPERTY_SEED, STATEMENTS],
  env: NO_ADD_ONS,
});
