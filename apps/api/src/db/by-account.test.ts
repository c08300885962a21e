import { describe, expect, it } from 'vitest';
import { eachAccount, takeInTurns } from './by-account.ts';

describe('work on several accounts', () => {
  it('gets each one’s items together, and few accounts at one time', async () => {
    const items = Array.from({ length: 60 }, (_, nth) => ({ accountId: `acc_${nth % 20}`, nth }));
    let running = 0;
    let most = 0;
    const sums = await eachAccount(items, async (accountId, own) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return [accountId, own.map(({ nth }) => nth)];
    });
    expect(most).toBe(4);
    expect(Object.fromEntries(sums)).toMatchObject({ acc_0: [0, 20, 40], acc_19: [19, 39, 59] });
  });

  it('ends with the first failure', async () => {
    const fails = eachAccount([{ accountId: 'a' }, { accountId: 'b' }], () => Promise.reject(new Error('down')));
    await expect(fails).rejects.toThrow('down');
  });
});

describe('taking in turns', () => {
  const taking = async (due: Record<string, number>, limit: number) => {
    const left = new Map(Object.entries(due));
    const taken = await takeInTurns(Object.keys(due), limit, (accountId, most) => {
      const count = Math.min(most, left.get(accountId) ?? 0);
      left.set(accountId, (left.get(accountId) ?? 0) - count);
      return Promise.resolve(Array.from({ length: count }, () => accountId));
    });
    return Object.fromEntries(Object.keys(due).map((each) => [each, taken.filter((one) => one === each).length]));
  };

  it('gives equal shares', async () => {
    expect(await taking({ a: 100, b: 100, c: 100 }, 9)).toEqual({ a: 3, b: 3, c: 3 });
  });

  it('gives on what one does not take', async () => {
    expect(await taking({ many: 100, few: 1 }, 8)).toEqual({ many: 7, few: 1 });
    expect(await taking({ many: 3, few: 1 }, 8)).toEqual({ many: 3, few: 1 });
  });

  it('never takes more than asked, whoever is first', async () => {
    const taken = await taking({ a: 5, b: 5, c: 5, d: 5 }, 2);
    expect(Object.values(taken).reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await taking({}, 2)).toEqual({});
  });
});
