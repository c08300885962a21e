import { svcVitest } from '../../vitest.shared.ts';

/** Where two nodes could most easily disagree. */
const CHOSEN = [
  'src/features/idempotency/idempotency.e2e.test.ts',
  'src/features/people/enrolment.e2e.test.ts',
  'src/features/sync/sync.e2e.test.ts',
  'src/features/widget/widget-races.e2e.test.ts',
];

/** The end-to-end tests once more, on two complete nodes behind a plain proxy; all of them with `SVC_TEST_ALL=1`. */
export default svcVitest({
  globalSetup: ['src/testing/global-setup.ts'],
  include: process.env.SVC_TEST_ALL === '1' ? ['src/{features,http,metrics,tracing}/**/*.e2e.test.ts'] : CHOSEN,
  env: { SVC_TEST_NODES: '2' },
});
