import { sha256 } from '@noble/hashes/sha2.js';
import { createNobleAead } from '@svc/core/aead-noble';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { toBase64Url } from '../platform/bytes.ts';
import { createMemoryKeyStore } from '../storage/memory-stores.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { FakeService } from '../testing/fake-service.ts';
import { createFakeTime } from '../testing/fake-time.ts';
import { resolveRegion } from '../trust/region.ts';
import { checkSyncAnswer, type SyncExpectation } from './check-answer.ts';
import { SyncRefusal } from './sync-result.ts';

const keyStore = createMemoryKeyStore();
const tools = { aead: createNobleAead(), keyStore };
let body: Uint8Array;
let expected: SyncExpectation;

beforeAll(async () => {
  const service = new FakeService(createFakeTime().clock);
  for (const who of [1, 2, 3]) service.enrol(`ticket-${who}`, templateOf(who));
  const publicKey = await keyStore.devicePublicKey();
  const nonce = toBase64Url(new Uint8Array(16).fill(5));
  const headers = { 'Svc-Device-Key': toBase64Url(publicKey), 'Svc-Nonce': nonce };
  const answer = await service.transport({
    url: 'https://api.test/?since=0',
    headers,
    signal: new AbortController().signal,
  });
  const chunks: number[] = [];
  for await (const chunk of answer.body) chunks.push(...chunk);
  body = Uint8Array.from(chunks);
  expected = {
    signingKeys: resolveRegion(service.region).signingKeys,
    deviceKeyThumbprint: toBase64Url(sha256(publicKey)),
    nonce,
    identity: null,
    held: null,
    elapsedMs: () => 0,
  };
});

const isRefused = async (bytes: Uint8Array): Promise<boolean> => {
  try {
    await checkSyncAnswer(bytes, expected, tools);
    return false;
  } catch (error) {
    // Any other error would be a different defect.
    return error instanceof SyncRefusal;
  }
};

describe('an answer', () => {
  it('as the service sent it is accepted', async () => {
    expect(await checkSyncAnswer(body, expected, tools)).toMatchObject({ kind: 'keep', manifest: { recordCount: 3 } });
  });

  it('truncated anywhere, or with trailing bytes, is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }), async (at, tail) => {
        const cut = await isRefused(body.subarray(0, at % body.length));
        return cut && isRefused(Uint8Array.from([...body, ...tail]));
      }),
      { numRuns: 200 },
    );
  });

  it('of arbitrary bytes is refused', async () => {
    const head = new TextEncoder().encode('SVCSYNC1');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.boolean(), async (bytes, begun) =>
        isRefused(begun ? Uint8Array.from([...head, ...bytes]) : bytes),
      ),
      { numRuns: 500 },
    );
  });
});
