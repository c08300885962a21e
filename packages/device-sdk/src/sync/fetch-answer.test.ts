import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createHarness, readyDevice } from '../testing/device-harness.ts';
import { SDK_VERSION } from './fetch-answer.ts';

it('a sync tells the version of the SDK and the engines, and nothing else of the device', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(SDK_VERSION).toBe(version);
  const harness = createHarness();
  const device = await readyDevice(harness);
  const [request] = harness.service.requests;
  expect(request?.headers).toMatchObject({ 'Svc-Sdk-Version': version, 'Svc-Engines': expect.stringMatching(/^\S+/) });
  expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
    ...['Accept', 'Authorization', 'Svc-Device-Key', 'Svc-Engines', 'Svc-Nonce', 'Svc-Sdk-Version'],
  ]);
  await device.dispose();
});
