/** What tests of other packages need to run the API. Never part of a product. */
export { createFakeInference, type FakeInference } from './fake-inference.ts';
export { createTestDatabase, queryDatabase, removeDataDirectory, startTestPostgres } from './postgres.ts';
export {
  type Answer,
  createLogSink,
  createManualClock,
  type ManualClock,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from './test-api.ts';
