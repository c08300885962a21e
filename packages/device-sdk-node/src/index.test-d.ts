import type { CheckInDevice } from '@svc/device-sdk';
import { expectTypeOf } from 'vitest';
import { createNodeCheckInDevice, type NodeDeviceOptions } from './index.ts';

// Compiled by `typecheck` alone.
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
// The only way to go without the passive check is the operator's word.
expectTypeOf<NodeDeviceOptions['passiveLiveness']>().toEqualTypeOf<'absent-staff-in-view' | undefined>();
