import { describe, expect, it } from 'vitest';
import { attempt, recorded } from '../testing/device-harness.ts';
import { createFakeEngine, frameOf, type Scene } from '../testing/fake-engine.ts';
import { type WatchedFrame, watchLiveness } from './watch-liveness.ts';

const clip = (scenes: readonly Scene[]) => scenes.map((scene, i) => frameOf(scene, i * 100));
const alone = (live: number | null, yawDeg = 0): Scene => ({ heads: [{ who: 1, live, yawDeg }] });

async function watched(scenes: readonly Scene[]): Promise<{ seen: WatchedFrame[]; leftOpen: number; left: number }> {
  const engine = createFakeEngine();
  const seen: WatchedFrame[] = [];
  for await (const frame of watchLiveness({ engine, passiveLiveness: engine.passive, frames: clip(scenes) })) {
    seen.push(frame);
  }
  const left = engine.handedOut.filter(({ data }) => data.some((value) => value !== 0)).length;
  return { seen, leftOpen: engine.openImages(), left };
}

/** The results of an attempt's frames, until its verdict. */
async function attempted(scenes: readonly Scene[]): Promise<WatchedFrame[]> {
  const seen: WatchedFrame[] = [];
  await attempt(createFakeEngine(), recorded(scenes), { onFrame: (frame) => seen.push(frame) });
  return seen;
}

describe('watchLiveness', () => {
  it('gives the same numbers as an attempt, frame by frame', async () => {
    const scenes = [
      ...[0.9, 0.8, null, 0.7, 0.95, 0.9, 0.85].map((live) => alone(live)),
      ...[12, 20, 28, 31, 30].map((yawDeg) => alone(0.7, yawDeg)),
      ...[20, 8, 2, 0, 0].map((yawDeg) => alone(0.9, yawDeg)),
    ];
    const inAttempt = await attempted(scenes);
    const { seen } = await watched(scenes);
    expect(inAttempt.length).toBeGreaterThan(12);
    expect(inAttempt).toEqual(seen.slice(0, inAttempt.length));
    expect(seen.filter(({ outward }) => outward !== null).length).toBeGreaterThan(8);
  });

  it('reports zero, two and one face, and restarts with another face', async () => {
    const two: Scene = {
      heads: [
        { who: 1, x: 40 },
        { who: 2, x: 420 },
      ],
    };
    const { seen } = await watched([{ heads: [] }, two, ...Array(6).fill(alone(0.9)), { heads: [] }, alone(0.9)]);
    expect(seen.map(({ faces }) => faces)).toEqual([0, 2, 1, 1, 1, 1, 1, 1, 0, 1]);
    expect(seen.map(({ outward }) => outward !== null)).toEqual([...Array(6).fill(false), true, true, false, false]);
  });

  it('skips frames that are not later than the last, and wipes everything', async () => {
    const engine = createFakeEngine();
    let released = 0;
    const release = () => {
      released += 1;
    };
    const frames = [0, 0, 50].map((atMs) => ({ ...frameOf(alone(0.9), atMs), release }));
    let count = 0;
    for await (const _ of watchLiveness({ engine, passiveLiveness: engine.passive, frames })) count += 1;
    expect([count, released]).toEqual([2, 3]);
    const { left, leftOpen } = await watched([alone(0.9), alone(null), alone(0.2)]);
    expect([left, leftOpen]).toEqual([0, 0]);
  });
});
