import { createECDH, randomBytes } from 'node:crypto';
import { collectionSchema, deviceSchema } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { p256Pair, TestDevice } from './device.ts';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;
let listId: string;

beforeAll(async () => {
  service = await startTestService();
  organiser = await service.createOrganiser();
  listId = (await organiser.createList()).listId;
});
afterAll(() => service.close());

async function newDevice(): Promise<TestDevice> {
  return new TestDevice(service, (await organiser.addDevice(listId)).token);
}

describe('the key of a device', () => {
  it('is pinned: a stolen token alone fetches nothing', async () => {
    const device = await newDevice();
    await device.sync();
    const { status, code, body } = await device.ask({ pair: p256Pair() });
    expect([status, code]).toEqual([409, 'device-key-mismatch']);
    expect(body.toString('utf8')).not.toContain(listId);
    expect((await device.sync()).manifest.command).toBe('keep');
  });

  it('is pinned at the first sync only', async () => {
    const device = await newDevice();
    const pairs = Array.from({ length: 6 }, () => p256Pair());
    const answers = await Promise.all(pairs.map((pair) => device.ask({ pair })));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
    const winner = pairs[answers.findIndex((answer) => answer.status === 200)];
    if (winner === undefined) throw new Error('no winner');
    expect((await device.ask({ pair: winner })).status).toBe(200);
  });

  const point = createECDH('prime256v1').generateKeys();
  const offCurve = Buffer.from(point);
  offCurve.writeUInt8(offCurve.readUInt8(64) ^ 1, 64);
  it.each([
    ['absent', null],
    ['off the curve', offCurve.toString('base64url')],
    ['compressed', createECDH('prime256v1').generateKeys('base64url', 'compressed')],
    ['no base64url', point.toString('base64')],
    ['of another curve', createECDH('secp384r1').generateKeys('base64url')],
  ])('is refused when it is %s, and not pinned', async (_what, value) => {
    const device = await newDevice();
    const { status, code } = await device.ask({ headers: { 'Svc-Device-Key': value } });
    expect([status, code]).toEqual([400, 'device-key-invalid']);
    expect((await device.sync()).manifest.command).toBe('keep');
  });
});

describe('a device in service', () => {
  it('gets the same records as every other device, under a key sealed to itself', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'T-1');
    const add = async () => new TestDevice(service, (await organiser.addDevice(listId)).token);
    const [one, two] = [await add(), await add()];
    const [a, b] = [await one.sync(), await two.sync()];
    expect(a.payload.equals(b.payload)).toBe(true);
    expect(one.openListKey(a)).toEqual(two.openListKey(b));
    expect(() => two.openListKey(a)).toThrow();
    expect(() => one.openListKey({ ...a, manifest: { ...a.manifest, deviceId: b.manifest.deviceId } })).toThrow();
  });

  it('gets an answer that intermediaries may not cache, compress or sniff', async () => {
    const device = await newDevice();
    const { status, headers, body } = await device.ask({ headers: { 'Accept-Encoding': 'gzip, br' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/vnd.svc.sync');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('content-length')).toBe(String(body.length));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });
});

describe('an invalid sync request', () => {
  it.each([
    ['no nonce', null],
    ['15 bytes', randomBytes(15).toString('base64url')],
    ['17 bytes', randomBytes(17).toString('base64url')],
    ['padding', randomBytes(16).toString('base64')],
  ])('is refused: %s', async (_what, nonce) => {
    const { status, code } = await (await newDevice()).ask({ headers: { 'Svc-Nonce': nonce } });
    expect([status, code]).toEqual([400, 'nonce-invalid']);
  });

  it.each(['-1', '01', '1.5', 'x', '%00', '1e3', '1&since=2', '9999999999999999'])(
    'is refused: since=%s',
    async (since) => {
      const { status, code, body } = await (await newDevice()).ask({ since });
      expect([status, code]).toEqual([400, 'invalid-request']);
      expect(JSON.parse(body.toString('utf8')).errors).toMatchObject([{ parameter: 'since' }]);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'HEAD'])('is refused: %s', async (method) => {
    const answer = await (await newDevice()).ask({ method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('GET');
  });
});

describe('devices of a list', () => {
  it('are added without a body, with an empty one, or with a name', async () => {
    const path = `/v1/lists/${listId}/devices`;
    const bare = await organiser.call('POST', path);
    expect(bare.status).toBe(201);
    expect(bare.body).toMatchObject({ name: null, expiresAt: null, lastSyncAt: null });
    expect(bare.body.token).toMatch(/^svcd_[0-9A-Za-z]{49}$/);
    expect((await organiser.call('POST', path, {})).status).toBe(201);
    expect((await organiser.call('POST', path, { name: '北門 3' })).body.name).toBe('北門 3');
    for (const name of ['', 'x'.repeat(201), 7, null, 'a\u0000b']) {
      const refused = await organiser.call('POST', path, { name });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid-request']);
      expect(refused.body.errors).toMatchObject([{ pointer: '/name' }]);
    }
  });

  it('are listed newest first and page by page, without their tokens', async () => {
    const list = await organiser.createList();
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const name of names) {
      await organiser.addDevice(list.listId, { name });
      service.clock.nowMs += 1;
    }
    const seen: (string | null)[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const query = `?limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { status, body } = await organiser.call('GET', `/v1/lists/${list.listId}/devices${query}`);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('svcd_');
      const page = collectionSchema(deviceSchema).parse(body);
      seen.push(...page.items.map((device) => device.name));
      cursor = page.nextCursor;
      pages += 1;
    }
    expect([seen, pages]).toEqual([[...names].reverse(), 3]);
    const foreign = await organiser.call('GET', `/v1/lists/${list.listId}/devices?cursor=abc`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid-request']);
  });
});
