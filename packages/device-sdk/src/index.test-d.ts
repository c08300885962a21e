import { expectTypeOf } from 'vitest';
import {
  type Camera,
  CheckInDevice,
  type DeviceConfig,
  type VerificationOutcome,
  type VerificationResult,
} from './index.ts';

// Checked by `typecheck` only.
declare const config: DeviceConfig;
declare const camera: Camera;
const device = await CheckInDevice.create(config);

expectTypeOf(device.verifyLiveAsync('ticket', camera)).resolves.toEqualTypeOf<VerificationResult>();
expectTypeOf<VerificationResult['outcome']>().toEqualTypeOf<VerificationOutcome>();
// No score and no template leaves the device.
expectTypeOf<VerificationResult>().not.toHaveProperty('score');
expectTypeOf(device).not.toHaveProperty('template');
const { ports: _ports, ...withoutPorts } = config;
// @ts-expect-error a device without a platform
void CheckInDevice.create(withoutPorts);
