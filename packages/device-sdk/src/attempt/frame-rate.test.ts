import { beforeEach, describe, expect, it } from 'vitest';
import { webClock, webTimers } from '../platform/platform.ts';
import { createHarness, type Harness, readyDevice, recorded, visit } from '../testing/device-harness.ts';
import { createFakeEngine, type FakeEngine, frameOf, type Head, templateOf } from '../testing/fake-engine.ts';
import { MIN_FRAMES_PER_SECOND } from '../verification/policy.ts';
import type { Camera } from './camera.ts';
import { measureFrameRate } from './engine-preparation.ts';
import { runAttempt } from './run-attempt.ts';

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
    costMs = 50;
    await device.syncAsync();
    await expect.poll(() => device.status()).toMatchObject({ ready: true, notReady: null, framesPerSecond: 20 });
    expect(told).toContain(20);
  });
});

/** Somebody who does as asked, at a device that looks at so many frames a second. */
interface Guest {
  readonly framesPerSecond: number;
  readonly reactionMs: number;
  readonly degPerS: number;
  /** Every so many frames one cannot be scored; 0: all can. */
  readonly unscorableEvery: number;
  /** How far every other frame is late, as a share of the time between two. */
  readonly lateness: number;
}

/** Turned a little further than asked. */
const REACH_DEG = 31;
const STEP_MS = 10;

/** A camera whose frames come as fast as the device can look at them; a prompt is seen one frame after its cause. */
function pacedCamera({ framesPerSecond, reactionMs, degPerS, unscorableEvery, lateness }: Guest): Camera {
  const betweenMs = 1_000 / framesPerSecond;
  let [nowMs, frameMs, yawDeg] = [0, 0, 0];
  let asked = { yawDeg: 0, fromMs: 0 };
  return {
    timing: 'recorded',
    prompt({ key, direction }) {
      const wanted = key === 'turn-head' ? (direction === 'left' ? REACH_DEG : -REACH_DEG) : 0;
      if (wanted !== asked.yawDeg) asked = { yawDeg: wanted, fromMs: frameMs + betweenMs + reactionMs };
    },
    async *frames() {
      for (let i = 0; i * betweenMs < 11_000; i += 1) {
        frameMs = (i + (i % 2) * lateness) * betweenMs;
        for (; nowMs < frameMs; nowMs += STEP_MS) {
          const step = (degPerS * STEP_MS) / 1_000;
          if (nowMs >= asked.fromMs) yawDeg += Math.max(-step, Math.min(step, asked.yawDeg - yawDeg));
        }
        const isUnscorable = unscorableEvery > 0 && i % unscorableEvery === unscorableEvery - 1;
        const head: Head = { who: 1, yawDeg: Math.round(yawDeg), ...(isUnscorable ? { live: null } : {}) };
        yield frameOf({ heads: [head] }, frameMs);
      }
    },
  };
}

/** @returns how many of the guests are let in, and how many there are */
async function letIn(framesPerSecond: number, unscorable: readonly number[]): Promise<readonly [number, number]> {
  let [matches, guests] = [0, 0];
  for (const reactionMs of [300, 1_000]) {
    for (const degPerS of [30, 90]) {
      for (const unscorableEvery of unscorable) {
        for (const lateness of [0, 0.4]) {
          const engine = createFakeEngine();
          const { verdict } = await runAttempt({
            engine,
            passiveLiveness: engine.passive,
            reference: templateOf(1),
            engineId: engine.engineId,
            matchThreshold: engine.matchThreshold,
            direction: guests % 2 === 0 ? 'left' : 'right',
            camera: pacedCamera({ framesPerSecond, reactionMs, degPerS, unscorableEvery, lateness }),
            clock: webClock,
            timers: webTimers,
          });
          guests += 1;
          if (verdict.outcome === 'Match') matches += 1;
        }
      }
    }
  }
  return [matches, guests];
}

// docs/liveness.md, «How many frames».
describe('the least frame rate', () => {
  it('lets in everybody who does as asked, slow people and frames that cannot be scored included', async () => {
    expect(await letIn(MIN_FRAMES_PER_SECOND, [0, 5, 3])).toEqual([24, 24]);
  });

  it('is not far from where nobody gets in, however well seen', async () => {
    expect(await letIn(MIN_FRAMES_PER_SECOND / 2, [0])).toEqual([0, 8]);
    const [matches, guests] = await letIn(2, [3]);
    expect(matches).toBeLessThan(guests);
  });
});
