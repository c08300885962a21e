/**
 * What tests of other packages need to let a device see people. Named under `svc-source` alone: no consumer gets it.
 */
export { createHarness, readyDevice, recorded, visit } from './device-harness.ts';
export { createFakeEngine, type FakeEngine, frameOf, OTHER_ENGINE_ID, templateOf } from './fake-engine.ts';
export { DIMENSION, ENGINE_ID, FakeService, THRESHOLD, token } from './fake-service.ts';
