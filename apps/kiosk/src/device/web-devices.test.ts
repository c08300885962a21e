import { afterEach, expect, it, vi } from 'vitest';
import { createWebDevices } from './web-devices.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('reports that the device to delete is open in another tab', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('held')) } });
  const devices = createWebDevices({
    assetsUrl: new URL('https://faces.example/kiosk/engine/'),
    faceCamera: () => null,
    light: { current: () => undefined, instead: () => undefined, onChange: () => () => undefined },
  });
  await expect(devices.forget({ keepDeviceKey: false })).rejects.toMatchObject({
    name: 'OpenError',
    failure: 'device-in-use',
  });
});
