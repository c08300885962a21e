import { readFileSync } from 'node:fs';
import { SYNC_MEDIA_TYPE } from '@svc/protocol/sync';
import { expect, it } from 'vitest';
import type { TransportAnswer } from '../platform/transport.ts';
import { readyHarness } from '../testing/device-harness.ts';
import { fetchSyncAnswer, SDK_VERSION } from './fetch-answer.ts';
import type { SyncFailure } from './sync-result.ts';

it('a sync tells the version of the SDK, the engines and what the device can serve, and nothing else of it', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(SDK_VERSION).toBe(version);
  const { harness, device } = await readyHarness();
  const [request] = harness.service.requests;
  expect(request?.headers).toMatchObject({ 'Svc-Sdk-Version': version, 'Svc-Engines': expect.stringMatching(/^\S+/) });
  expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
    ...['Accept', 'Authorization', 'Svc-Attendances', 'Svc-Device-Key', 'Svc-Engines', 'Svc-Nonce'],
    ...['Svc-Payloads', 'Svc-Sdk-Version'],
  ]);
  await device.syncAsync();
  const nonces = harness.service.requests.map(({ headers }) => headers['Svc-Nonce']);
  expect(new Set(nonces).size).toBe(2);
  expect(harness.service.requests.map(({ url }) => new URL(url).search)).toEqual(['?since=0', '?since=3']);
  await device.dispose();
});

const question = { baseUrl: 'https://sync.example', deviceToken: '', deviceKey: '', nonce: '', since: 0 };

/** Asks for an answer that differs from an honest, empty one. */
const fetched = (over: Partial<TransportAnswer>, maxBytes = 1_000_000) =>
  fetchSyncAnswer(
    { ...question, counter: undefined, engineIds: [], attendances: ['staffed'], payloads: 'by-link' },
    { maxBytes, timeoutMs: 60_000 },
    {
      transport: async () => ({
        ...{ status: 200, mediaType: SYNC_MEDIA_TYPE, contentLength: null, body: none() },
        ...over,
      }),
      timers: { after: () => () => undefined },
    },
    new AbortController().signal,
  );
async function* none() {}
async function* endless() {
  for (;;) yield new Uint8Array(100_000);
}
async function* broken() {
  yield Uint8Array.of(1);
  throw new Error('reset');
}

it.each<[string, Partial<TransportAnswer>, SyncFailure]>([
  ['a captive portal’s page', { mediaType: 'text/html' }, 'unexpected-answer'],
  ...(
    [
      [204, 'unexpected-answer'],
      [206, 'unexpected-answer'],
      [302, 'unexpected-answer'],
      [401, 'unauthorised'],
      [403, 'unauthorised'],
      [404, 'unexpected-answer'],
      [409, 'device-key-mismatch'],
      [429, 'rate-limited'],
      [500, 'server-error'],
    ] as const
  ).map(([status, reason]): [string, Partial<TransportAnswer>, SyncFailure] => [`a ${status}`, { status }, reason]),
  ['an announced length over the cap', { contentLength: 2 ** 40 }, 'too-long'],
  ['a body that never ends', { body: endless() }, 'too-long'],
  ['a body that breaks off', { body: broken() }, 'offline'],
])('refuses %s', async (_what, answer, reason) => {
  await expect(fetched(answer)).rejects.toMatchObject({ reason });
});

it.each([
  ['of the announced length, in one piece', 6, true],
  ['of an unknown length', null, false],
  ['longer than announced, as after a decompression', 4, false],
  ['shorter than announced', 9, false],
] as const)('takes a body %s', async (_what, contentLength, isOnePiece) => {
  const body = async function* () {
    yield Uint8Array.of(1, 2);
    yield Uint8Array.of(3, 4, 5);
    yield Uint8Array.of(6);
  };
  const answer = (maxBytes: number) => fetched({ contentLength, body: body() }, maxBytes);
  const read = await answer(9);
  expect([...read]).toEqual([1, 2, 3, 4, 5, 6]);
  if (isOnePiece) expect(read.buffer.byteLength).toBe(6);
  await expect(answer(5)).rejects.toMatchObject({ reason: 'too-long' });
});
