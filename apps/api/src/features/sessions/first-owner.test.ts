import { HOUR_MS } from '@svc/protocol';
import { beforeEach, expect, it } from 'vitest';
import { createFirstOwnerService } from './first-owner.ts';

const visitor = { browser: { browser: null, platform: null }, former: null };
const owner = { email: 'Robin@Example.org', name: 'Robin', organisation: { name: 'Riverside Hall', country: 'DE' } };
const invalid = { code: 'link-invalid' };

function createFake(...names: readonly string[]) {
  const accounts: object[] = names.map((name, i) => ({ accountId: `acc_${i}`, name }));
  const o = { users: [] as object[], accounts, nowMs: 1_800_000_000_000, fails: false };
  let ids = 0;
  const next = () => (ids += 1);
  const put = <T extends object>(rows: object[], row: T) => Promise.resolve(rows.push(row)).then(() => row);
  const service = createFirstOwnerService({
    database: { transaction: (work: (tx: object) => unknown) => work({}) },
    audit: { record: () => Promise.resolve() },
    ids: { next: (kind: string) => `${kind}_${next()}` },
    clock: { now: () => o.nowMs },
    random: { bytes: (length: number) => Buffer.alloc(length, next()) },
    dashboardUrl: 'https://dash.example.org/dashboard/',
    users: {
      hasAny: () => Promise.resolve(o.users.length > 0),
      lock: () => Promise.resolve(!o.fails),
      insert: (_tx: object, user: object) => put(o.users, user),
    },
    accounts: {
      all: () => Promise.resolve(accounts),
      create: (account: object) => put(accounts, { ...account, accountId: 'acc_new' }),
    },
    sessionService: { start: () => Promise.resolve({}) },
  } as never);
  const claim = (url: string | null, who: object = owner) =>
    service.claim(visitor, new URL(url ?? '').hash.slice(1), who as typeof owner);
  return { o, offer: service.offer, claim };
}

let fake: ReturnType<typeof createFake>;
beforeEach(() => {
  fake = createFake();
});

it('lets one person in, once, however many ask at once', async () => {
  const url = await fake.offer(true);
  expect(url).toMatch(/^https:\/\/dash\.example\.org\/dashboard\/first-owner#svcl_\w+$/);
  const tries = await Promise.allSettled([fake.claim(url), fake.claim(url), fake.claim(url)]);
  expect(tries.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(fake.o.users).toMatchObject([{ accountId: 'acc_new', email: 'robin@example.org', role: 'owner' }]);
  expect(fake.o.accounts).toMatchObject([{ name: 'Riverside Hall', country: 'DE', billingCurrency: 'EUR' }]);
  await expect(fake.claim(url)).rejects.toMatchObject(invalid);
  expect(await fake.offer(true)).toBeNull();
});

it('is for the only account where there is one, and for the operator to say where there are several', async () => {
  fake = createFake('Pier & Hall');
  const url = await fake.offer(true);
  expect(url).toContain('first-owner?of=Pier%20%26%20Hall#');
  await fake.claim(url, { email: 'a@b.example', name: 'A' });
  expect(fake.o.users).toMatchObject([{ accountId: 'acc_0' }]);
  expect(await createFake('One', 'Two').offer(true)).toBeNull();
  expect(await createFake('In use').offer(false)).toBeNull();
  fake = createFake();
  const early = await fake.offer(false);
  fake.o.accounts.push({ accountId: 'acc_cli', name: 'Made beside' });
  await expect(fake.claim(early)).rejects.toMatchObject(invalid);
});

it('works for an hour, in its newest form, and is not used up by what fails, which makes no second account', async () => {
  const first = await fake.offer(true);
  const url = await fake.offer(true);
  await expect(fake.claim(first)).rejects.toMatchObject(invalid);
  await expect(fake.claim(url, { ...owner, organisation: undefined })).rejects.toMatchObject({
    code: 'invalid-request',
  });
  fake.o.fails = true;
  await expect(fake.claim(url)).rejects.toMatchObject(invalid);
  fake.o.nowMs += HOUR_MS - 1;
  fake.o.fails = false;
  await fake.claim(url);
  expect([fake.o.accounts.length, fake.o.users.length]).toEqual([1, 1]);
  fake.o.users.pop();
  const last = await fake.offer(true);
  fake.o.nowMs += HOUR_MS;
  await expect(fake.claim(last)).rejects.toMatchObject(invalid);
});
