/** What tests of other packages need to run the API. Never part of a product. */
export { createInferencePool } from '../inference/pool.ts';
export type { SealTask } from '../inference/port.ts';
export { createFakeInference, type FakeInference } from './fake-inference.ts';
export { createTestDatabase, queryDatabase, removeDataDirectory, startTestPostgres } from './postgres.ts';
export {
  type Answer,
  createLogSink,
  createManualClock,
  type ManualClock,
  oneNodeOnly,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from './test-api.ts';
