import { svcVitest } from '../../tooling/vitest.shared.ts';
import { NO_ADD_ONS, STATEMENTS } from './vitest.config.ts';

/** The end-to-end tests once more, on two complete nodes behind a plain proxy: a campaign of `npm run test:long`. */
export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  setupFiles: [STATEMENTS],
  include: ['src/{features,http,metrics,tracing}/**/*.e2e.test.ts'],
  // A smaller list would be in the buffers of node and proxy before whoever asked for it goes away.
  env: { ...NO_ADD_ONS, SVC_TEST_NODES: '2', SVC_TEST_SYNC_RECORDS: '100000' },
  // Twice as many connections to one PostgreSQL: two of the files with nodes of their own do not fit beside each other.
  maxWorkers: 1,
  // Both nodes, the proxy and the test share one process.
  testTimeout: 240_000,
});
