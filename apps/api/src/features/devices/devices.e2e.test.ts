import { DAY_MS, type DeviceResource, HOUR_MS, MINUTE_MS, type NoticeResource } from '@svc/protocol';
import { beforeAll, expect, it } from 'vitest';
import { recurringJobs } from '../../compose/background.ts';
import { type Mail, MailError } from '../../platform/mail.ts';
import { createList, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createPerson, type TestPerson } from '../../testing/person.ts';
import { createTenant, type Tenant } from '../../testing/tenant.ts';
import { addDevice, askSync, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { useApi, useServices } from '../../testing/use-api.ts';
import { createStage } from '../../testing/widget-fixture.ts';
import { createAwarenessStore } from './store.ts';

const { api, clock, database } = useApi({ customer: null });
const services = useServices(api, { clock });

beforeAll(async () => {
  tenant = await createTenant(api, clock.now());
  devices = `/v1/lists/${tenant.parameters.listId}/devices`;
});

let tenant: Tenant;
let devices: string;

const add = (name: string) => addDevice(tenant.customer, tenant.parameters.listId ?? '', { name });
const sync = async (device: TestDevice, since: number, told?: Readonly<Record<string, string>>) =>
  (await syncOf(api, device, since, told)).manifest;

async function read({ id }: TestDevice): Promise<DeviceResource> {
  return (await tenant.customer.request<DeviceResource>('GET', `${devices}/${id}`)).body;
}
async function listed(query = ''): Promise<DeviceResource[]> {
  return (await tenant.customer.request<{ items: DeviceResource[] }>('GET', `${devices}${query}`)).body.items;
}

it('a device is told of as its last sync told, and no more', async () => {
  const door = await add('North');
  const none = { state: 'never-synced', pack: null, leaseEndsAt: null, sdkVersion: null, engineIds: [] };
  expect(await read(door)).toMatchObject(none);
  const software = { 'Svc-Sdk-Version': '0.1.0', 'Svc-Engines': 'a/1, b/2' };
  const { toVersion, recordCount } = await sync(door, 0, { ...software, 'User-Agent': 'canary-of-a-browser' });
  const syncedAt = clock.now();
  const pack = { version: toVersion, people: recordCount };
  await expect.poll(() => read(door)).toMatchObject({ state: 'fresh' });
  expect(await read(door)).toMatchObject({
    ...{ pack: { ...pack, isConfirmed: false }, sdkVersion: '0.1.0', engineIds: ['a/1', 'b/2'], revokedAt: null },
    leaseEndsAt: new Date(syncedAt + DAY_MS).toISOString(),
  });
  expect(JSON.stringify(await read(door))).not.toContain('canary-of-a-browser');
  clock.advance(MINUTE_MS);
  // An older SDK tells nothing, and what is no version is not kept.
  await sync(door, toVersion, { 'Svc-Sdk-Version': '<script>', 'Svc-Engines': 'a,,b' });
  const confirmed = { pack: { ...pack, isConfirmed: true }, sdkVersion: null, engineIds: [] };
  await expect.poll(() => read(door)).toMatchObject(confirmed);
  const unnamed = await tenant.customer.request('PATCH', `${devices}/${door.id}`, { name: null });
  expect(unnamed.body).toMatchObject({ id: door.id, deviceId: door.id, name: null });
});

it('those that may not know a new signing key are counted over all accounts', async () => {
  const door = await add('East');
  const manifest = await sync(door, 0);
  await expect.poll(() => read(door)).toMatchObject({ state: 'fresh' });
  const at = (ms: number) => new Date(clock.now() + ms);
  const count = () => createAwarenessStore(database.connection).count(at(-1), at(-DAY_MS), at(0));
  const before = await count();
  expect(before.unaware).toBeGreaterThan(0);
  // It shows what it was told by sending that answer's counter.
  await sync(door, 0, { 'Svc-Sync-Counter': String(manifest.syncCounter) });
  expect(await count()).toEqual({ ...before, unaware: before.unaware - 1 });
});

it('its state follows the clock', async () => {
  const door = await add('South');
  await sync(door, 0);
  await expect.poll(() => read(door)).toMatchObject({ state: 'fresh' });
  clock.advance(20 * MINUTE_MS);
  expect(await read(door)).toMatchObject({ state: 'due' });
  clock.advance(18 * HOUR_MS);
  expect(await read(door)).toMatchObject({ state: 'lease-running-out' });
  clock.advance(6 * HOUR_MS);
  expect(await read(door)).toMatchObject({ state: 'expired' });
});

it('a revoked device is listed among the revoked ones until it was told to wipe, and afterwards', async () => {
  const door = await add('West');
  await sync(door, 0);
  await expect.poll(() => read(door)).toMatchObject({ state: 'fresh' });
  const revokedAt = new Date(clock.now()).toISOString();
  await tenant.customer.request('DELETE', `${devices}/${door.id}`);
  expect((await listed()).map(({ id }) => id)).not.toContain(door.id);
  expect((await listed('?revoked=false')).map(({ id }) => id)).not.toContain(door.id);
  const revoked = async () => (await listed('?revoked=true')).map(({ id, state, revokedAt: at }) => [id, state, at]);
  expect(await revoked()).toEqual([[door.id, 'revoked', revokedAt]]);
  expect((await sync(door, 0)).command).toBe('wipe');
  await expect.poll(revoked).toEqual([[door.id, 'wiped', revokedAt]]);
  const [wiped] = await listed('?revoked=true');
  expect(wiped).toMatchObject({ pack: null, leaseEndsAt: null });
  expect((await tenant.customer.request('GET', `${devices}?revoked=1`)).status).toBe(400);
});

const mails: Mail[] = [];
/** What the mail server replies; null: nothing. */
let reply: number | null = 250;
let whileSending = async (_mail: Mail) => {};
async function send(mail: Mail): Promise<void> {
  mails.push(mail);
  await whileSending(mail);
  if (reply !== 250) throw new MailError(reply, undefined);
}
/** As the jobs of nodes that have just started. @returns the new mails, by address */
async function tellSilent(nodes = 1): Promise<Mail[]> {
  const before = mails.length;
  const run = async () => {
    const jobs = recurringJobs({ ...services, mailer: { send, close: () => undefined } });
    await jobs.find(({ name }) => name === 'tell-notices')?.run();
  };
  await Promise.all(Array.from({ length: nodes }, run));
  return mails.slice(before).sort((one, other) => one.to.localeCompare(other.to));
}

it('doors that fall silent during their event are told in one mail, once, to those who can see to them', async () => {
  // Of the tests above, which have stopped.
  expect(await tellSilent()).toHaveLength(1);
  const customer = await api.customer({ country: 'DE' });
  const { accountId } = customer;
  const { listId, eventId } = await createStage(customer, clock, 72, { retainDays: 1 });
  for (const role of ['owner', 'door', 'auditor'] as const)
    await createPerson(api, accountId, { email: `${role}@${accountId}.org`, name: 'Mina', role });
  await api.admin.users.invite(accountId, { email: `new@${accountId}.org`, name: 'Not yet', role: 'manager' });
  const change = (changes: object) => customer.request('PATCH', `/v1/events/${eventId}`, changes);
  const at = (minutes: number) => new Date(clock.now() + minutes * MINUTE_MS).toISOString();
  await change({ timeZone: 'Europe/Berlin' });
  const path = `/v1/lists/${listId}/devices`;
  const syncNow = async (...doors: TestDevice[]) => {
    for (const door of doors) await sync(door, 0);
    const all = async () => (await customer.request<{ items: DeviceResource[] }>('GET', path)).body.items;
    await expect
      .poll(async () => (await all()).filter(({ lastSyncAt }) => lastSyncAt === at(0)))
      .toHaveLength(doors.length);
  };
  const [north, south, gone] = [
    await addDevice(customer, listId, { name: 'North' }),
    await addDevice(customer, listId, { name: 'South' }),
    await addDevice(customer, listId, { name: 'Gone' }),
  ];
  await addDevice(customer, listId, { name: 'Unpaired' });
  await sync(await addDevice(customer, await createList(customer, { name: 'Members', ongoing: true })), 0);
  await syncNow(north, south, gone);
  await customer.request('DELETE', `${path}/${gone.id}`);
  // Too old for the list's new setting: it works until its lease ends, and is missed then like others.
  await customer.request('PATCH', `/v1/lists/${listId}`, { attendance: 'unattended' });
  expect((await askSync(api, south)).status).toBe(422);
  await customer.request('PATCH', `/v1/lists/${listId}`, { attendance: 'staffed' });
  clock.advance(14 * MINUTE_MS);
  expect(await tellSilent()).toEqual([]);
  clock.advance(MINUTE_MS);
  // It has not begun, or has just begun, or its account is suspended.
  for (const minutes of [10, -10]) {
    await change({ startsAt: at(minutes) });
    expect(await tellSilent()).toEqual([]);
  }
  await change({ startsAt: at(-60) });
  await api.admin.accounts.suspend(accountId);
  expect(await tellSilent()).toEqual([]);
  await api.admin.accounts.resume(accountId);
  reply = null;
  await expect(tellSilent()).rejects.toThrow(MailError);
  for (reply of [450, 250] as const) {
    expect(await tellSilent()).toEqual([]);
    clock.advance(2 * MINUTE_MS);
    if (reply === 450) expect(await tellSilent()).toHaveLength(2);
  }
  const told = await tellSilent(2);
  expect(told.map(({ to, subject }) => [to, subject])).toEqual([
    [`door@${accountId}.org`, '2 doors: sync overdue (Concert)'],
    [`owner@${accountId}.org`, '2 doors: sync overdue (Concert)'],
  ]);
  expect(told[0]?.text).toMatch(/^Hello Mina,\n/);
  expect(told[0]?.text).toMatch(
    /Concert\n\S+events\/evt_\w+\/doors\n- (North|South): lets guests in offline until .+ CES?T \(last sync: .+ CES?T\)\n- /,
  );
  expect(told[0]?.text).not.toMatch(/Gone|Unpaired|Members/);
  expect(await tellSilent(2)).toEqual([]);
  await syncNow(north);
  clock.advance(20 * MINUTE_MS);
  expect((await tellSilent()).map(({ subject }) => subject)).toEqual(Array(2).fill('North: sync overdue (Concert)'));
  // It has stopped, and is told of to those whom the mail server refuses; then its event is over.
  await syncNow(north);
  clock.advance(DAY_MS);
  reply = 550;
  expect((await tellSilent())[0]?.text).toMatch(/- North: has let no one in since .+ \(last sync: /);
  reply = 250;
  clock.advance(10 * MINUTE_MS);
  expect(await tellSilent()).toEqual([]);
  await syncNow(north);
  await change({ endsAt: at(1) });
  clock.advance(20 * MINUTE_MS);
  expect(await tellSilent()).toEqual([]);
});

it('each account has its own time for its mails, however long those of the others take', async () => {
  for (const owner of ['one', 'two']) {
    const customer = await api.customer({ country: 'DE' });
    const { listId, eventId } = await createStage(customer, clock, 72, { retainDays: 1 });
    const email = `${owner}@${customer.accountId}.org`;
    await createPerson(api, customer.accountId, { email, name: 'Mina', role: 'owner' });
    const door = await addDevice(customer, listId);
    await sync(door, 0);
    const path = `/v1/lists/${listId}/devices/${door.id}`;
    await expect.poll(async () => (await customer.request('GET', path)).body).toMatchObject({ state: 'fresh' });
    await customer.request('PATCH', `/v1/events/${eventId}`, { startsAt: new Date(clock.now()).toISOString() });
  }
  clock.advance(20 * MINUTE_MS);
  const steps = [async () => clock.advance(3 * MINUTE_MS), async () => void (await tellSilent())];
  whileSending = async () => steps.shift()?.();
  expect((await tellSilent()).map(({ to }) => to.slice(0, 3))).toEqual(['one', 'two']);
});

it('what needs somebody is shown to those who may read it, and told once to those who want it', async () => {
  const customer = await api.customer({ country: 'DE' });
  const { accountId } = customer;
  const listId = await createList(customer, { name: 'Members', ongoing: true, enrolmentGoal: 1 });
  const stage = await createStage(customer, clock);
  const startsAt = new Date(clock.now() + 30 * HOUR_MS).toISOString();
  await customer.request('PATCH', `/v1/events/${stage.eventId}`, { startsAt });
  const path = `/v1/lists/${stage.listId}/devices`;
  await sync(await addDevice(customer, listId, { name: 'Nobody knows when people come' }), 0);
  await sync(await addDevice(customer, stage.listId, { name: 'North' }), 0);
  await customer.request('POST', '/v1/webhooks', { url: 'https://hooks.example.org/secret' });
  const synced = async () =>
    (await customer.request<{ items: DeviceResource[] }>('GET', path)).body.items[0]?.lastSyncAt;
  await expect.poll(synced).not.toBeNull();
  const noticesOf = async ({ request }: Pick<TestPerson, 'request'>) =>
    (await request<{ items: NoticeResource[] }>('GET', '/v1/notices')).body.items.map(
      ({ kind, subject }) => `${kind} ${subject}`,
    );
  clock.advance(22 * HOUR_MS - 1);
  const owner = await createPerson(api, accountId, { email: `owner@${accountId}.org`, name: 'Mina' });
  const door = await createPerson(api, accountId, { email: `door@${accountId}.org`, name: 'Noor', role: 'door' });
  expect(await noticesOf(owner)).toEqual([]);
  clock.advance(1);
  const count = 'UPDATE lists SET people = 1, people_version = list_version - $2::int WHERE list_id = $1';
  await inDatabase(api, count, [listId, 1]);
  expect(await noticesOf(owner)).toEqual(['lease-ending North']);
  await inDatabase(api, count, [listId, 0]);
  const anHourAgo = new Date(clock.now() - HOUR_MS);
  await inDatabase(api, 'UPDATE webhooks SET failing_since = $2 WHERE account_id = $1', [accountId, anHourAgo]);
  const [lease, goal] = ['lease-ending North', 'enrolment-goal 1'];
  const webhook = 'webhook-failing hooks.example.org';
  expect(await noticesOf(owner)).toEqual([webhook, lease, goal]);
  expect(await noticesOf(door)).toEqual([lease, goal]);
  const session = await owner.request('PATCH', '/v1/session/user', { mutedNotices: ['webhook-failing'] });
  expect(session.body).toMatchObject({ user: { mutedNotices: ['webhook-failing'] } });
  const told = (await tellSilent(2)).filter(({ to }) => to.endsWith(`${accountId}.org`));
  expect(told.map(({ subject }) => subject)).toEqual([
    'North: about to stop (Concert)',
    'North: about to stop · Your enrolment goal is reached',
  ]);
  expect(JSON.stringify(told)).not.toContain('secret');
  clock.advance(3 * HOUR_MS);
  expect(await noticesOf(owner)).toEqual([webhook, goal]);
  expect((await owner.request('PATCH', '/v1/session/user', { mutedNotices: [] })).status).toBe(200);
  for (const days of [0, 91]) {
    clock.advance(days * DAY_MS);
    expect((await tellSilent()).filter(({ to }) => to.endsWith(`${accountId}.org`))).toEqual([]);
  }
});
