import { isId } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createSecret, secretSha256 } from '../crypto/secrets.ts';
import { peopleAllowed, toStoredPlan } from '../features/usage/plans.ts';
import { createLogSink, createManualClock } from '../testing/test-api.ts';
import { Cleanup } from './cleanup.ts';
import { ServiceError, sqlState } from './errors.ts';
import { createLogger, describeError } from './logger.ts';
import { decodeCursor, toPage } from './paging.ts';
import { createIds, systemRandom } from './ports.ts';

describe('ids', () => {
  it('are of their type, unique, and sorted by time', () => {
    const clock = createManualClock(1_700_000_000_000);
    const ids = createIds(clock, systemRandom);
    const made = Array.from({ length: 50 }, () => {
      clock.advance(1);
      return ids.next('lst');
    });
    expect(made.every((id) => isId('lst', id))).toBe(true);
    expect([...made].sort()).toEqual(made);
    expect(ids.nextUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('secrets', () => {
  it('are never the same and hash to what is stored', () => {
    const [a, b] = [createSecret(systemRandom, 'svck'), createSecret(systemRandom, 'svck')];
    expect(a.secret).not.toBe(b.secret);
    expect(secretSha256(a.secret).equals(a.sha256)).toBe(true);
  });
});

describe('paging', () => {
  const page = (rows: string[], limit: number) =>
    toPage(
      rows,
      limit,
      (row) => row,
      (row) => row.toUpperCase(),
    );
  it('gives a cursor only where there is more', () => {
    expect(page([], 2)).toEqual({ items: [], nextCursor: null });
    expect(page(['a', 'b'], 2)).toEqual({ items: ['A', 'B'], nextCursor: null });
    const { items, nextCursor } = page(['a', 'b', 'c'], 2);
    expect(items).toEqual(['A', 'B']);
    expect(decodeCursor(nextCursor ?? '', (key) => key === 'b')).toBe('b');
  });

  it('refuses a cursor that it did not give', () => {
    expect(decodeCursor(undefined, () => false)).toBeUndefined();
    for (const cursor of ['', 'Yg==', 'Yg=', 'Y g', 'Yh']) {
      expect(() => decodeCursor(cursor, (key) => key === 'b')).toThrow(ServiceError);
    }
  });
});

describe('plans', () => {
  it('knows the pilot and nothing that objects have by themselves', () => {
    expect(['pilot', null, 'gold', 'toString', '__proto__'].map((plan) => peopleAllowed(plan, null))).toEqual([
      500,
      null,
      null,
      null,
      null,
    ]);
  });

  it('takes from a contract what was agreed, and only from a contract', () => {
    expect([peopleAllowed('contract', 7), peopleAllowed('contract', null), peopleAllowed('pilot', 7)]).toEqual([
      7,
      null,
      500,
    ]);
    expect(peopleAllowed('unlimited', null)).toBe(Number.POSITIVE_INFINITY);
    for (const contract of [0, -1, 1.5, Number.NaN, 2 ** 31])
      expect(() => toStoredPlan({ contract })).toThrow(RangeError);
  });
});

describe('cleanup', () => {
  it('runs every step once, last first, and tells the first error', async () => {
    const cleanup = new Cleanup();
    const ran: number[] = [];
    cleanup.add(() => void ran.push(1));
    cleanup.add(() => {
      ran.push(2);
      throw new Error('two');
    });
    cleanup.add(async () => void ran.push(3));
    await expect(cleanup.run()).rejects.toThrow('two');
    await cleanup.run();
    expect(ran).toEqual([3, 2, 1]);
  });
});

describe('logger', () => {
  it('drops fields that could contain a secret', () => {
    const sink = createLogSink();
    const secrets = { apiKey: 'canary', token: 'canary', personId: 'canary', imageBase64: 'canary' };
    createLogger('info', sink).info(
      { ...secrets, request: { ...secrets, body: 'canary', headers: { a: 'canary' } } },
      'x',
    );
    expect(sink.text).toContain('"msg":"x"');
    expect(sink.text).not.toContain('canary');
  });
});

describe('log safe', () => {
  it.each([
    ['of one line', 'canary'],
    ['of several lines that look like frames', 'x\n    at canary (/canary.ts:1:1)\n    at canary'],
    ['that is empty', ''],
  ])('no message is in what is told of an error, also one %s', (_name, message) => {
    const cause = new TypeError(message);
    const told = describeError(new RangeError(message, { cause }));
    expect(told).toMatchObject({ type: 'RangeError', cause: { type: 'TypeError' } });
    expect(JSON.stringify(told)).not.toContain('canary');
    expect(told.frames).not.toHaveLength(0);
  });

  it('what is no error is told by its type alone', () => {
    expect(describeError('canary')).toEqual({ type: 'string' });
  });
});

describe('sql state', () => {
  const withCode = (code: string, more: object = {}) => Object.assign(new Error('any'), { code, ...more });

  it.each([
    ['of PostgreSQL', withCode('40P01'), '40P01'],
    ['of the operating system, of the same form', withCode('EPIPE', { syscall: 'write' }), undefined],
    ['of the operating system', withCode('ECONNRESET', { syscall: 'read' }), undefined],
    ['of nobody', new Error('any'), undefined],
    ['of no error', { code: '40P01' }, undefined],
  ])('an error %s', (_whose, error, state) => {
    expect(sqlState(error)).toBe(state);
  });
});
