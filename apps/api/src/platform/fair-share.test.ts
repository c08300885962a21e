import { describe, expect, it, vi } from 'vitest';
import { FairTurns, guestsShare, type Holding, SharedWhole, serverShare } from './fair-share.ts';

const server = serverShare('acc_1');
const guests = guestsShare('acc_1');
const other = serverShare('acc_2');

describe('a shared whole', () => {
  const openAll = (whole: SharedWhole, share = server, count = 1) => {
    const taken: number[] = [];
    const holdings: Holding[] = [];
    for (let i = 0; i < count; i += 1) {
      const holding = whole.open(share, () => void taken.push(i));
      holdings.push(holding);
    }
    return { holdings, taken, take: (amount: number) => holdings.map((holding) => holding.take(amount)) };
  };

  it('can be used up by one share', () => {
    const whole = new SharedWhole(18);
    expect(openAll(whole, guests, 19).take(1)).toEqual([...Array<boolean>(18).fill(true), false]);
    expect(whole.held).toBe(18);
  });

  it('is taken from those who hold the most for their weight, the newest first', () => {
    const whole = new SharedWhole(8);
    const many = openAll(whole, guests, 8);
    many.take(1);
    const late = openAll(whole, server, 8);
    expect(late.take(1)).toEqual([true, true, true, true, true, true, false, false]);
    expect(many.taken).toEqual([7, 6, 5, 4, 3, 2]);
    expect(whole.held).toBe(8);
    // The guests keep two places: six at weight three equal two at weight one.
    const third = openAll(whole, other, 4);
    expect(third.take(1)).toEqual([true, true, true, false]);
  });

  it('is never taken from a share that holds no more, nor from what has to be kept', () => {
    const whole = new SharedWhole(2);
    const [first, second] = openAll(whole, guests, 2).holdings;
    first?.take(1);
    second?.take(1);
    first?.keep();
    second?.keep();
    expect(whole.hasRoom(server, 1)).toBe(false);
    expect(openAll(whole, server).take(1)).toEqual([false]);
    second?.close();
    expect(openAll(whole, server).take(1)).toEqual([true]);
  });

  it('gives back once, and to those who have lost theirs nothing more', () => {
    const whole = new SharedWhole(10);
    const lost = openAll(whole, guests, 2);
    lost.take(5);
    expect(whole.hasRoom(server, 4)).toBe(true);
    const [winner] = openAll(whole, server).holdings;
    expect(winner?.take(4)).toBe(true);
    expect(lost.taken).toEqual([1]);
    expect(lost.holdings[1]?.take(1)).toBe(false);
    lost.holdings[1]?.close();
    expect(whole.held).toBe(9);
    winner?.close();
    winner?.close();
    expect(whole.held).toBe(5);
  });
});

describe('fair turns', () => {
  const here = () => new AbortController().signal;
  const LONG = 60_000;

  /** Lets everything settle that is not waiting for a turn. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('lets so many work at once', async () => {
    const turns = new FairTurns(2);
    const ends = [await turns.take(server, here(), LONG), await turns.take(server, here(), LONG)];
    let begun = false;
    const third = turns.take(server, here(), LONG).then((end) => {
      begun = true;
      return end;
    });
    await settled();
    expect(begun).toBe(false);
    ends[0]?.();
    ends[0]?.();
    (await third)?.();
    ends[1]?.();
    expect(await turns.take(other, here(), LONG)).not.toBeNull();
  });

  it('serves shares by their weight, and each in the order in which its own came', async () => {
    const turns = new FairTurns(1);
    const running = await turns.take(guests, here(), LONG);
    const order: string[] = [];
    const queue = (name: string, share = guests) =>
      turns.take(share, here(), LONG).then(async (end) => {
        order.push(name);
        await settled();
        end?.();
      });
    const all = [
      ...['g1', 'g2', 'g3', 'g4'].map((name) => queue(name)),
      ...['s1', 's2', 's3', 's4', 's5', 's6'].map((name) => queue(name, server)),
    ];
    running?.();
    await Promise.all(all);
    expect(order.slice(0, 3)).toEqual(['s1', 's2', 's3']);
    expect(order.filter((name) => name.startsWith('s'))).toEqual(['s1', 's2', 's3', 's4', 's5', 's6']);
    expect(order.filter((name) => name.startsWith('g'))).toEqual(['g1', 'g2', 'g3', 'g4']);
    expect(order.slice(0, 8).filter((name) => name.startsWith('g'))).toHaveLength(2);
  });

  it('saves nothing up: who comes late is not served for the time before', async () => {
    const turns = new FairTurns(1);
    for (let i = 0; i < 50; i += 1) (await turns.take(other, here(), LONG))?.();
    const running = await turns.take(other, here(), LONG);
    const order: string[] = [];
    const queue = (name: string, share = other) =>
      turns.take(share, here(), LONG).then((end) => {
        order.push(name);
        end?.();
      });
    const all = [queue('o1'), queue('late1', server), queue('late2', server), queue('o2')];
    running?.();
    await Promise.all(all);
    expect(order.indexOf('o1')).toBeLessThan(order.indexOf('late2'));
  });

  it('forgets who has gone, or waited too long', async () => {
    vi.useFakeTimers();
    try {
      const turns = new FairTurns(1);
      const running = await turns.take(server, here(), LONG);
      const leaving = new AbortController();
      const left = turns.take(server, leaving.signal, LONG);
      const late = turns.take(server, here(), 10);
      const last = turns.take(server, here(), LONG);
      leaving.abort();
      expect(await left).toBeNull();
      await vi.advanceTimersByTimeAsync(11);
      expect(await late).toBeNull();
      expect(await turns.take(server, AbortSignal.abort(), LONG)).toBeNull();
      running?.();
      expect(await last).not.toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
});
