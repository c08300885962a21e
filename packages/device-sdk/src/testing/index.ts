/** Helpers for other packages' tests of a device. Exported under the condition `svc-source` only. */
export { createHarness, readyDevice, recorded, visit } from './device-harness.ts';
export { createFakeEngine, type FakeEngine, frameOf, OTHER_ENGINE_ID, templateOf } from './fake-engine.ts';
export { DIMENSION, ENGINE_ID, FakeService, THRESHOLD, token } from './fake-service.ts';
export { startTransportServer, type TransportServer } from './transport-server.ts';
export { openVerifiedDoor } from './verified-door.ts';
