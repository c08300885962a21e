import { createECDH, randomBytes } from 'node:crypto';
import { collectionSchema, deviceSchema, formatSecret, problemSchema } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDevice } from './device.ts';
import { p256Pair } from './hpke-open.ts';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;
let stranger: Organiser;
let listId: string;

beforeAll(async () => {
  service = await startTestService();
  organiser = await service.createOrganiser();
  stranger = await service.createOrganiser();
  listId = (await organiser.createList()).listId;
});
afterAll(() => service.close());

async function newDevice(): Promise<TestDevice> {
  return new TestDevice(service, (await organiser.addDevice(listId)).token);
}

describe('credentials of a sync', () => {
  const unknown = formatSecret('svcd', new Uint8Array(32).fill(9));
  it.each([
    ['none at all', { Authorization: null }, 'missing-credential'],
    ['an API key as a bearer', { Authorization: 'Bearer svck_x' }, 'wrong-credential'],
    ['an enrolment token', { Authorization: 'Bearer svce_x' }, 'wrong-credential'],
    ['an API key in its header', { Authorization: null, 'X-Api-Key': 'svck_x' }, 'wrong-credential'],
    ['a token nobody was given', { Authorization: `Bearer ${unknown}` }, 'invalid-credential'],
    ['another scheme', { Authorization: 'Basic abc' }, 'invalid-credential'],
    ['an empty bearer', { Authorization: 'Bearer ' }, 'invalid-credential'],
  ])('refuse %s', async (_what, headers, expected) => {
    const answer = await (await newDevice()).ask({ headers });
    expect([answer.status, answer.code]).toEqual([401, expected]);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(problemSchema.parse(JSON.parse(answer.body.toString('utf8'))).requestId).toMatch(/^req_/);
  });

  it('refuse a token with a typo', async () => {
    const device = await newDevice();
    const typo = device.token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const { status, code } = await new TestDevice(service, typo).ask();
    expect([status, code]).toEqual([401, 'invalid-credential']);
  });

  it('are not accepted anywhere else', async () => {
    const { token } = await newDevice();
    const bearer = { Authorization: `Bearer ${token}` };
    for (const headers of [bearer, { 'X-Api-Key': token }]) {
      const response = await fetch(`${service.url}/v1/lists/${listId}`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'wrong-credential' });
    }
  });
});

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

  it('are revoked once, however often it is asked', async () => {
    const { id } = await organiser.addDevice(listId);
    const path = `/v1/lists/${listId}/devices/${id}`;
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await organiser.call('DELETE', path)).status);
    expect(statuses).toEqual([204, 204, 204]);
    const { body } = await organiser.call('GET', `/v1/lists/${listId}/devices?limit=200`);
    expect(
      collectionSchema(deviceSchema)
        .parse(body)
        .items.some((device) => device.id === id),
    ).toBe(false);
  });

  it('are invisible to other accounts', async () => {
    const { id } = await organiser.addDevice(listId);
    const other = await stranger.createList();
    const attempts = [
      ['POST', `/v1/lists/${listId}/devices`],
      ['GET', `/v1/lists/${listId}/devices`],
      ['DELETE', `/v1/lists/${listId}/devices/${id}`],
      ['DELETE', `/v1/lists/${other.listId}/devices/${id}`],
    ] as const;
    for (const [method, path] of attempts) {
      const { status, body } = await stranger.call(method, path);
      expect([status, body.code]).toEqual([404, 'not-found']);
    }
    const { body } = await organiser.call('GET', `/v1/lists/${listId}/devices?limit=200`);
    expect(
      collectionSchema(deviceSchema)
        .parse(body)
        .items.some((device) => device.id === id),
    ).toBe(true);
  });

  it.each([
    ['a stump', 'dev_1'],
    ['an identifier of no device', 'dev_01jwnafy00e2rbg3vfk4s6q9tz'],
    ['an identifier of another kind', 'lst_01jwnafy00e2rbg3vfk4s6q9tz'],
    ['a NUL', '%00'],
    ['five hundred characters', 'x'.repeat(500)],
  ])('are not found under %s', async (_what, deviceId) => {
    const { status, body } = await organiser.call('DELETE', `/v1/lists/${listId}/devices/${deviceId}`);
    expect([status, body.code]).toEqual([404, 'not-found']);
  });
});
