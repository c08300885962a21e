import { userInfo } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { inDatabase } from '../../testing/enrolment-fixture.ts';
import type { TestCustomer } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';

let nowMs = Date.now();
/** Advances by at least a millisecond per act, as the order within a millisecond is undefined. */
const clock = { now: () => ++nowMs };
const { api } = useApi({ clock, customer: null });
let owner: TestCustomer;

beforeAll(async () => {
  owner = await api.customer();
});

const entries = async (accountId = owner.accountId) =>
  (await api.admin.audit.page(accountId, { limit: 200 })).items.map(({ action, target, actor }) => ({
    action,
    target,
    actor,
  }));
const actions = async () => (await entries()).map((entry) => entry.action).reverse();

describe('the audit log', () => {
  it('records an operator’s acts with the name of the user', async () => {
    const other = await api.customer();
    await api.admin.plans.set(other.accountId, null);
    const { keyId } = await api.admin.keys.create(other.accountId, 'door');
    await api.admin.keys.revoke(other.accountId, keyId);
    await api.admin.keys.revoke(other.accountId, keyId);
    const actor = { kind: 'operator', name: userInfo().username };
    const [revoked, created, plan, firstKey, account] = await entries(other.accountId);
    expect(account).toEqual({ action: 'account.create', target: other.accountId, actor });
    expect(firstKey).toMatchObject({ action: 'api-key.create', actor });
    expect(plan).toEqual({ action: 'plan.set', target: 'none', actor });
    expect(created).toEqual({ action: 'api-key.create', target: keyId, actor });
    expect(revoked).toEqual({ action: 'api-key.revoke', target: keyId, actor });
    expect(await entries(other.accountId)).toHaveLength(5);
  });

  it('has no entry of an act that failed', async () => {
    const before = await actions();
    const over = { name: 'x', startsAt: '2020-01-01T00:00:00Z', endsAt: '2020-01-02T00:00:00Z' };
    const { body } = await owner.request<{ eventId: string }>('POST', '/v1/events', over);
    expect((await owner.request('POST', '/v1/lists', { name: 'x', eventId: body.eventId })).status).toBe(409);
    expect((await owner.request('DELETE', '/v1/lists/lst_01jwnafy00e2rbg3vfk4s6q9tz')).status).toBe(404);
    expect(await actions()).toEqual([...before, 'event.create']);
  });

  it('is read in pages and from a time on', async () => {
    const { accountId } = await api.customer();
    nowMs += 60_000;
    const since = new Date(clock.now());
    for (let i = 0; i < 3; i += 1) await api.admin.keys.create(accountId, `key ${i}`);
    const first = await api.admin.audit.page(accountId, { limit: 2, since });
    const second = await api.admin.audit.page(accountId, { limit: 2, since, cursor: first.nextCursor ?? '' });
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);
    const later = { limit: 10, since: new Date(clock.now() + 1) };
    expect(await api.admin.audit.page(accountId, later)).toEqual({ items: [], nextCursor: null });
    const [, , earliest] = (await api.admin.audit.page(accountId, { limit: 3, since })).items;
    const until = new Date(Number(earliest?.recordedAt) + 1);
    const upTo = { limit: 1, since, until };
    expect((await api.admin.audit.page(accountId, upTo)).items).toEqual([earliest]);
    expect((await api.admin.audit.page(accountId, { ...upTo, until: since })).items).toEqual([]);
    const foreign = { limit: 2, cursor: 'bm90aGluZw' };
    await expect(api.admin.audit.page(accountId, foreign)).rejects.toThrow('invalid-request');
  });

  it.each(['UPDATE audit_log SET target = $1', 'DELETE FROM audit_log WHERE target <> $1'])(
    'takes no %s',
    async (statement) => {
      await expect(inDatabase(api, statement, ['forged'])).rejects.toThrow('append-only');
    },
  );
});
