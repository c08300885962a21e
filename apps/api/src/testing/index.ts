/** Test utilities for running the API from other packages. Never part of a product. */

export { newSigningKey, parseSigningKeys } from '../crypto/signing-key.ts';
export { createInferencePool } from '../inference/pool.ts';
export type { SealTask } from '../inference/port.ts';
export { createLooksLive } from '../inference/seal-photo.ts';
export { ServiceError } from '../platform/errors.ts';
export { type BundledProgram, bundleProgram } from './bundle-program.ts';
export { DatabaseCopy, type Rows } from './database-copy.ts';
export { createFakeInference, createInferenceInThread, type FakeInference } from './fake-inference.ts';
export { type FakeSmtp, type ReceivedMail, startFakeSmtp } from './fake-smtp.ts';
export { listenOnLoopback } from './loopback.ts';
export { signInWith, type TestPerson } from './person.ts';
export {
  createMigratedDatabase,
  createTestDatabase,
  queryDatabase,
  removeDataDirectory,
  servingUrl,
  startTestPostgres,
} from './postgres.ts';
export { type FollowingProxy, startFollowingProxy, startProxy } from './proxy.ts';
export { createSeededRandom, type SeededRandom } from './robustness/seeded-random.ts';
export { startConstantLoad } from './rolling/constant-load.ts';
export { freePort, ServiceNode } from './rolling/service-node.ts';
export { openSimulatedNode, type SimulatedNode, type SyncCall, type SyncReply } from './simulated-node.ts';
export { ServerPair } from './standby/server-pair.ts';
export {
  type Answer,
  BUILT_PAGES,
  createLogSink,
  createManualClock,
  type ManualClock,
  oneNodeOnly,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
  testEngines,
  testModels,
} from './test-api.ts';
export { addDevice as addTestDevice, arrivalsKeyOf, signedArrivals } from './test-device.ts';
export { createGuestPage, createStage, createToken, type MadeToken, type WidgetStage } from './widget-fixture.ts';
