import type { CheckInDevice } from '@svc/device-sdk';
import { expectTypeOf } from 'vitest';
import { createWebDevice, type ForgetOptions, forgetWebDevice, type WebDeviceOptions } from './index.ts';

// Only compiled.
expectTypeOf(createWebDevice).toEqualTypeOf<(options: WebDeviceOptions) => Promise<CheckInDevice>>();
expectTypeOf(forgetWebDevice).toEqualTypeOf<(databaseName?: string, options?: ForgetOptions) => Promise<void>>();

declare const options: WebDeviceOptions;
const { deviceToken: _token, ...withoutToken } = options;
const { region: _region, ...withoutRegion } = options;
const { assetsUrl: _assets, ...withoutAssets } = options;
// @ts-expect-error a device without its token
void createWebDevice(withoutToken);
// @ts-expect-error a device of no deployment
void createWebDevice(withoutRegion);
// @ts-expect-error a device without an engine
void createWebDevice(withoutAssets);
// The only way to run without the passive check.
expectTypeOf<WebDeviceOptions['passiveLiveness']>().toEqualTypeOf<'absent-staff-in-view' | undefined>();
