import { describe, expect, it } from 'vitest';
import { MemoryPairings } from '../testing/scripted-devices.ts';
import { createStaffPin, isPin, waitAfterMs } from './staff-pin.ts';

function pinOf(store = new MemoryPairings(), clock = { nowMs: 0 }) {
  const timers: (() => void)[] = [];
  const later = (_afterMs: number, action: () => void) => void timers.push(action);
  const pin = createStaffPin({ store, monotonicMs: () => clock.nowMs, later, iterations: 10 });
  /** Runs what is due by now. */
  const ring = async () => {
    for (const action of timers.splice(0)) action();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { pin, store, clock, ring };
}

async function fail(pin: ReturnType<typeof pinOf>['pin'], times: number) {
  for (let i = 0; i < times; i += 1) await pin.check('0000');
}

describe('the staff PIN', () => {
  it.each([
    ['1234', true],
    ['123456789012', true],
    ['123', false],
    ['1234567890123', false],
    ['12a4', false],
    ['١٢٣٤', false],
    ['', false],
  ])('“%s” is one: %s', (text, is) => expect(isPin(text)).toBe(is));

  it('is stored as a salted slow hash only', async () => {
    const { pin, store } = pinOf();
    await pin.set('271828');
    expect(store.pin?.hash).toHaveLength(32);
    expect(JSON.stringify(store.pin)).not.toContain('271828');
    const first = store.pin;
    await pin.set('271828');
    expect(store.pin?.hash).not.toEqual(first?.hash);
    await expect(pin.set('27')).rejects.toThrow(RangeError);
  });

  it('opens with the right digits alone, or if there is none', async () => {
    const { pin } = pinOf();
    expect([await pin.isSet(), await pin.check('1234')]).toEqual([false, { ok: true }]);
    await pin.set('1234');
    expect(await pin.isSet()).toBe(true);
    expect(await pin.check('1235')).toEqual({ ok: false, waitMs: 0 });
    expect(await pin.check('12345')).toEqual({ ok: false, waitMs: 0 });
    expect(await pin.check('1234')).toEqual({ ok: true });
  });

  it('waits longer after each wrong try from the fifth on, up to an hour', () => {
    const seconds = Array.from({ length: 14 }, (_, i) => waitAfterMs(i) / 1000);
    expect(seconds).toEqual([0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
  });

  it('is not even compared during a wait', async () => {
    const { pin, clock } = pinOf();
    await pin.set('1234');
    await fail(pin, 5);
    clock.nowMs += 29_999;
    expect(await pin.check('1234')).toEqual({ ok: false, waitMs: 1 });
    clock.nowMs += 1;
    expect(await pin.check('1234')).toEqual({ ok: true });
    expect(await pin.check('9999')).toEqual({ ok: false, waitMs: 0 });
  });

  it('a reload continues the wait, and time without the page does not count', async () => {
    const before = pinOf();
    await before.pin.set('1234');
    await fail(before.pin, 5);
    before.clock.nowMs += 30_000;
    expect(await before.pin.check('0000')).toEqual({ ok: false, waitMs: 60_000 });
    before.clock.nowMs += 20_000;
    await before.ring();
    // Another page, whose clock begins anew.
    const after = pinOf(before.store);
    expect(await after.pin.waitMs()).toBe(40_000);
    after.clock.nowMs += 40_000;
    expect(await after.pin.check('1234')).toEqual({ ok: true });
  });

  it('a reload during the comparison does not give a try back', async () => {
    const { pin, store } = pinOf();
    await pin.set('1234');
    void pin.check('0000');
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(store.tries.failures).toBe(1);
  });

  it('tries in two tabs count together', async () => {
    const { pin, store } = pinOf();
    await pin.set('1234');
    const other = pinOf(store).pin;
    await fail(pin, 3);
    await fail(other, 2);
    expect(await pin.check('1234')).toEqual({ ok: false, waitMs: 30_000 });
    expect(await other.check('1234')).toEqual({ ok: false, waitMs: 30_000 });
  });
});
