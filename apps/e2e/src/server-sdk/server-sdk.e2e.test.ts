import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createFakeInference, startTestApi, type TestApi } from '@svc/api/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const execute = promisify(execFile);
const example = fileURLToPath(new URL('../../../../packages/server-sdk/examples/door-list.ts', import.meta.url));

let api: TestApi;
let apiKey: string;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference });
  ({ apiKey } = await api.customer({ country: 'DE' }));
});
afterAll(() => api?.close());

it('the client runs the example of its documentation against the service', async () => {
  const photo = join(api.config.dataDirectory, 'portrait.jpg');
  await writeFile(photo, 'a face');
  const { stdout } = await execute(process.execPath, ['--conditions=svc-source', '--import', 'tsx', example, photo], {
    env: { ...process.env, SVC_BASE_URL: api.url, SVC_API_KEY: apiKey },
  });
  expect(JSON.parse(stdout)).toMatchObject({
    guestLink: expect.stringContaining('svce_') as string,
    deviceToken: expect.stringMatching(/^svcd_/) as string,
    enrolled: ['T-8F3K2M9QXW4Z7B1C'],
  });
});
