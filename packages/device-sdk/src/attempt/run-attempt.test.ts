import { describe, expect, it } from 'vitest';
import { type LightColour, lightPalette, restingLight } from '../light/colours.ts';
import { attempt, recorded, visit } from '../testing/device-harness.ts';
import { createFakeEngine, fakeRecipe, frameOf } from '../testing/fake-engine.ts';
import type { Camera } from './camera.ts';

/** A visit with a camera that reclaims its frames; every third has no timestamp. */
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

describe('an attempt gives each frame back once', () => {
  it('when the engine is done with it, or if it has no timestamp', async () => {
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

it('ends after six seconds of an empty view, having asked for the person after three', async () => {
  const prompts: string[] = [];
  const empty = recorded(Array.from({ length: 99 }, () => ({ heads: [] })));
  const camera: Camera = { ...empty, prompt: ({ key, remainingMs }) => void prompts.push(`${key} ${remainingMs}`) };
  const still = { wallMs: () => 0, monotonicMs: () => 0 };
  const { verdict, timings } = await attempt(createFakeEngine(), camera, { clock: still });
  expect(verdict).toEqual({ outcome: 'NoFace', reason: 'no-face' });
  expect(timings.attemptMs).toBe(6_000);
  expect(prompts).toContain('step-into-view 7000');
});

it.each([
  [1_900, 'Match/verified'],
  [2_000, 'ChallengeFailed/not-looked-back'],
])('ends the window of a live camera also where each embedding holds it up for %i ms', async (ms, expected) => {
  const engine = createFakeEngine();
  let [nowMs, opened] = [0, 0];
  const busy: typeof engine = {
    ...engine,
    embed: (...asked) => {
      nowMs += ms;
      return engine.embed(...asked);
    },
    open: (pixels) => {
      opened += 1;
      return engine.open(pixels);
    },
  };
  // Each frame arrives while the previous one is processed, so that none is skipped.
  const frames = async function* (signal: AbortSignal) {
    let given = 0;
    for await (const frame of recorded(visit(1, 'left')).frames(signal)) {
      yield frame;
      given += 1;
      while (opened < given && !signal.aborted) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
  const { verdict } = await attempt(busy, { frames, prompt: () => undefined }, { clock });
  expect(`${verdict.outcome}/${verdict.reason}`).toBe(expected);
});

describe('where nobody watches', () => {
  const drawLight = () =>
    [0, 1, 2, 3, 0, 2, 1].map((i) => ({ colour: lightPalette[i] as LightColour, durationMs: 370 }));
  /** An attempt of a person whose frames are black and answer no light, and the colours that were shown. */
  async function alone(heads: Parameters<typeof recorded>[0], over: Partial<Camera> = {}) {
    const shown: string[] = [];
    const light = {
      show: (colour: LightColour | null) => {
        shown.push(colour === null ? 'end' : colour === restingLight ? 'rest' : 'colour');
      },
    };
    const { prompts, ...camera } = recorded(heads);
    const own = { ...camera, origin: 'device' as const, light, ...over };
    const { verdict, ...report } = await attempt(createFakeEngine(), own, { attendance: 'unattended', drawLight });
    return { ...report, verdict: `${verdict.outcome}/${verdict.reason}`, shown, prompts };
  }
  const unlit = { light: undefined } as unknown as Partial<Camera>;

  it.each(['unknown', undefined] as const)('a camera of origin %s is not started, nor shown', async (origin) => {
    const over = { origin, frames: () => expect.unreachable() } as Partial<Camera>;
    const { verdict, prompts, shown } = await alone([], over);
    expect([verdict, prompts.map(({ key }) => key)]).toEqual(['LivenessFailed/camera-unproven', ['finished']]);
    expect(shown).toEqual([]);
  });

  it('a camera that turns out not to be a real one ends it', async () => {
    let origin: 'device' | 'unknown' = 'device';
    async function* frames() {
      yield frameOf({ heads: [{ who: 1 }] }, 0);
      origin = 'unknown';
      yield frameOf({ heads: [{ who: 1 }] }, 100);
    }
    const camera: Camera = {
      timing: 'recorded',
      prompt: () => undefined,
      frames,
      get origin() {
        return origin;
      },
    };
    const { verdict, counts } = await attempt(createFakeEngine(), camera, { attendance: 'unattended' });
    expect([verdict.reason, counts.framesAnalysed]).toEqual(['camera-unproven', 1]);
  });

  it.each([
    ['near', { width: 300 }, 'LivenessFailed/too-little-room'],
    ['not surely live', { evidence: 0.6 }, 'LivenessFailed/not-surely-live'],
    ['surely an attack', { evidence: 0 }, 'LivenessFailed/not-surely-live'],
  ])('without a light, a person who is %s is not let in', async (_what, over, expected) => {
    const { verdict, counts } = await alone(visit(1, 'left', over), unlit);
    expect([verdict, counts.embeddings]).toEqual([expected, 0]);
  });

  it('the light begins while a face is scored, and has to be answered', async () => {
    const { verdict, timings, shown, prompts } = await alone(
      Array.from({ length: 99 }, () => ({ who: 1, width: 300 })),
    );
    expect([verdict, timings.frontalMs]).toEqual(['LivenessFailed/light-not-held', 400]);
    expect(shown.filter((what) => what === 'colour')).toHaveLength(2 * 7);
    const lit = prompts.filter(({ light }) => light === true);
    expect(lit.some(({ progress }) => progress < 0.25)).toBe(true);
    expect(lit.some(({ hint }) => hint === 'step-back')).toBe(false);
  });
});

describe('a turned face', () => {
  /** The cosine with the reference is 0.88 for the turned head, below the list's threshold of 0.9. */
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
});

describe('several frames of a face', () => {
  /** A person whose frames have a cosine of 0.88 with the reference, and of 0.83 with each other. */
  const blurred = (frames: { embedded: number }, whoAt: (frame: number) => 'person' | 'other' = () => 'person') => {
    const engine = createFakeEngine();
    return {
      ...engine,
      recipes: [{ ...fakeRecipe(), turnedMargin: 0.08 }],
      embed: async (...[image, face]: Parameters<typeof engine.embed>) => {
        const template = await engine.embed(image, face);
        const noise = 2 + (frames.embedded % 5);
        template.fill(0);
        template[whoAt(frames.embedded) === 'person' ? 1 : 0] = 0.88;
        template[7] = 0.24;
        template[noise] = Math.sqrt(1 - 0.88 ** 2 - 0.24 ** 2);
        frames.embedded += 1;
        return template;
      },
    };
  };
  const standing = recorded(Array.from({ length: 60 }, () => ({ who: 1 })));

  it('match together although none matches alone', async () => {
    const frames = { embedded: 0 };
    const { verdict, timings } = await attempt(blurred(frames), standing);
    expect(verdict).toMatchObject({ outcome: 'ChallengeFailed', reason: 'turn-not-made' });
    expect(frames.embedded).toBe(2);
    // The first match after 400 ms and five scored frames, the next 300 ms later.
    expect(timings.frontalMs).toBe(700);
  });

  it('are wiped when the attempt ends, and when the face is lost', async () => {
    const handed: Float32Array[] = [];
    const keeping = (engine: ReturnType<typeof blurred>) => ({
      ...engine,
      embed: async (...o: Parameters<typeof engine.embed>) => {
        const template = await engine.embed(...o);
        handed.push(template);
        return template;
      },
    });
    const isWiped = (template: Float32Array) => template.every((value) => value === 0);
    await attempt(keeping(blurred({ embedded: 0 }, () => 'other')), standing);
    expect(handed).toHaveLength(8);
    expect(handed.every(isWiped)).toBe(true);
    handed.length = 0;
    let whileGone: boolean | null = null;
    const leaving: Camera = {
      timing: 'recorded',
      prompt: () => undefined,
      async *frames() {
        for (let i = 0; i < 40; i += 1) {
          // The previous frame is processed when the one after the next is requested.
          if (i === 18) whileGone = handed.length > 0 && handed.every(isWiped);
          yield frameOf({ heads: i < 12 ? [{ who: 1 }] : [] }, i * 100);
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
    await attempt(keeping(blurred({ embedded: 0 }, () => 'other')), leaving);
    expect(whileGone).toBe(true);
  });
});
