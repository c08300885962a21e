import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  bundleProgram,
  createFakeInference,
  queryDatabase,
  ServiceNode,
  startTestApi,
  type TestApi,
} from '@svc/api/testing';
import { createSvcClient, type SvcClient } from '@svc/server-sdk';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const execute = promisify(execFile);
const example = fileURLToPath(new URL('../../../../packages/server-sdk/examples/door-list.ts', import.meta.url));

/** Times that the service is killed; none in `npm test`. */
const KILLS = Number(process.env.SVC_TEST_KILLS ?? 0);
const CALLS = 40;

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

  it.runIf(KILLS > 0)(
    `answers ${CALLS} enrolments once each after it was killed amid them, ${KILLS} times`,
    async () => {
      const { databaseUrl, dataDirectory } = api.config;
      const program = await bundleProgram(new URL('../../../api/src/testing/rolling/node.ts', import.meta.url));
      const settings = { DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory, LOG_LEVEL: 'error' };
      const node = await ServiceNode.create(program.path, settings);
      /** What each key was answered, when, and when `Retry-After` lets it be sent again. */
      const answers = new Map<string, { readonly status: number; readonly at: number; readonly againAt: number }[]>();
      const recording: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        const [key, at] = [new Headers(init?.headers).get('Idempotency-Key') ?? '', Date.now()];
        const againAt = at + Number(response.headers.get('Retry-After')) * 1_000;
        answers.set(key, [...(answers.get(key) ?? []), { status: response.status, at, againAt }]);
        return response;
      };
      const caller = createSvcClient({ baseUrl: node.url, apiKey, fetch: recording });
      try {
        node.start();
        for (let round = 0; round < KILLS; round += 1) {
          await node.becomesReady();
          const { listId } = await caller.createList({ name: `Round ${round}`, ongoing: true });
          const people = Array.from({ length: CALLS }, (_, i) => person(`guest-${i}`));
          const enrolAll = (maxRetries?: number) =>
            people.map((one) => caller.enrolPerson(listId, one, { idempotencyKey: listId + one.personId, maxRetries }));
          answers.clear();
          const first = Promise.allSettled(enrolAll(0));
          while (answers.size <= round) await new Promise((resolve) => setTimeout(resolve, 2));
          await node.kill();
          await first;
          const claimed = "SELECT claimed_until AS until FROM idempotent_requests WHERE state = 'claimed'";
          const claims = await queryDatabase<{ until: Date }>(databaseUrl, claimed);
          answers.clear();
          node.start();
          await node.becomesReady();
          const readyAt = Date.now();
          await Promise.all(enrolAll());
          const tookMs = Date.now() - readyAt;
          const refused = [...answers.values()].filter(([answer]) => answer?.status === 409);
          process.stdout.write(
            `${claims.length} keys claimed, ${refused.length} refused, all answered in ${tookMs} ms\n`,
          );
          expect(refused.length).toBeGreaterThan(0);
          expect(tookMs).toBeLessThan(10_000);
          const freeAt = Math.max(...claims.map(({ until }) => until.getTime()));
          for (const [refusal, next, ...more] of refused) {
            expect([next?.status, more]).toEqual([201, []]);
            expect(next?.at).toBeGreaterThanOrEqual(refusal?.againAt ?? Number.NaN);
            // Rounded up to a second, and late by the time that its answer took.
            expect(refusal?.againAt).toBeLessThan(freeAt + 1_500);
          }
          const count = (table: string) => `(SELECT count(*)::int FROM ${table} WHERE list_id = $1) AS ${table}`;
          const counts = await queryDatabase(databaseUrl, `SELECT ${count('people')}, ${count('consents')}`, [listId]);
          expect(counts).toEqual([{ people: CALLS, consents: CALLS }]);
        }
      } finally {
        await node.kill();
        await program.remove();
      }
    },
    120_000,
  );
});
