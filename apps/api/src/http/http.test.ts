import { createServer } from 'node:http';
import { formatSecret, operations, SESSION_COOKIE } from '@svc/protocol';
import express, { type Express, type Request, type Response, Router } from 'express';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../config/config.ts';
import type { Handlers, KnownCallers } from '../features/handlers.ts';
import { ServiceError } from '../platform/errors.ts';
import { createLogger } from '../platform/logger.ts';
import { systemRandom } from '../platform/ports.ts';
import { listenOnLoopback } from '../testing/loopback.ts';
import { createAddressBucket, createAddressLimit, createLookUpCredential } from './credentials.ts';
import { createGuards, type Guards } from './guards.ts';
import { scanJson, unescapeInPlace } from './json-scan.ts';
import { requestId } from './observe-requests.ts';
import { mountOperations } from './operations.ts';
import { problemHandler } from './problems.ts';

/** Asks an application on a port of its own. */
async function withServer<T>(app: Express, ask: (url: string) => Promise<T>): Promise<T> {
  const { url, close } = await listenOnLoopback(createServer(app));
  onTestFinished(close);
  return ask(url);
}

describe('problems', () => {
  /** The status of a request whose handler throws this error. */
  async function statusOf(error: unknown): Promise<number> {
    const app = express();
    app.use(requestId(systemRandom), () => Promise.reject(error), problemHandler(createLogger('silent')));
    return withServer(app, async (url) => (await fetch(url)).status);
  }

  const withCode = (code: string, more: object = {}) => Object.assign(new Error('any'), { code, ...more });

  it.each<[string, unknown, number]>([
    ['a statement whose connection was lost', new Error('select 1 - Connection terminated unexpectedly'), 503],
    [
      'a statement on a connection that was lost before',
      new Error('select 1 - Client was closed and is not queryable'),
      503,
    ],
    ['a statement without an answer', new Error('select 1 - Query read timeout'), 503],
    ['a socket that the database has closed', withCode('EPIPE', { syscall: 'write' }), 503],
    ['a database that is not there', withCode('ECONNREFUSED', { syscall: 'connect' }), 503],
    ['a database that recovers from a crash', withCode('57P03'), 503],
    ['a database that has no room', withCode('53100'), 503],
    ['a victim of several deadlocks', withCode('40P01'), 503],
    ['a row that breaks a rule', withCode('23505'), 500],
    ['a fault of ours', new TypeError('Connection of nothing'), 500],
  ])('%s', async (_what, error, status) => {
    expect(await statusOf(error)).toBe(status);
  });
});

describe('trust proxy', () => {
  /** The counter of a request with this `X-Forwarded-For`. */
  async function counterOf(trustProxy: string, forwardedFor: string): Promise<string> {
    const bucketOf = createAddressBucket({ bytes: (length) => new Uint8Array(length) });
    const app = express();
    app.set('trust proxy', readConfig({ SVC_TRUST_PROXY: trustProxy }).traffic.trustProxy);
    app.get('/', (request, response) => {
      response.send(bucketOf(request));
    });
    const headers = { 'X-Forwarded-For': forwardedFor };
    return withServer(app, async (url) => (await fetch(url, { headers })).text());
  }

  it('a caller chooses its own address only where a proxy is believed', async () => {
    const own = await counterOf('0', '192.0.2.1');
    expect(await counterOf('0', '192.0.2.2')).toBe(own);
    const believed = await counterOf('loopback', '192.0.2.1');
    expect(believed).not.toBe(own);
    expect(await counterOf('1', '192.0.2.1')).toBe(believed);
    // Only the trusted proxy's own entry is used.
    expect(await counterOf('1', '198.51.100.9, 192.0.2.1')).toBe(believed);
    expect(await counterOf('10.0.0.0/8', '192.0.2.1')).toBe(own);
  });
});

describe('client address', () => {
  const bucketOf = createAddressBucket(systemRandom);
  const at = (ip: string | undefined) => bucketOf({ ip });

  it('counts an IPv6 network as one, and an IPv4 address whichever way it is written', () => {
    expect(at('2001:db8:1:2::1')).toBe(at('2001:db8:1:2:ffff::9'));
    expect(at('192.0.2.1')).toBe(at('::ffff:192.0.2.1'));
  });

  it('distinguishes most addresses, has 65,536 counters, and needs no address', () => {
    const buckets = new Set(Array.from({ length: 200 }, (_, i) => at(`192.0.2.${i}`)));
    expect(buckets.size).toBeGreaterThan(195);
    for (const bucket of [...buckets, at(undefined), at('nonsense')]) expect(bucket).toMatch(/^[0-9a-f]{4}$/);
  });

  it('maps addresses differently in another process', () => {
    const other = createAddressBucket(systemRandom);
    const same = Array.from({ length: 50 }, (_, i) => `192.0.2.${i}`).filter((ip) => other({ ip }) === at(ip));
    expect(same.length).toBeLessThan(5);
  });
});

it('tells an address that asks for too many payloads to wait, and no other', async () => {
  const count = createAddressLimit('payload', 2, ({ ip }) => ip ?? '');
  const asked = (ip: string) => count({ ip } as Request);
  await Promise.all([asked('a'), asked('a'), asked('b')]);
  await expect(asked('a')).rejects.toMatchObject({ code: 'rate-limited', details: { retryAfterSeconds: 60 } });
  await expect(asked('b')).resolves.toBeUndefined();
});

describe('unknown credentials', () => {
  const from = (ip: string) => ({ ip }) as Request;
  const found = () => Promise.resolve('somebody');
  const unknown = () => Promise.reject(new ServiceError('invalid-credential'));
  const create = (limit: number) => createLookUpCredential(limit, ({ ip }) => ip ?? '');

  it('tells an address that has sent too many unknown credentials to wait', async () => {
    const lookUp = create(3);
    for (let i = 0; i < 3; i += 1) {
      await expect(lookUp(from('a'), unknown)).rejects.toMatchObject({ code: 'invalid-credential' });
    }
    await expect(lookUp(from('a'), unknown)).rejects.toMatchObject({
      code: 'rate-limited',
      details: { retryAfterSeconds: expect.any(Number) as number },
    });
    await expect(lookUp(from('b'), unknown)).rejects.toMatchObject({ code: 'invalid-credential' });
  });

  it('refuses no credential that exists, whatever else came from its address', async () => {
    const lookUp = create(1);
    for (let i = 0; i < 200; i += 1) await expect(lookUp(from('a'), unknown)).rejects.toThrow();
    expect(await lookUp(from('a'), found)).toBe('somebody');
  });

  it('counts nothing but unknown credentials, and nothing where there is no limit', async () => {
    const lookUp = create(1);
    for (const code of ['account-suspended', 'not-ready'] as const) {
      for (let i = 0; i < 3; i += 1) {
        await expect(lookUp(from('a'), () => Promise.reject(new ServiceError(code)))).rejects.toThrow(code);
      }
    }
    await expect(lookUp(from('a'), unknown)).rejects.toThrow('invalid-credential');
    const free = create(0);
    for (let i = 0; i < 3; i += 1) await expect(free(from('a'), unknown)).rejects.toThrow('invalid-credential');
  });

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const cookie = (secret: string) => ({ cookie: `${SESSION_COOKIE}=${secret}` });
  it.each([
    ['apiKey', 'svck', (key: string) => ({ 'x-api-key': key })],
    ['apiKey', 'svcs', cookie],
    ['session', 'svcs', cookie],
    ['guestToken', 'svce', bearer],
    ['deviceToken', 'svcd', bearer],
  ] as const)('of every kind are counted, mistyped ones too: %s, %s', async (kind, prefix, headersOf) => {
    const secret = formatSecret(prefix, systemRandom.bytes(32));
    const caller = { rights: { scopes: null }, authenticatedAt: new Date() } as never;
    const authenticate = (given: string) => (given === secret ? Promise.resolve(caller) : unknown());
    const rateLimits = { unknownCredentials: 3, apiKey: 0, guestToken: 0, device: 0, signIn: 0 };
    const guard = createGuards<KnownCallers>({
      ...{ traffic: { rateLimits } as never, database: { connection: {}, isSaturated: () => false } as never },
      ...{ authenticateAccount: authenticate, authenticatePerson: authenticate, authenticateGuest: authenticate },
      ...{ authenticateDevice: authenticate, accountCallerOf: () => caller, noteUse: () => {} },
      ...{ idempotency: {} as never, dashboardOrigin: null, clock: Date, random: systemRandom },
    })[kind];
    const handler = guard.handlerOf({ method: 'get', parameters: [] } as never, () => Promise.resolve(null));
    const codeOf = (headers: Record<string, string>) => {
      const request = {
        ...from('a'),
        method: 'GET',
        url: '/',
        query: {},
        headers,
        get: (name: string) => headers[name],
      };
      const handled = Promise.resolve(handler(request as never, { locals: {} } as never));
      return handled.catch((error: ServiceError) => error.code);
    };
    const mistyped = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
    const codes = [await codeOf({}), await codeOf(headersOf(formatSecret('svcl', systemRandom.bytes(32))))];
    for (const text of [mistyped, 'letmein', mistyped, mistyped]) codes.push(await codeOf(headersOf(text)));
    const invalid = Array<string>(3).fill('invalid-credential');
    expect(codes).toEqual(['missing-credential', 'wrong-credential', ...invalid, 'rate-limited']);
    expect(await codeOf(headersOf(secret))).toBeUndefined();
  });
});

describe('operations', () => {
  const guards = Object.fromEntries(
    ['apiKey', 'session', 'guestToken', 'deviceToken', 'visitor'].map((security) => [
      security,
      { handlerOf: () => () => undefined },
    ]),
  ) as unknown as Guards<KnownCallers>;
  const handlers = Object.fromEntries(operations.map(({ operationId }) => [operationId, () => undefined])) as unknown;

  it('announces a deprecated operation with each of its answers, and no other operation', async () => {
    const deprecated = { since: '2027-01-01', sunset: '2028-01-01', successor: null };
    const table = operations.map((one) => (one.operationId === 'getUsage' ? { ...one, deprecated } : one));
    const handlerOf = () => (request: Request, response: Response) => {
      if (request.get('X-Api-Key') === undefined) throw new ServiceError('missing-credential');
      response.json({});
    };
    const router = Router();
    mountOperations(
      router,
      { ...guards, apiKey: { handlerOf } } as unknown as Guards<KnownCallers>,
      handlers as Handlers,
      table,
    );
    const app = express();
    app.use(requestId(systemRandom), router, problemHandler(createLogger('silent')));
    const ask = async (url: string, headers: Record<string, string>) => {
      const answer = await fetch(url, { headers });
      return [answer.status, ...['deprecation', 'sunset', 'link'].map((name) => answer.headers.get(name))];
    };
    const told = [
      '@1798761600',
      'Sat, 01 Jan 2028 00:00:00 GMT',
      '</docs#getUsage>; rel="deprecation"; type="text/html"',
    ];
    await withServer(app, async (url) => {
      expect(await ask(`${url}/v1/usage`, { 'X-Api-Key': 'svck_' })).toEqual([200, ...told]);
      expect(await ask(`${url}/v1/usage`, {})).toEqual([401, ...told]);
      expect(await ask(`${url}/v1/events`, { 'X-Api-Key': 'svck_' })).toEqual([200, null, null, null]);
    });
  });
});

describe('json scan', () => {
  const everything = () => true;
  const scan = (json: string, limit = 1_000, wanted = everything) => scanJson(Buffer.from(json), limit, wanted);
  /** Pointers with the texts as written. */
  const found = (json: string, wanted = everything) => {
    const bytes = Buffer.from(json);
    const result = scanJson(bytes, 1_000, wanted);
    return result.ok
      ? result.texts.map(({ pointer, start, end }) => [pointer, bytes.toString('utf8', start, end)])
      : result.reason;
  };

  describe('what is refused', () => {
    it.each([
      ['', 'syntax'],
      ['{', 'syntax'],
      ['"\\', 'syntax'],
      ['["never closed', 'syntax'],
      ['{"a":"x"', 'syntax'],
      ['{"a" "x"}', 'syntax'],
      ['{a:1}', 'syntax'],
      ['{"a":1,}', 'syntax'],
      ['[1,]', 'syntax'],
      ['[1 2]', 'syntax'],
      ['{"a\\x":1}', 'syntax'],
      ['{"a\nb":1}', 'syntax'],
      ['{} {}', 'syntax'],
      ['"x" "y"', 'syntax'],
      ['{"a":1,"b":2,"a":3}', 'duplicate'],
      ['{"a":1,"\\u0061":3}', 'duplicate'],
      ['{"a":[{"b":1,"b":1}]}', 'duplicate'],
      ['{"a":{"b":1},"c":{"b":1}}', []],
      ['['.repeat(16) + ']'.repeat(16), []],
      ['['.repeat(18) + ']'.repeat(18), 'structure'],
    ])('%s: %s', (json, reason) => {
      expect(found(json)).toEqual(reason);
    });

    it('more values than the limit, of whatever kind, without looking on', () => {
      expect(scan('[1,2,3]', 4).ok).toBe(true);
      expect(scan('[1,2,3]', 3)).toMatchObject({ ok: false, reason: 'structure' });
      expect(scan(`[${'[],'.repeat(100_000)}`, 10)).toMatchObject({ ok: false, reason: 'structure' });
      expect(scan(`{${'"a":1,'.repeat(2)}`, 100)).toMatchObject({
        ok: false,
        reason: 'duplicate',
        parent: '',
        name: 'a',
      });
    });
  });

  it('accepts whatever JSON.parse accepts, and finds its strings where they are', () => {
    const strings = (value: unknown, pointer = ''): [string, string][] => {
      if (typeof value === 'string') return [[pointer, value]];
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([name, inner]) =>
        strings(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        const read = found(json);
        const parsed: unknown = JSON.parse(json);
        expect(
          new Set(Array.isArray(read) ? read.map(([at, text]) => `${at} ${JSON.parse(`"${text}"`)}`) : [read]),
        ).toEqual(new Set(strings(parsed).map(([at, text]) => `${at} ${text}`)));
      }),
      { numRuns: 500 },
    );
  });

  it('never accepts a text whose strings are elsewhere than JSON.parse has them', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '"b"',
      '1',
      ' ',
      'null',
      '\\u0061',
      '\\"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const json = pieces.join('');
        let parsed: unknown;
        try {
          parsed = JSON.parse(json);
        } catch {
          return;
        }
        const read = found(json);
        if (read === 'duplicate') return;
        expect(Array.isArray(read)).toBe(true);
        expect(parsed).toBeDefined();
      }),
      { numRuns: 5_000 },
    );
  });

  describe('escapes', () => {
    const unescaped = (text: string) => {
      const bytes = Buffer.from(text, 'latin1');
      const end = unescapeInPlace(bytes, { pointer: '', start: 0, end: bytes.length });
      if (end === null) return null;
      expect(bytes.subarray(end).every((byte) => byte === 0)).toBe(true);
      return bytes.toString('latin1', 0, end);
    };

    it.each([
      ['abc', 'abc'],
      ['a\\/b\\/c', 'a/b/c'],
      ['a\\nb\\r\\nc', 'a\nb\r\nc'],
      ['\\u002f\\u002B', '/+'],
      ['a\\u00e9b\\ud83d', 'a\xffb\xff'],
      ['\\"\\\\\\t\\b\\f', '"\\\t\b\f'],
    ])('%s', (text, read) => {
      expect(unescaped(text)).toBe(read);
    });

    it.each(['a\nb', 'a\rb', '\\x41', '\\u12', '\\u12G4', '\\'])('%j is none', (text) => {
      expect(unescaped(text)).toBeNull();
    });
  });
});
