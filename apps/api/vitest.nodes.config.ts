import { svcVitest } from '../../vitest.shared.ts';
import { NO_ADD_ONS, RECORDER } from './vitest.config.ts';

/** Where two nodes could most easily disagree, but for tests that start a second node themselves. */
const CHOSEN = ['accounts/accounts', 'people/enrolment', 'sync/sync'].map((name) => `src/features/${name}.e2e.test.ts`);

const isWhole = process.env.SVC_TEST_ALL === '1';

/** The end-to-end tests once more, on two complete nodes behind a plain proxy; all of them with `SVC_TEST_ALL=1`. */
export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [RECORDER],
  include: isWhole ? ['src/{features,http,metrics,tracing}/**/*.e2e.test.ts'] : CHOSEN,
  // Large lists take their time, and are the same on any number of nodes.
  ...(isWhole ? {} : { testNamePattern: /^(?!.*a large list)/ }),
  // A smaller list would be in the buffers of node and proxy before whoever asked for it goes away.
  env: { ...NO_ADD_ONS, SVC_TEST_NODES: '2', ...(isWhole ? { SVC_TEST_SYNC_RECORDS: '100000' } : {}) },
  // Twice as many connections to one PostgreSQL: two of the files with nodes of their own do not fit beside each other.
  ...(isWhole ? { maxWorkers: 1 } : {}),
  // Both nodes, the proxy and the test share one process.
  testTimeout: 240_000,
});
