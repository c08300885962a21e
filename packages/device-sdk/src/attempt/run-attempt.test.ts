import { describe, expect, it } from 'vitest';
import { webClock, webTimers } from '../adapters/web-platform.ts';
import { recorded, visit } from '../testing/device-harness.ts';
import { createFakeEngine, fakeRecipe, frameOf, templateOf } from '../testing/fake-engine.ts';
import type { Camera } from './camera.ts';
import { runAttempt } from './run-attempt.ts';

/** A visit before a camera that wants its frames back; every third has no time of its own. */
function lending(timing: 'recorded' | 'live', onRelease: () => void) {
  const given: number[] = [];
  const released: number[] = [];
  const camera: Camera = {
    timing,
    prompt: () => undefined,
    async *frames() {
      for (const [i, head] of visit(1, 'left').entries()) {
        given.push(i);
        const release = () => {
          released.push(i);
          onRelease();
        };
        yield { ...frameOf({ heads: [head] }, i % 3 === 2 ? Number.NaN : i * 100), release };
      }
    },
  };
  return { camera, given, released };
}

const attempt = (engine: ReturnType<typeof createFakeEngine>, camera: Camera) =>
  runAttempt({
    engine,
    passiveLiveness: engine.passive,
    reference: templateOf(1),
    matchThreshold: engine.matchThreshold,
    direction: 'left',
    camera,
    clock: webClock,
    timers: webTimers,
  });

describe('an attempt gives each frame back once', () => {
  it('when the engine is done with it, or where it has no time', async () => {
    const engine = createFakeEngine();
    let looking = 0;
    const { camera, given, released } = lending('recorded', () => {
      looking += engine.openImages();
    });
    const { verdict, counts } = await attempt(engine, camera);
    expect(verdict.outcome).toBe('Match');
    expect(counts.framesDropped).toBeGreaterThan(3);
    expect(released).toEqual(given);
    expect(looking).toBe(0);
  });

  it('where newer ones replace it', async () => {
    const { camera, given, released } = lending('live', () => undefined);
    const { counts } = await attempt(createFakeEngine(), camera);
    expect(counts.framesDropped).toBeGreaterThan(0);
    expect(released.toSorted((a, b) => a - b)).toEqual(given);
  });

  it('where the engine can’t open it', async () => {
    const engine = createFakeEngine();
    const { camera, given, released } = lending('recorded', () => {
      throw new Error('not wanted');
    });
    const open = () => {
      throw new Error('no memory');
    };
    const { verdict } = await attempt({ ...engine, open }, camera);
    expect(verdict.reason).toBe('engine-failed');
    expect(released).toEqual(given);
  });
});

describe('a turned face', () => {
  /** Its cosine with the reference is 0.88 where the head is turned: below the list's threshold of 0.9. */
  const turnedMargin = (margin: number) => {
    const engine = createFakeEngine();
    return {
      ...engine,
      recipes: [{ ...fakeRecipe(), turnedMargin: margin }],
      embed: async (...[image, face]: Parameters<typeof engine.embed>) => {
        const template = await engine.embed(image, face);
        if (Math.abs(face.pose.yawDeg) >= 10) template.set([0, 0.88, Math.sqrt(1 - 0.88 ** 2)]);
        return template;
      },
    };
  };

  it.each([
    [0, 'ChallengeFailed'],
    [0.019, 'ChallengeFailed'],
    [0.021, 'Match'],
  ])('has %d off the threshold where its engine says so', async (margin, outcome) => {
    expect((await attempt(turnedMargin(margin), recorded(visit(1, 'left')))).verdict.outcome).toBe(outcome);
  });

  it('is not compared by an engine that can’t make its reference', async () => {
    const engine = { ...createFakeEngine(), recipes: [] };
    expect((await attempt(engine, recorded(visit(1, 'left')))).verdict.reason).toBe('engine-failed');
  });
});
