import { afterEach, expect, it, vi } from 'vitest';
import { createWebDevices } from './web-devices.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('says that another tab has the device that is to be forgotten', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('held')) } });
  const devices = createWebDevices({
    assetsUrl: new URL('https://faces.example/kiosk/engine/'),
    faceCamera: () => null,
    light: { current: () => undefined, instead: () => undefined, onChange: () => () => undefined },
  });
  await expect(devices.forget()).rejects.toMatchObject({ name: 'OpenError', failure: 'device-in-use' });
});
