import type { UsageResource } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import type { TestCustomer } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock } = useApi({ customer: null });

const usageOf = async (owner: TestCustomer) => (await owner.request<UsageResource>('GET', '/v1/usage')).body;
const enrol = async (owner: TestCustomer, listId: string, personId: string) =>
  (await enrolPerson(listId, enrolBody(clock, { personId }), owner)).status;

describe('usage', () => {
  it('counts people, not enrolments, and an erasure gives no place back', async () => {
    const owner = await api.customer();
    const first = await createList(owner);
    const second = await createList(owner);
    const period = { number: 1, startedAt: new Date(clock.now()).toISOString() };
    expect(await usageOf(owner)).toEqual({ plan: 'pilot', period, peopleBilled: 0, peopleLimit: 500 });
    const statuses = [await enrol(owner, first, 'a'), await enrol(owner, first, 'a'), await enrol(owner, second, 'a')];
    expect([...statuses, await enrol(owner, second, 'b')]).toEqual([201, 201, 201, 201]);
    expect((await owner.request('DELETE', `/v1/lists/${second}/people/b`)).status).toBe(204);
    expect(await usageOf(owner)).toMatchObject({ peopleBilled: 2 });
  });

  it('shows a missing plan as limit 0, and no limit as null', async () => {
    const owner = await api.customer({ plan: null });
    expect(await usageOf(owner)).toMatchObject({ plan: null, peopleLimit: 0 });
    await api.admin.plans.set(owner.accountId, 'unlimited');
    expect(await usageOf(owner)).toMatchObject({ plan: 'unlimited', peopleLimit: null });
  });
});

describe('plans', () => {
  it('keeps people on the bill above a smaller contract, and refuses new ones until there is a larger one', async () => {
    const owner = await api.customer({ plan: { contract: 2 } });
    const listId = await createList(owner);
    expect([await enrol(owner, listId, 'a'), await enrol(owner, listId, 'b')]).toEqual([201, 201]);
    await api.admin.plans.set(owner.accountId, { contract: 1 });
    expect([await enrol(owner, listId, 'a'), await enrol(owner, listId, 'c')]).toEqual([201, 402]);
    expect(await usageOf(owner)).toMatchObject({ peopleBilled: 2, peopleLimit: 1 });
    await api.admin.plans.set(owner.accountId, { contract: 3 });
    expect(await enrol(owner, listId, 'c')).toBe(201);
  });

  it('starts a new count with a new period', async () => {
    const owner = await api.customer({ plan: { contract: 1 } });
    const listId = await createList(owner);
    expect([await enrol(owner, listId, 'a'), await enrol(owner, listId, 'b')]).toEqual([201, 402]);
    clock.advance(1_000);
    const closed = { period: 1, peopleBilled: 1 };
    expect(await api.admin.plans.newPeriod(owner.accountId)).toMatchObject({ period: 2, peopleBilled: 0, closed });
    const counted = 'SELECT 1 FROM billed_people WHERE account_id = $1';
    expect(await inDatabase(api, counted, [owner.accountId])).toEqual([]);
    const { items } = await api.admin.audit.page(owner.accountId, { limit: 200 });
    expect(items).toContainEqual(expect.objectContaining({ action: 'plan.new-period', target: 'period:1,people:1' }));
    expect((await usageOf(owner)).period).toEqual({ number: 2, startedAt: new Date(clock.now()).toISOString() });
    expect([await enrol(owner, listId, 'b'), await enrol(owner, listId, 'c')]).toEqual([201, 402]);
  });

  it('gives the last places once during plan changes', async () => {
    const owner = await api.customer({ plan: { contract: 5 } });
    const listId = await createList(owner);
    const changes = Array.from({ length: 8 }, (_, i) =>
      api.admin.plans.set(owner.accountId, { contract: i % 2 ? 5 : 3 }),
    );
    const enrolments = Array.from({ length: 20 }, (_, i) => enrol(owner, listId, `person ${i}`));
    await Promise.all([...changes, ...enrolments]);
    const { peopleBilled } = await usageOf(owner);
    expect(peopleBilled).toBeLessThanOrEqual(5);
    expect(peopleBilled).toBe((await Promise.all(enrolments)).filter((status) => status === 201).length);
  });

  it('are given to accounts that are there', async () => {
    await expect(api.admin.plans.set('acc_nobody', 'pilot')).rejects.toThrow('not-found');
    await expect(api.admin.plans.newPeriod('acc_nobody')).rejects.toThrow('not-found');
    await expect(api.admin.plans.show('acc_nobody')).rejects.toThrow('not-found');
  });
});

describe('the audit log over HTTP', () => {
  it('is the account’s own, without the names of operators', async () => {
    const owner = await api.customer();
    const other = await api.customer();
    const listId = await createList(owner);
    await createList(other);
    const path = '/v1/audit-log?limit=200&since=2000-01-01T00:00:00Z';
    const { items } = (await owner.request<{ items: { action: string; target: string; actor: object }[] }>('GET', path))
      .body;
    const by = new Map(items.map(({ action, target, actor }) => [action, { target, actor }]));
    const nobody = { keyId: null, userId: null, name: null };
    expect([...by.keys()].sort()).toEqual(['account.create', 'api-key.create', 'list.create']);
    const actor = { ...nobody, kind: 'api-key', keyId: expect.stringMatching(/^key_/) };
    expect(by.get('list.create')).toEqual({ target: listId, actor });
    expect(by.get('account.create')?.actor).toEqual({ ...nobody, kind: 'operator' });
  });
});
