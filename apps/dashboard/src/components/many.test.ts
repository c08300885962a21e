import { expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { actOnEach } from './many.tsx';

it('acts on each, goes on after one that fails, takes what is gone for done, and stops when it is told to', async () => {
  const gone = new ApiError('not-found', { status: 404 });
  const refused = new ApiError('insufficient-scope', { status: 403 });
  const stop = new AbortController();
  const asked: number[] = [];
  const progress: number[] = [];
  const act = async (row: number) => {
    asked.push(row);
    if (row === 40) stop.abort(new Error('stopped'));
    if (row % 3 === 0) throw row % 2 === 0 ? gone : refused;
  };
  const rows = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  expect([...(await actOnEach(rows(10), act, stop.signal, (done) => progress.push(done)))]).toEqual([
    [3, refused],
    [9, refused],
  ]);
  expect([asked, progress]).toEqual([rows(10), rows(10)]);
  await expect(actOnEach(rows(100), act, stop.signal, () => {})).rejects.toThrow('stopped');
  expect(asked.length).toBeLessThan(60);
  const calls: number[][] = [];
  const some = async (...each: number[]) => {
    calls.push(each);
    if (each.includes(5)) throw gone;
  };
  const failed = await actOnEach(rows(8), some, new AbortController().signal, (done) => progress.push(done), 3);
  expect(calls).toEqual([
    [1, 2, 3],
    [4, 5, 6],
    [7, 8],
  ]);
  expect([[...failed], progress.at(-1)]).toEqual([[4, 5, 6].map((row) => [row, gone]), 8]);
});
