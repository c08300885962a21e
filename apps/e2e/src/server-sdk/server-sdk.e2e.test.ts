import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createFakeInference, startTestApi, type TestApi } from '@svc/api/testing';
import { createSvcClient, type SvcClient } from '@svc/server-sdk';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const execute = promisify(execFile);
const example = fileURLToPath(new URL('../../../../packages/server-sdk/examples/door-list.ts', import.meta.url));

let api: TestApi;
let apiKey: string;
let client: SvcClient;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference });
  ({ apiKey } = await api.customer({ country: 'DE' }));
  client = createSvcClient({ baseUrl: api.url, apiKey });
});
afterAll(() => api?.close());

const person = (personId: string, givenAt = new Date().toISOString()) => ({
  personId,
  image: Buffer.from('a face'),
  consent: {
    consentVersion: 'eu-v2',
    givenAt,
    explicitBiometricConsent: true,
    writtenRelease: true,
  } as const,
});

describe('the client against the service', () => {
  it('enrols, reads page by page and erases', async () => {
    const { listId } = await client.createList({ name: 'Members', ongoing: true });
    for (const personId of ['a/b', 'c?d', 'é']) await client.enrolPerson(listId, person(personId));
    const seen: string[] = [];
    for await (const { personId } of client.listPeople(listId, { limit: 2 })) seen.push(personId);
    expect(seen).toEqual(['a/b', 'c?d', 'é']);
    expect(await client.getPerson(listId, 'a/b')).toMatchObject({ personId: 'a/b', consentVersion: 'eu-v2' });
    await client.deletePerson(listId, 'a/b', { reason: 'consent-withdrawn' });
    await expect(client.getPerson(listId, 'a/b')).rejects.toMatchObject({ code: 'not-found', status: 404 });
    await client.enrolPerson(listId, person('..'));
    await client.deletePersonByQuery(listId, { personId: '..' });
    expect(await client.listPeople(listId, { personId: '..' })).toEqual({ items: [], nextCursor: null });
  });

  it('runs the example of its documentation', async () => {
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
});
