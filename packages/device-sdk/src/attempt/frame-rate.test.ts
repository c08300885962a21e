import { beforeEach, describe, expect, it } from 'vitest';
import {
  answer,
  createHarness,
  type Harness,
  readyDevice,
  readyHarness,
  recorded,
  visit,
} from '../testing/device-harness.ts';
import { createFakeEngine, type FakeEngine, frameOf } from '../testing/fake-engine.ts';
import { MIN_FRAMES_PER_SECOND } from '../verification/policy.ts';
import type { Camera } from './camera.ts';
import { measureFrameRate } from './engine-preparation.ts';

/** An engine that sees a face in any frame and takes this long to track it, by the clock. */
function paced(costMs: () => number, engine = createFakeEngine()) {
  let nowMs = 1_000;
  const slow: FakeEngine = {
    ...engine,
    open: () => {
      nowMs += costMs();
      return engine.open(frameOf({ heads: [{ who: 1 }] }, 0).image);
    },
  };
  return { engine: slow, clock: { wallMs: () => 0, monotonicMs: () => nowMs } };
}

const measured = (costMs: () => number, more: Partial<Parameters<typeof measureFrameRate>[0]> = {}) => {
  const { engine, clock } = paced(costMs);
  const input = { engine, passiveLiveness: engine.passive, clock, isStopped: () => false, ...more };
  return { engine, rate: measureFrameRate(input, engine.engineId) };
};

describe('the measured frame rate', () => {
  it('counts what an attempt does with each frame, the first one left out, and wipes everything', async () => {
    let frames = 0;
    const { engine, rate } = measured(() => (frames++ === 0 ? 5_000 : 50));
    expect(await rate).toBe(20);
    expect(frames).toBe(5);
    expect(engine.calls).toMatchObject({ track: 4, embed: 2 });
    expect(engine.calls.detect).toBeGreaterThan(0);
    expect(engine.openImages()).toBe(0);
    const wiped = engine.handedOut.filter(({ what }) => what !== 'probe' && what !== 'reference');
    expect(wiped.every(({ data }) => data.every((value) => value === 0))).toBe(true);
  });

  it('that is too low is measured three times, and the best counts', async () => {
    const rates = [1_000, 800, 900];
    let frames = 0;
    expect(await measured(() => rates[Math.floor(frames++ / 5)] ?? 0).rate).toBe(1.25);
    expect(frames).toBe(15);
    let moment = 0;
    expect(await measured(() => (moment++ < 5 ? 2_000 : 100)).rate).toBe(10);
    expect(moment).toBe(10);
  });

  it('is unknown if the engine fails or the measurement is stopped, and by a clock that stands still', async () => {
    const failing = measured(() => {
      throw new Error('no memory');
    });
    expect(await failing.rate).toBeNull();
    expect(await measured(() => 50, { isStopped: () => true }).rate).toBeNull();
    expect(await measured(() => 0).rate).toBeNull();
  });
});

describe('a device', () => {
  let harness: Harness;
  let costMs: number;
  beforeEach(() => {
    harness = createHarness();
    costMs = 50;
  });

  /** Frames of attempts cost nothing, so that they match in the harness' time. */
  const create = () => {
    const { engine, clock } = paced(() => costMs, harness.engine);
    const own = engine.open;
    engine.open = (image) => {
      try {
        return harness.engine.open(image);
      } catch {
        return own(image);
      }
    };
    const { wallMs, monotonicMs } = harness.time.clock;
    const offset = monotonicMs() - clock.monotonicMs();
    const both = { wallMs, monotonicMs: () => Math.max(monotonicMs(), clock.monotonicMs() + offset) };
    return readyDevice(harness, { engine, ports: { ...harness.ports, clock: both } });
  };
  const live = (): Camera => ({ ...recorded(visit(1, 'left')), timing: 'live' });

  it('that is too slow says so, lets nobody in, and is ready once it is fast enough', async () => {
    costMs = 500;
    const device = await create();
    const told: (number | null)[] = [];
    device.onStatus(({ framesPerSecond }) => told.push(framesPerSecond));
    const tooSlow = { outcome: 'LeaseExpired', reason: 'too-slow' };
    expect(device.status()).toMatchObject({ ready: false, notReady: tooSlow, framesPerSecond: 2 });
    expect(await device.verifyLiveAsync('ticket-1', live())).toMatchObject(tooSlow);
    expect(await device.verifyLiveAsync('ticket-of-nobody', live())).toMatchObject(tooSlow);
    // A recording has its own time.
    expect(await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')))).toMatchObject({ outcome: 'Match' });
    costMs = 200;
    await device.syncAsync();
    await expect.poll(() => device.status()).toMatchObject({ ready: true, framesPerSecond: 5 });
    harness.service.attendance = 'unattended';
    await device.syncAsync();
    // To be lit where nobody watches takes more frames.
    const lit: Camera = { ...live(), origin: 'device', light: { show: () => expect.unreachable() } };
    expect(await device.verifyLiveAsync('ticket-1', lit)).toMatchObject(tooSlow);
    costMs = 50;
    await device.syncAsync();
    await expect.poll(() => device.status()).toMatchObject({ ready: true, notReady: null, framesPerSecond: 20 });
    expect(told).toContain(20);
  });
});

// docs/internals/liveness.md, “How many frames”.
describe('the least frame rate', () => {
  it.each([
    [MIN_FRAMES_PER_SECOND, 'Match/verified'],
    [MIN_FRAMES_PER_SECOND / 2, 'LivenessFailed/too-few-scored-frames'],
  ])(
    'lets in a slow guest, one of whose frames in three cannot be scored, and half of it does not: %d',
    async (framesPerSecond, expected) => {
      const yaws = [...Array(8).fill(0), 8, 16, 24, 31, 31, 31, 20, 8, ...Array(9).fill(0)];
      const guest = yaws.map((yawDeg, i) => ({ who: 1, yawDeg, ...(i % 3 === 2 ? { live: null } : {}) }));
      const { device } = await readyHarness();
      expect(await answer(device, 'ticket-1', recorded(guest, 1_000 / framesPerSecond))).toBe(expected);
    },
  );
});
