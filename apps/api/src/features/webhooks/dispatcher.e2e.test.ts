import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../platform/ports.ts';
import type { TestCustomer } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';
import { LOCAL_WEBHOOKS } from '../../testing/webhook-receiver.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createDispatchStore, type DispatchStore } from './dispatch-store.ts';
import { WebhookDispatcher } from './dispatcher.ts';
import { createOutbox } from './outbox.ts';

const { api, clock, database } = useApi({ environment: { ...LOCAL_WEBHOOKS, SVC_JOBS: 'off' }, customer: null });
let store: DispatchStore;

beforeAll(() => {
  store = createDispatchStore(database.connection);
});
beforeEach(() => database.connection('webhooks').delete());

const claim = (
  o: { limit?: number; webhooksBusy?: ReadonlyMap<string, number>; accountsBusy?: ReadonlyMap<string, number> } = {},
) =>
  store.claim({
    now: new Date(clock.now()),
    leaseUntil: new Date(clock.now() + 60_000),
    limit: o.limit ?? 64,
    limitEach: 4,
    webhooksBusy: o.webhooksBusy ?? new Map(),
    limitAccount: 16,
    accountsBusy: o.accountsBusy ?? new Map(),
  });

/** A webhook with this many due deliveries. */
async function createBacklog(deliveries: number): Promise<string> {
  return addBacklog(await api.customer(), deliveries);
}
async function addBacklog(customer: TestCustomer, deliveries: number): Promise<string> {
  const hook = { url: 'http://127.0.0.1:9/hook' };
  const { webhookId } = (await customer.request<{ webhookId: string }>('POST', '/v1/webhooks', hook)).body;
  for (let i = 0; i < deliveries; i += 1) await customer.request('POST', `/v1/webhooks/${webhookId}/test`);
  return webhookId;
}

describe('deliveries', () => {
  it('are taken by one node each, however many ask at once', async () => {
    for (let i = 0; i < 3; i += 1) await createBacklog(8);
    const taken = (await Promise.all(Array.from({ length: 8 }, () => claim()))).flat();
    const ids = taken.map(({ deliveryId }) => deliveryId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(taken.every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it('of one account never take every place, however many webhooks it has', async () => {
    const greedy = await api.customer();
    for (let i = 0; i < 5; i += 1) await addBacklog(greedy, 4);
    await createBacklog(1);
    const taken = await claim();
    const own = taken.filter(({ accountId }) => accountId === greedy.accountId);
    expect([own.length, taken.length]).toEqual([16, 17]);
    expect(await claim({ accountsBusy: new Map([[greedy.accountId, 16]]) })).toEqual([]);
    expect(await claim({ accountsBusy: new Map([[greedy.accountId, 13]]) })).toHaveLength(3);
  });

  it('of a suspended account wait until it is resumed', async () => {
    const webhookId = await createBacklog(1);
    const { account_id: accountId } = await database.connection('webhooks').where({ webhook_id: webhookId }).first();
    await api.admin.accounts.suspend(accountId);
    expect(await claim()).toEqual([]);
    await api.admin.accounts.resume(accountId);
    expect(await claim()).toHaveLength(1);
  });

  it('of a node that was killed are due again when its lease ends, and what it says later is not heard', async () => {
    await createBacklog(1);
    const [lost] = await claim();
    if (lost === undefined) throw new Error('not taken');
    expect(await claim()).toEqual([]);
    clock.advance(60_000);
    const [again] = await claim();
    expect(again).toMatchObject({ deliveryId: lost.deliveryId, attempts: 2 });
    await store.markDelivered(lost, 200);
    const row = await database.connection('webhook_deliveries').where({ delivery_id: lost.deliveryId }).first();
    expect(row).toMatchObject({ state: 'pending', attempts: 2 });
  });

  it('that cannot be opened because the key store is away lose no attempt', async () => {
    await createBacklog(1);
    const errors: unknown[] = [];
    const away = new Error('away');
    const dispatcher = new WebhookDispatcher({
      store,
      clock,
      random: systemRandom,
      keyRing: { unwrapAccountKey: () => Promise.reject(away) },
      send: () => Promise.reject(new Error('sent')),
      metrics: { deliveryDied: () => {} },
      audit: { record: () => Promise.resolve() },
      onError: (error) => errors.push(error),
    });
    dispatcher.start();
    await expect.poll(() => errors).toEqual([away]);
    await dispatcher.stop();
    expect(await claim()).toEqual([]);
    clock.advance(60_000);
    expect(await claim()).toMatchObject([{ attempts: 1 }]);
  });

  it('of one webhook never take every place', async () => {
    const flooded = await createBacklog(20);
    const quiet = await createBacklog(1);
    const taken = await claim({ limit: 8 });
    expect(taken.filter(({ webhookId }) => webhookId === flooded)).toHaveLength(4);
    expect(taken.filter(({ webhookId }) => webhookId === quiet)).toHaveLength(1);
    expect(await claim({ webhooksBusy: new Map([[flooded, 4]]) })).toEqual([]);
    expect(await claim({ webhooksBusy: new Map([[flooded, 3]]) })).toHaveLength(1);
    // One at a time while it is failing.
    const [delivery] = taken.filter(({ webhookId }) => webhookId === flooded);
    if (delivery === undefined) throw new Error('not taken');
    const at = new Date(clock.now());
    await store.markFailed(delivery, { status: 500, failure: 'status', nextAttemptAt: at, at });
    expect(await claim({ webhooksBusy: new Map([[flooded, 1]]) })).toEqual([]);
    expect(await claim({ webhooksBusy: new Map([[flooded, 4]]) })).toEqual([]);
    expect(await claim()).toHaveLength(1);
  });
});

describe('the outbox', () => {
  it('writes nothing of what is rolled back', async () => {
    const webhookId = await createBacklog(0);
    const { account_id: accountId } = await database.connection('webhooks').where({ webhook_id: webhookId }).first();
    const deliveries = createDeliveryStore(database.connection);
    const outbox = createOutbox({
      deliveries,
      clock,
      ids: { next: () => `dlv_${randomUUID()}`, nextUuid: () => randomUUID() },
    });
    const effect = (isUndone: boolean) =>
      database.transaction(async (tx) => {
        await outbox.publish(tx, { type: 'list.closed', accountId, data: { listId: 'lst_1' } });
        if (isUndone) throw new Error('undone');
      });
    await expect(effect(true)).rejects.toThrow('undone');
    expect(await deliveries.page({ accountId, webhookId }, undefined, undefined, 10)).toEqual([]);
    await effect(false);
    expect(await deliveries.page({ accountId, webhookId }, undefined, undefined, 10)).toHaveLength(1);
  });
});
