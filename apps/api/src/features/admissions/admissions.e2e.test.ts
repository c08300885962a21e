import { createHmac, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { admissionKeySealInfo, envelopeSigningInput, lookupTagOf, parseEnvelope } from '@svc/core/pack';
import {
  ADMISSIONS_SIGNING,
  type AdmissionsRequest,
  admissionsAnswerSchema,
  admissionsSigningInput,
  DAY_MS,
  HOUR_MS,
  type ListResource,
  MINUTE_MS,
} from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createSeededRandom } from '../../testing/robustness/seeded-random.ts';
import { addDevice, openSealed, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { runJobs, useApi, useServices } from '../../testing/use-api.ts';
import { heard } from './service.ts';
import type { SharedAdmission } from './store.ts';

const { api, customer, clock } = useApi();
const services = useServices(api, { clock });

const shares = { reEntry: 'refuse', reEntryScope: 'list' };
const newList = async (over: object = {}) =>
  (await customer.request<ListResource>('POST', '/v1/lists', { name: 'M', ongoing: true, ...shares, ...over })).body
    .listId;

interface Door extends TestDevice {
  readonly listId: string;
  readonly key: Buffer;
}

/** A device that has synced, with the admission key that its manifest seals to it. */
async function newDoor(listId: string, name: string): Promise<Door> {
  const device = await addDevice(customer, listId, { name });
  const { manifest } = await syncOf(api, device);
  const info = admissionKeySealInfo({ listId, deviceId: device.id });
  const key = await openSealed(device, manifest.sealedAdmissionKey, info);
  return { ...device, listId, key: Buffer.from(key) };
}

const tagOf = async ({ key }: Door, personId: string) =>
  Buffer.from(await lookupTagOf(key, personId)).toString('base64url');

function signed({ id, key }: Door, nonce: string, request: AdmissionsRequest): string {
  const signing = Buffer.from(hkdfSync('sha256', key, '', ADMISSIONS_SIGNING + id, 32));
  return createHmac('sha256', signing).update(admissionsSigningInput(nonce, request)).digest('base64url');
}

async function ask(door: Door, over: Partial<AdmissionsRequest> = {}, headers: Record<string, string> = {}) {
  const request = { listId: door.listId, since: 0, entries: [], ...over };
  const nonce = randomBytes(16).toString('base64url');
  const response = await fetch(`${api.url}/v1/device/admissions`, {
    method: 'POST',
    headers: {
      ...{ Authorization: `Bearer ${door.token}`, 'Content-Type': 'application/json', 'Svc-Nonce': nonce },
      ...{ 'Svc-Signature': signed(door, nonce, request), ...headers },
    },
    body: JSON.stringify(request),
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return { status: response.status, code: JSON.parse(body.toString()).code as string };
  const { manifest, signature, payloadKind } = parseEnvelope(body);
  const x = (await services.signing.current()).announced[0] ?? '';
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  expect(verify(null, envelopeSigningInput(payloadKind, manifest), publicKey, signature)).toBe(true);
  const answer = admissionsAnswerSchema.parse(JSON.parse(Buffer.from(manifest).toString()));
  expect(answer).toMatchObject({ nonce, listId: door.listId, deviceId: door.id });
  return { status: 200, ...answer };
}

const at = () => new Date(clock.now()).toISOString();
let last = 0;
/** @param personId whom a door is asked to let in */
async function claimOf(door: Door, personId: string) {
  last += 1;
  return { sequence: last, at: at(), tag: await tagOf(door, personId) };
}
const claim = async (door: Door, personId: string) => ask(door, { claim: await claimOf(door, personId) });
const tell = async (door: Door, personId: string, kind: 'admitted' | 'admitted-again' | 'taken-back') =>
  ask(door, { entries: [{ ...(await claimOf(door, personId)), kind }] });
const LET_IN = { status: 200, elsewhere: null };

describe('shared admissions', () => {
  it('are not asked of the devices of other lists, and a list is changed to them and back', async () => {
    const listId = await newList({ reEntryScope: undefined });
    const device = await addDevice(customer, listId);
    const manifest = async () => (await syncOf(api, device)).manifest;
    expect(await manifest()).toMatchObject({ reEntryScope: 'device' });
    expect((await manifest()).sealedAdmissionKey).toBeUndefined();
    const changed = await customer.request('PATCH', `/v1/lists/${listId}`, { reEntryScope: 'list' });
    expect(changed.body).toMatchObject({ reEntryScope: 'list' });
    const door = await newDoor(listId, 'North');
    await customer.request('PATCH', `/v1/lists/${listId}`, { reEntry: 'off' });
    expect(await ask(door)).toEqual({ status: 404, code: 'not-found' });
  });

  it('are won by one door of four that ask at once, which wins again until it was let in', async () => {
    const listId = await newList();
    const doors = await Promise.all(Array.from({ length: 4 }, (_, i) => newDoor(listId, `Door ${i}`)));
    const asked = doors.flatMap((door) => Array.from({ length: 5 }, () => door));
    const claims = await Promise.all(asked.map((door) => claimOf(door, 'guest')));
    const answers = await Promise.all(asked.map((door, i) => ask(door, { claim: claims[i] })));
    const wins = answers.map((answer) => 'elsewhere' in answer && answer.elsewhere === null);
    const won = wins.indexOf(true);
    const winner = asked[won];
    const name = `Door ${doors.indexOf(winner as Door)}`;
    // What a door claimed before came to nothing, or it would not ask.
    expect(wins).toEqual(asked.map((door) => door === winner));
    answers.forEach((answer, i) => {
      if (!wins[i]) expect(answer).toMatchObject({ elsewhere: { door: name, own: false } });
    });
    expect(await ask(winner as Door, { claim: claims[won] })).toMatchObject(LET_IN);
  });

  it('are told to the others once each, in their order, and nothing of other lists', async () => {
    const [listId, other] = [await newList(), await newList()];
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    await claim(await newDoor(other, 'East'), 'a');
    for (const personId of ['a', 'b', 'c']) expect(await claim(north, personId)).toMatchObject(LET_IN);
    const first = await ask(south);
    const origin = 'origin' in first ? first.origin : '';
    const tags = await Promise.all(['a', 'b', 'c'].map((personId) => tagOf(south, personId)));
    expect(first).toMatchObject({ cursor: 3, more: false, entries: tags.map((tag) => ({ tag, door: 'North' })) });
    expect(await ask(south, { since: 3, origin })).toMatchObject({ cursor: 3, entries: [] });
    // A restored database counts from below, and may have counted on since.
    for (const over of [{ since: 9 }, { since: 3, origin: 'another' }]) {
      expect(await ask(south, over)).toMatchObject({ since: 0, cursor: 3, entries: tags.map((tag) => ({ tag })) });
    }
  });

  it('of two doors that did not know are a conflict for both, until one takes its own back', async () => {
    const listId = await newList();
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    await claim(north, 'guest');
    const seen = await tell(south, 'guest', 'admitted');
    expect(seen).toMatchObject({ entries: [{ door: 'North', own: false, also: { door: 'South', own: true } }] });
    expect(await ask(north)).toMatchObject({ entries: [{ own: true, also: { door: 'South', own: false } }] });
    expect(await tell(north, 'guest', 'taken-back')).toMatchObject({
      entries: [{ door: 'South', own: false, takenBack: false, also: null }],
    });
    expect(await claim(north, 'guest')).toMatchObject({ elsewhere: { door: 'South' } });
    await tell(south, 'guest', 'taken-back');
    expect(await claim(north, 'guest')).toMatchObject(LET_IN);
    expect(await tell(south, 'guest', 'admitted-again')).toMatchObject({ entries: [{ own: true, also: null }] });
  });

  it('go with the person, after twelve hours on an ongoing list, and with the list', async () => {
    const listId = await newList();
    const north = await newDoor(listId, 'North');
    const rows = () =>
      inDatabase(api, `SELECT 1 FROM admissions WHERE list_id = $1 AND device_id <> 'erased'`, [listId]);
    expect((await enrolPerson(listId, enrolBody(clock, { personId: 'guest' }), customer)).status).toBe(201);
    for (const personId of ['guest', 'other']) await claim(north, personId);
    const early = at();
    clock.advance(1);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest`);
    expect(await rows()).toHaveLength(1);
    // Doors hear of it, and one that was offline brings nothing back.
    const late = { ...(await claimOf(north, 'guest')), at: early, kind: 'admitted' as const };
    expect(await ask(north, { since: 2, entries: [late] })).toMatchObject({
      cursor: 3,
      entries: [{ takenBack: true, tag: late.tag }],
    });
    expect(await rows()).toHaveLength(1);
    clock.advance(12 * HOUR_MS);
    expect(await claim(north, 'other')).toMatchObject(LET_IN);
    clock.advance(DAY_MS / 2);
    await runJobs(services);
    expect(await rows()).toEqual([]);
    await claim(north, 'other');
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect(await rows()).toEqual([]);
  });

  it('go with people whose own time is over', async () => {
    const listId = await newList({ retainDays: 10 });
    const north = await newDoor(listId, 'North');
    expect((await enrolPerson(listId, enrolBody(clock, { personId: 'guest' }), customer)).status).toBe(201);
    clock.advance(10 * DAY_MS - HOUR_MS);
    await claim(north, 'guest');
    clock.advance(HOUR_MS);
    await services.personExpiry.removeExpired();
    expect(await ask(north)).toMatchObject({ entries: [{ takenBack: true }] });
  });

  it('count from the service’s time, whatever a door’s clock says', async () => {
    const listId = await newList();
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    for (const [personId, wrong] of [
      ['a', '9999-01-01T00:00:00.000Z'],
      ['b', '0001-01-01T00:00:00.000Z'],
    ] as const) {
      await ask(north, { claim: { ...(await claimOf(north, personId)), at: wrong } });
      expect(await claim(south, personId)).toMatchObject({ elsewhere: { door: 'North' } });
    }
    clock.advance(12 * HOUR_MS + 2 * MINUTE_MS);
    for (const personId of ['a', 'b']) expect(await claim(south, personId)).toMatchObject(LET_IN);
  });

  it('are told of about as many people as are on the list', async () => {
    const listId = await newList();
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    const invented = (i: number) => ({
      tag: randomBytes(16).toString('base64url'),
      sequence: i + 1,
      at: at(),
      kind: 'admitted' as const,
    });
    const statuses = new Set<number>();
    for (let i = 0; i < 22; i += 1) {
      statuses.add(
        (await ask(north, { since: 0, entries: Array.from({ length: 50 }, (_, j) => invented(i * 50 + j)) })).status,
      );
    }
    expect([...statuses]).toEqual([200, 429]);
    expect(await claim(south, 'guest')).toMatchObject(LET_IN);
    const first = await ask(south);
    expect(first).toMatchObject({ more: true, cursor: 500 });
    expect(await ask(south, { since: 500 })).toMatchObject({ more: true, cursor: 1_000 });
  });

  it('are taken from the list’s devices alone, signed with its key', async () => {
    const listId = await newList();
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    const elsewhere = await newDoor(await newList(), 'East');
    const invalid = { status: 401, code: 'invalid-credential' };
    expect(await ask({ ...north, key: randomBytes(32) })).toEqual(invalid);
    expect(await ask({ ...north, id: south.id })).toEqual(invalid);
    expect(await ask(north, {}, { 'Svc-Signature': '' })).toEqual(invalid);
    expect(await ask(north, {}, { 'Svc-Nonce': randomBytes(16).toString('base64url') })).toEqual(invalid);
    expect(await ask(north, {}, { 'Svc-Nonce': 'short' })).toEqual({ status: 400, code: 'nonce-invalid' });
    expect(await ask(elsewhere, { listId })).toEqual({ status: 404, code: 'not-found' });
    const entry = { ...(await claimOf(north, 'guest')), kind: 'admitted' as const };
    const strict = [
      { since: -1 },
      { entries: [{ ...entry, kind: 'let-in' as never }] },
      { entries: Array(51).fill(entry) },
    ];
    for (const over of [...strict, { claim: { ...entry, tag: 'short', kind: undefined } as never }]) {
      expect(await ask(north, over)).toEqual({ status: 400, code: 'invalid-request' });
    }
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${north.id}`);
    expect(await ask(north)).toEqual(invalid);
    expect(await ask(south)).toMatchObject({ status: 200, entries: [] });
  });
});

describe('what a device tells', () => {
  const tag = randomBytes(16);
  const one = (kind: Parameters<typeof heard>[2]['kind'], sequence: number) => ({
    ...{ kind, tag, sequence, admittedAt: new Date('2026-05-01T19:00:00Z') },
  });
  type Known = readonly SharedAdmission[];
  /** What is known after it. */
  function after(known: Known, deviceId: string, told: ReturnType<typeof one>): Known {
    const next = heard(known, deviceId, told);
    return next === null
      ? known
      : [...known.filter((each) => each.deviceId !== deviceId), { ...next, deleteAfter: null }];
  }
  const first = after([], 'north', one('claim', 5));

  it('changes nothing a second time, and nothing that it took back later', () => {
    const taken = after(first, 'north', one('taken-back', 6));
    for (const kind of ['claim', 'admitted', 'taken-back'] as const) {
      expect(heard(first, 'north', one(kind, 5))).toBeNull();
      expect(heard(taken, 'north', one(kind, 5))).toBeNull();
    }
  });

  it('takes back its own admission alone', () => {
    expect(heard(first, 'south', one('taken-back', 9))).toBeNull();
    expect(heard(first, 'north', one('taken-back', 9))).toMatchObject({ takenBack: true, sequence: 9 });
  });

  it('of a person whom it claimed without letting in wins again, and no other device’s claim does', () => {
    expect(heard(first, 'north', one('claim', 6))).toMatchObject({ deviceId: 'north', sequence: 6 });
    expect(heard(first, 'south', one('claim', 6))).toBeNull();
  });

  it('leaves the person free once every device has taken its own back, whatever three of them told', () => {
    const random = createSeededRandom(5);
    const [doors, kinds] = [
      ['north', 'south', 'east'] as const,
      ['claim', 'admitted', 'admitted-again', 'taken-back'] as const,
    ];
    for (let run = 0; run < 300; run += 1) {
      let known: Known = [];
      for (let sequence = 1; sequence < 12; sequence += 1) {
        known = after(known, doors[random.between(0, 2)] ?? '', one(kinds[random.between(0, 3)] ?? 'claim', sequence));
        expect(new Set(known.map(({ deviceId }) => deviceId)).size).toBe(known.length);
      }
      for (const door of doors) known = after(known, door, one('taken-back', 20));
      expect(heard(known, 'north', one('claim', 30))).not.toBeNull();
      expect(heard(known, 'west', one('claim', 30))).not.toBeNull();
    }
  });
});
