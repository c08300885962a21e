import { describe, expect, it, vi } from 'vitest';
import type { Guidance } from '../../ports.ts';
import type { Advice } from './advice.ts';
import type { EngineLine } from './engine-line.ts';
import { createFrameGuide, type FrameGuideParts } from './frame-guide.ts';

const good: Advice = { hint: null, face: { x: 0.3, y: 0.2, width: 0.3, height: 0.5 } };
const video = {} as HTMLVideoElement;

/** Frames come without end; each pause advances the time by one interval. */
function setUp(look: () => Promise<Advice>, ready: Promise<void> = Promise.resolve()) {
  let nowMs = 0;
  const released = vi.fn();
  const use = vi.fn(() => ({ ready, look, review: vi.fn(), release: released }));
  const engine: EngineLine = { use, onState: () => () => undefined };
  const parts: FrameGuideParts = {
    framesOf: (_video, ended) => ({
      next: async () => (ended.aborted ? null : { data: new Uint8Array(4), width: 1, height: 1, channels: 4 }),
      dispose: () => undefined,
    }),
    now: () => nowMs,
    async pause() {
      nowMs += 120;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const guide = createFrameGuide(engine, parts);
  const seen: Guidance[] = [];
  const steady = vi.fn();
  guide.onGuidance((guidance) => seen.push(guidance));
  guide.onSteady(steady);
  return { guide, engine, seen, steady, released };
}

describe('the guide', () => {
  it('starts the engine at the first camera, and passes on its guidance', async () => {
    const { guide, engine, seen, steady, released } = setUp(async () => good);
    expect([engine.use, guide.state]).toEqual([expect.toSatisfy((use) => use.mock.calls.length === 0), 'loading']);
    const ended = new AbortController();
    guide.follow(video, ended.signal);
    await expect.poll(() => steady.mock.calls.length).toBe(1);
    expect(guide.state).toBe('running');
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
  ])('is absent where the engine %s', async (_what, look, ready) => {
    const { guide, seen, released } = setUp(look, ready());
    guide.follow(video, new AbortController().signal);
    await expect.poll(() => guide.state).toBe('absent');
    expect(released).toHaveBeenCalledOnce();
    guide.follow(video, new AbortController().signal);
    expect(seen).toEqual([]);
  });

  it('is absent if the browser has no workers', async () => {
    const { guide, engine } = setUp(async () => good);
    vi.mocked(engine.use).mockImplementation(() => {
      throw new ReferenceError('Worker is not defined');
    });
    guide.follow(video, new AbortController().signal);
    await expect.poll(() => guide.state).toBe('absent');
  });
});
