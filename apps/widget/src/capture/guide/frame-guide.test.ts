import { describe, expect, it, vi } from 'vitest';
import type { Guidance, Hint } from '../../ports.ts';
import type { Advice } from './advice.ts';
import type { EngineHost } from './engine-host.ts';
import { FrameGuide, Steadiness, steadyLimits } from './frame-guide.ts';

const good: Advice = { hint: null, face: { x: 0.3, y: 0.2, width: 0.3, height: 0.5 } };
const video = {} as HTMLVideoElement;

/** Frames come without end. */
function setUp(look: () => Promise<Advice>, ready: Promise<void> = Promise.resolve()) {
  const released = vi.fn();
  const use = vi.fn(() => ({ ready, look, review: vi.fn(), release: released }));
  const engine: Pick<EngineHost, 'use'> = { use };
  const framesOf = (_video: HTMLVideoElement, ended: AbortSignal) => ({
    next: async () => (ended.aborted ? null : { data: new Uint8Array(4), width: 1, height: 1, channels: 4 as const }),
    dispose: () => undefined,
  });
  const seen: Guidance[] = [];
  const steady = vi.fn();
  const guide = new FrameGuide(engine, { onGuidance: (guidance) => seen.push(guidance), onSteady: steady }, framesOf);
  return { guide, engine, seen, steady, released };
}

describe('the guide', () => {
  it('starts the engine at the first camera, and passes on its guidance', async () => {
    const { guide, engine, seen, steady, released } = setUp(async () => good);
    expect(engine.use).not.toHaveBeenCalled();
    const ended = new AbortController();
    guide.follow(video, ended.signal);
    await vi.waitFor(() => expect(steady).toHaveBeenCalledOnce(), 30_000);
    expect(seen[0]).toEqual({ ...good, held: 0 });
    ended.abort();
    guide.close();
    guide.close();
    expect(released).toHaveBeenCalledOnce();
  });

  it('passes on nothing of a camera that is off', async () => {
    let answer = (_: Advice): void => undefined;
    const { guide, seen } = setUp(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const ended = new AbortController();
    guide.follow(video, ended.signal);
    await new Promise((resolve) => setImmediate(resolve));
    ended.abort();
    answer(good);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
  });

  it.each([
    ['does not start', async () => good, () => Promise.reject(new Error('no WebAssembly'))],
    ['ends', () => Promise.reject(new Error('trap')), () => Promise.resolve()],
  ])('gives no advice where the engine %s', async (_what, look, ready) => {
    const { guide, engine, seen, released } = setUp(look, ready());
    guide.follow(video, new AbortController().signal);
    await vi.waitFor(() => expect(released).toHaveBeenCalledOnce());
    guide.follow(video, new AbortController().signal);
    expect(engine.use).toHaveBeenCalledOnce();
    expect(seen).toEqual([]);
  });

  it('asks no more where the browser has no workers', async () => {
    const { guide, engine } = setUp(async () => good);
    vi.mocked(engine.use).mockImplementation(() => {
      throw new ReferenceError('Worker is not defined');
    });
    for (let i = 0; i < 2; i += 1) {
      guide.follow(video, new AbortController().signal);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(engine.use).toHaveBeenCalledOnce();
  });
});

const at = (x: number, hint: Hint | null = null): Advice => ({
  hint,
  face: { x, y: 0.2, width: 0.3, height: 0.5 },
});
const still = at(0.3);

/** Feeds one result per `everyMs`. @returns the indices at which the moment came */
function moments(steadiness: Steadiness, everyMs: number, looks: readonly Advice[], fromMs = 0): number[] {
  return looks.flatMap((look, i) => (steadiness.add(look, fromMs + i * everyMs).isSteady ? [i] : []));
}

describe('steadiness', () => {
  it('comes once, after the required time and number of frames', () => {
    expect(moments(new Steadiness(), 200, Array(20).fill(still))).toEqual([steadyLimits.ms / 200]);
    // With a slow phone's frames it takes three.
    expect(moments(new Steadiness(), 1_000, Array(20).fill(still))).toEqual([steadyLimits.looks - 1]);
  });

  it('tells how much of the time is over, from nothing to all of it', () => {
    const held = (steadiness: Steadiness, looks: readonly Advice[]) =>
      looks.map((look, i) => steadiness.add(look, i * 200).guidance.held);
    expect(held(new Steadiness(), Array(6).fill(still))).toEqual([0, 0.25, 0.5, 0.75, 1, 1]);
    expect(held(new Steadiness(), [still, still, at(0.3, 'centre'), still, still])).toEqual([0, 0.25, 0, 0, 0.25]);
    // A slow phone's third frame, however late.
    const slow = new Steadiness();
    expect([0, 5_000, 10_000].map((ms) => slow.add(still, ms).guidance.held)).toEqual([0, 0.5, 1]);
  });

  it('starts over after a frame that is not good', () => {
    const looks = [still, still, still, at(0.3, 'look-straight'), still, still, still, still, still, still];
    expect(moments(new Steadiness(), 200, looks)).toEqual([8]);
    const nobody: Advice = { hint: 'no-face', face: null };
    expect(moments(new Steadiness(), 200, [still, still, nobody, still, still, still, still, still])).toEqual([7]);
  });

  it('tells a moving face to hold still, and starts over when it stops', () => {
    const steadiness = new Steadiness();
    expect(steadiness.add(at(0.3), 0).guidance.hint).toBeNull();
    expect(steadiness.add(at(0.36), 200).guidance.hint).toBe('hold-still');
    expect(moments(steadiness, 200, Array(6).fill(at(0.36)), 400)).toEqual([3]);
  });

  it('comes again after a restart', () => {
    const steadiness = new Steadiness();
    expect(moments(steadiness, 200, Array(10).fill(still))).toEqual([4]);
    steadiness.restart();
    expect(moments(steadiness, 200, Array(10).fill(still), 10_000)).toEqual([4]);
  });
});
