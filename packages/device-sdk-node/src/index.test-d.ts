import type { CheckInDevice } from '@svc/device-sdk';
import { expectTypeOf } from 'vitest';
import { createNodeCheckInDevice, type NodeDeviceOptions } from './index.ts';

// Checked by `typecheck` only.
expectTypeOf(createNodeCheckInDevice).toEqualTypeOf<(options: NodeDeviceOptions) => Promise<CheckInDevice>>();

declare const options: NodeDeviceOptions;
const { deviceToken: _token, ...withoutToken } = options;
const { region: _region, ...withoutRegion } = options;
const { directory: _directory, ...withoutDirectory } = options;
// @ts-expect-error a device without its token
void createNodeCheckInDevice(withoutToken);
// @ts-expect-error a device of no deployment
void createNodeCheckInDevice(withoutRegion);
// @ts-expect-error a device that keeps nothing
void createNodeCheckInDevice(withoutDirectory);
// The only way to run without the passive check.
expectTypeOf<NodeDeviceOptions['passiveLiveness']>().toEqualTypeOf<'absent-staff-in-view' | undefined>();
