import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '@svc/protocol';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Claim } from '../../platform/idempotency.ts';
import { createIds, systemRandom } from '../../platform/ports.ts';
import { createManualClock } from '../../testing/test-api.ts';
import { useDatabase } from '../../testing/use-api.ts';
import { createIdempotencyService, type IdempotencyService } from './service.ts';
import { createIdempotencyStore } from './store.ts';

const accountId = 'acc_1';
const LEASE_MS = 6_000;
const clock = createManualClock();
const database = useDatabase();
let service: IdempotencyService;
/** While set, keys cannot be released nor claims renewed. */
let isAway = false;
/** While set, nobody hears that a key was claimed. */
let isLost = false;

beforeAll(async () => {
  await database.connection('accounts').insert({
    account_id: accountId,
    name: 'Test',
    billing_currency: 'EUR',
    created_at: new Date(clock.now()),
  });
  const keyRing = { unwrapAccountKey: () => Promise.resolve(new Uint8Array(32).fill(7)) } as unknown as KeyRing;
  const real = createIdempotencyStore(database.connection);
  const away = () => Promise.reject(new Error('Connection terminated'));
  const store = {
    ...real,
    claim: async (...of: Parameters<typeof real.claim>) => {
      const isClaimed = await real.claim(...of);
      return isLost ? away() : isClaimed;
    },
    release: (...of: Parameters<typeof real.release>) => (isAway ? away() : real.release(...of)),
    renew: (...of: Parameters<typeof real.renew>) => (isAway ? away() : real.renew(...of)),
  };
  service = createIdempotencyService({
    store,
    keyRing,
    ids: createIds(clock, systemRandom),
    clock,
    random: systemRandom,
  });
});
beforeEach(() => database.connection('idempotent_requests').delete());

const request = { accountId, owner: 'account', route: 'POST /x', key: 'k', target: '/x', bodySha256: '00' };

async function claim(key = request.key): Promise<Claim> {
  const begun = await service.begin({ ...request, key });
  if ('answer' in begun) throw new Error('answered already');
  return begun.claim;
}

it('remembers nothing of an effect that was not committed', async () => {
  const held = await claim();
  const work = database.transaction(async (tx) => {
    await held.complete(tx, { answer: '{"status":200}' });
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  await expect(service.begin(request)).rejects.toThrow('request-in-flight');
  await held.release();
  held.close();
  (await claim()).close();
});

it('keeps the answer of an effect that was committed, whatever happens afterwards', async () => {
  const held = await claim();
  await database.transaction((tx) => held.complete(tx, { answer: '{"status":200}' }));
  await held.release();
  held.close();
  expect(await service.begin(request)).toEqual({ answer: '{"status":200}' });
});

it('undoes the effect of a node whose claim went to another', async () => {
  const slow = await claim();
  clock.advance(LEASE_MS);
  const quick = await claim();
  const late = database.transaction(async (tx) => {
    await tx('accounts').update({ name: 'changed twice' });
    await slow.complete(tx, { answer: '{"status":200}' });
  });
  await expect(late).rejects.toThrow('request-in-flight');
  await slow.release();
  await database.transaction((tx) => quick.complete(tx, { answer: '{"status":201}' }));
  expect(await service.begin(request)).toEqual({ answer: '{"status":201}' });
  expect(await database.connection('accounts').first('name')).toEqual({ name: 'Test' });
  slow.close();
  quick.close();
});

it('distinguishes keys by owner and operation', async () => {
  const variants = [{}, { owner: 'tok_1' }, { route: 'POST /y' }, { key: 'k2' }];
  for (const variant of variants) {
    const begun = await service.begin({ ...request, ...variant });
    expect(begun).toHaveProperty('claim');
  }
  await expect(service.begin({ ...request, target: '/x?y' })).rejects.toThrow('idempotency-key-reused');
  await expect(service.begin({ ...request, bodySha256: '01' })).rejects.toThrow('idempotency-key-reused');
});

it('forgets after a day', async () => {
  (await claim()).close();
  expect(await service.purgeExpired(new Date(clock.now()))).toBe(0);
  expect(await service.purgeExpired(new Date(clock.now() + DAY_MS))).toBe(1);
  expect(await database.connection('idempotent_requests').select()).toEqual([]);
});

describe('a claim', () => {
  const refusal = { code: 'request-in-flight' };
  const claimedUntil = async () => (await database.connection('idempotent_requests').first())?.claimed_until?.getTime();

  it('of each of 40 requests of a node that is gone is free when `Retry-After` says so, and not before', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    // A node that has ended renews nothing, releases nothing and completes nothing.
    for (const held of await Promise.all(keys.map(claim))) held.close();
    for (const [passedMs, retryAfterSeconds] of [
      [0, 6],
      [3_500, 3],
      [2_499, 1],
    ] as const) {
      clock.advance(passedMs);
      const refused = { ...refusal, details: { retryAfterSeconds } };
      for (const key of keys) await expect(claim(key)).rejects.toMatchObject(refused);
    }
    clock.advance(1);
    for (const held of await Promise.all(keys.map(claim))) held.close();
  });

  it('is kept while its node works, however long that takes and if the database is away for a moment', async () => {
    const held = await claim();
    isAway = true;
    clock.advance(LEASE_MS - 1);
    await expect(claim()).rejects.toMatchObject({ ...refusal, details: { retryAfterSeconds: 1 } });
    await pause(1_100);
    isAway = false;
    await expect.poll(claimedUntil, { interval: 50, timeout: 3_000 }).toBe(clock.now() + LEASE_MS);
    clock.advance(LEASE_MS - 1);
    await expect(claim()).rejects.toMatchObject(refusal);
    await database.transaction((tx) => held.complete(tx, { answer: '{"status":200}' }));
    held.close();
    expect(await service.begin(request)).toEqual({ answer: '{"status":200}' });
  });

  it('that could not be released, or whose making got lost on the way, is free after its lease', async () => {
    const held = await claim();
    isAway = true;
    await expect(held.release()).rejects.toThrow();
    isAway = false;
    await expect(claim()).rejects.toMatchObject(refusal);
    clock.advance(LEASE_MS);
    isLost = true;
    await expect(claim()).rejects.toThrow('Connection terminated');
    isLost = false;
    await expect(claim()).rejects.toMatchObject(refusal);
    clock.advance(LEASE_MS);
    (await claim()).close();
  });
});
