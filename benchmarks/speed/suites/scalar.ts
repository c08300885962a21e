import { deepEqual, equal, ok } from 'node:assert/strict';
import { type FaceAnalysis, trialFrame, wipeAnalysis } from '@svc/face-engine';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { floatNetworks, openEngineOf } from '../../inputs/engine.ts';
import { attempt, plan } from '../../research/liveness/campaign.ts';
import { benchEngine, withoutAddOn } from '../inputs/engines.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

/** As many as a device measures itself by: all tracked and scored, every second one compared. */
const FRAMES = 4;

/** @returns how many were compared */
async function attemptFrames({ engine, passiveLiveness }: NodeFaceEngine): Promise<number> {
  let before: FaceAnalysis | null = null;
  let compared = 0;
  for (let i = 0; i < FRAMES; i++) {
    const image = engine.open(trialFrame());
    const face: FaceAnalysis | null = before
      ? await engine.track(image, before)
      : await engine.detect(image).then(([found]) => (found ? engine.analyse(image, found) : null));
    if (face) await passiveLiveness?.score(image, face);
    if (face && i % 2 === 1) compared += (await engine.embed(image, face, { mirror: false })).length;
    image.dispose();
    if (before) wipeAnalysis(before);
    before = face;
  }
  if (before) wipeAnalysis(before);
  return compared / engine.dimension;
}

/** How whole attempts of this many rendered people end. */
async function endsOf({ engine, passiveLiveness }: NodeFaceEngine, people: number): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  const planned = plan({ live: people, replays: 0, each: 0 }, ['staffed']).filter(({ place }) => place === 'far');
  for (const one of planned) if (passiveLiveness) ends.push((await attempt(one, engine, passiveLiveness))?.verdict);
  return ends;
}

/** The core with WebAssembly SIMD beside the one without. */
export const createSuite: SuiteFactory = async (scale) => {
  const [simd, scalar] = [await benchEngine('simd'), await benchEngine('scalar')];
  const floats = await openEngineOf(await floatNetworks(), { kind: 'scalar' });
  const people = scale === 'full' ? 4 : 1;
  const [fast, slow, slowest] = ['with SIMD', 'without SIMD', 'without SIMD, in floats'] as const;
  const framesCase = (name: string, loaded: NodeFaceEngine): BenchCase => ({
    name,
    run: () => attemptFrames(loaded),
    // What is timed must work.
    async check() {
      equal(await attemptFrames(loaded), FRAMES / 2);
      if (loaded !== scalar) return;
      const ends = await endsOf(scalar, people);
      deepEqual(ends, await endsOf(simd, people));
      ok(ends.length === 0 || JSON.stringify(ends[0]).includes('Match'));
    },
  });
  return {
    title: 'The core without SIMD',
    about: `Each case processes the ${FRAMES} frames with which a device measures its own speed. Before timing, attempts of ${people} rendered people must end in the same way with and [without WebAssembly SIMD](core.md#without-simd).`,
    cases: [framesCase(fast, simd), framesCase(slow, scalar), framesCase(slowest, floats)],
    ratios: [
      { name: 'without SIMD: integers over floats', fast: slow, slow: slowest, atLeast: 1 },
      { name: 'with SIMD over without', fast, slow },
    ],
    figures: [
      {
        name: 'frames a second',
        text: (medianMs) =>
          [fast, slow, slowest].map((name) => `${((1000 * FRAMES) / medianMs(name)).toFixed(1)} ${name}`).join('; '),
      },
    ],
    rounds: 11,
    batchMs: 100,
    skipped: scalar.passiveLiveness === null ? [withoutAddOn] : [],
    async close() {
      floats.close();
      for (const engine of [simd, scalar]) await engine.close();
    },
  };
};
