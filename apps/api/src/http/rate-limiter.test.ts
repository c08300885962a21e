import { access } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Database } from '../db/connection.ts';
import { createPlainQueries, type PlainQueries } from '../db/plain-queries.ts';
import { createLocalLimiter, createSharedLimiter } from './rate-limiter.ts';

/** One counter per key, as in the database. */
function createCounter() {
  const points = new Map<string, number>();
  const asked: number[] = [];
  const queries: PlainQueries = {
    query({ values = [] }) {
      const [key, more, expire] = values as [string, number, number];
      asked.push(more);
      points.set(key, (points.get(key) ?? 0) + more);
      return Promise.resolve({ rows: [{ points: points.get(key), expire }], rowCount: 1 });
    },
  };
  return { queries, asked };
}

it('counts what comes at one time in one statement a key, and each as if it had come alone', async () => {
  const { queries, asked } = createCounter();
  const limiter = createSharedLimiter('test', 5, queries);
  const allowances = await Promise.all(['a', 'b', 'a', 'a', 'a', 'a', 'a'].map((key) => limiter.count(key)));
  const told = allowances.map((allowance) => [allowance?.remaining, allowance?.exceeded]);
  expect(told).toEqual([
    [4, false],
    [4, false],
    [3, false],
    [2, false],
    [1, false],
    [0, false],
    [0, true],
  ]);
  expect(asked).toEqual([6, 1]);
});

it('asks no more for a key that has spent its minute, and goes on refusing it', async () => {
  const { queries, asked } = createCounter();
  const limiter = createSharedLimiter('test', 2, queries);
  for (let i = 0; i < 3; i += 1) await limiter.count('a');
  const before = asked.length;
  expect(await limiter.count('a')).toMatchObject({ remaining: 0, exceeded: true });
  expect(asked).toHaveLength(before);
  expect(await limiter.count('b')).toMatchObject({ remaining: 1, exceeded: false });
});

it('takes an answer of the database that was there in time, however late this process gets to it', async () => {
  const connection = {
    async query() {
      const answer = access('.');
      const until = performance.now() + 100;
      while (performance.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      await answer;
      return { rows: [{ points: 1, expire: 60_000 }], rowCount: 1 };
    },
  };
  const client = { acquireConnection: async () => connection, releaseConnection: async () => undefined };
  const database = { connection: { client } as unknown as Database['connection'], isSaturated: () => false };
  expect((await createPlainQueries(database, 20).query({ text: 'SELECT' })).rowCount).toBe(1);
});

it('does without an answer that comes too late', async () => {
  const client = { acquireConnection: () => new Promise(() => undefined), releaseConnection: async () => undefined };
  const database = { connection: { client } as unknown as Database['connection'], isSaturated: () => false };
  await expect(createPlainQueries(database, 20).query({ text: 'SELECT' })).rejects.toThrow('the database is slow');
});

it('counts alone when the limit is not shared', async () => {
  const limiter = createLocalLimiter('test', 1);
  expect([await limiter.count('a'), await limiter.count('a')]).toMatchObject([{ exceeded: false }, { exceeded: true }]);
  expect(await createLocalLimiter('test', 0).count('a')).toBeNull();
});
