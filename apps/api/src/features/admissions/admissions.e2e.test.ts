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
} from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { addDevice, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { runJobs, useApi, useServices } from '../../testing/use-api.ts';
import { listKeySuite } from '../sync/sealed-keys.ts';
import { heard } from './service.ts';

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

const bytes = (text = ''): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64url')).buffer;

/** A device that has synced, with the admission key that its manifest seals to it. */
async function newDoor(listId: string, name: string): Promise<Door> {
  const device = await addDevice(customer, listId, { name });
  const { manifest } = await syncOf(api, device);
  const { enc, ciphertext } = manifest.sealedAdmissionKey ?? {};
  const info = Uint8Array.from(admissionKeySealInfo({ listId, deviceId: device.id })).buffer;
  const privateKey = Uint8Array.from(device.pair.getPrivateKey()).buffer;
  const recipientKey = await listKeySuite.kem.importKey('raw', privateKey, false);
  const key = await listKeySuite.open({ recipientKey, enc: bytes(enc), info }, bytes(ciphertext));
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
const let_in = { status: 200, elsewhere: null };

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

  it('let one of twenty in who ask at once, and the same one again after a lost answer', async () => {
    const listId = await newList();
    const doors = await Promise.all(Array.from({ length: 4 }, (_, i) => newDoor(listId, `Door ${i}`)));
    const asked = doors.flatMap((door) => Array.from({ length: 5 }, () => door));
    const claims = await Promise.all(asked.map((door) => claimOf(door, 'guest')));
    const answers = await Promise.all(asked.map((door, i) => ask(door, { claim: claims[i] })));
    const won = answers.findIndex((answer) => 'elsewhere' in answer && answer.elsewhere === null);
    expect(answers.filter((answer) => 'elsewhere' in answer && answer.elsewhere === null)).toHaveLength(1);
    const winner = asked[won];
    const name = `Door ${doors.indexOf(winner as Door)}`;
    answers.forEach((answer, i) => {
      if (i !== won) expect(answer).toMatchObject({ elsewhere: { door: name, own: asked[i] === winner } });
    });
    expect(await ask(winner as Door, { claim: claims[won] })).toMatchObject(let_in);
  });

  it('are told to the others once each, in their order, and nothing of other lists', async () => {
    const [listId, other] = [await newList(), await newList()];
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    await claim(await newDoor(other, 'East'), 'a');
    for (const personId of ['a', 'b', 'c']) expect(await claim(north, personId)).toMatchObject(let_in);
    const first = await ask(south);
    const tags = await Promise.all(['a', 'b', 'c'].map((personId) => tagOf(south, personId)));
    expect(first).toMatchObject({ cursor: 3, more: false, entries: tags.map((tag) => ({ tag, door: 'North' })) });
    expect(await ask(south, { since: 3 })).toMatchObject({ cursor: 3, entries: [] });
    // A restored database counts from below.
    expect(await ask(south, { since: 9 })).toMatchObject({
      since: 0,
      cursor: 3,
      entries: tags.map((tag) => ({ tag })),
    });
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
    expect(await claim(north, 'guest')).toMatchObject(let_in);
    expect(await tell(south, 'guest', 'admitted-again')).toMatchObject({ entries: [{ own: true, also: null }] });
  });

  it('go with the person, after twelve hours on an ongoing list, and with the list', async () => {
    const listId = await newList();
    const north = await newDoor(listId, 'North');
    const rows = () => inDatabase(api, 'SELECT 1 FROM admissions WHERE list_id = $1', [listId]);
    expect((await enrolPerson(listId, enrolBody(clock, { personId: 'guest' }), customer)).status).toBe(201);
    for (const personId of ['guest', 'other']) await claim(north, personId);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest`);
    expect(await rows()).toHaveLength(1);
    clock.advance(12 * HOUR_MS);
    expect(await claim(north, 'other')).toMatchObject(let_in);
    clock.advance(DAY_MS / 2);
    await runJobs(services);
    expect(await rows()).toEqual([]);
    await claim(north, 'other');
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect(await rows()).toEqual([]);
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
  const tag = randomBytes(16).toString('base64url');
  const heardAt = '2026-05-01T19:00:00.000Z';
  const one = (kind: Parameters<typeof heard>[2]['kind'], sequence: number) => ({ kind, tag, sequence, at: heardAt });
  const first = { ...heard(null, 'north', one('claim', 5)), deleteAfter: null } as NonNullable<
    Parameters<typeof heard>[0]
  >;

  it('changes nothing a second time, and nothing that it took back later', () => {
    for (const kind of ['claim', 'admitted', 'taken-back'] as const) {
      expect(heard(first, 'north', one(kind, 5))).toBeNull();
      expect(heard({ ...first, takenBack: true, sequence: 6 }, 'north', one(kind, 5))).toBeNull();
    }
    const both = { ...first, ...heard(first, 'south', one('admitted', 2)) };
    expect(both).toMatchObject({ deviceId: 'north', alsoDeviceId: 'south' });
    expect(heard(both, 'south', one('admitted', 2))).toBeNull();
  });

  it('takes back its own admission alone', () => {
    expect(heard(first, 'south', one('taken-back', 9))).toBeNull();
    expect(heard(first, 'north', one('taken-back', 9))).toMatchObject({ takenBack: true, sequence: 9 });
  });
});
