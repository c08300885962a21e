import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenEngine, openEngine } from '@svc/benchmarks/inputs/engine';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import type { PixelImage } from '@svc/core';
import { createFaceAnalyser, type FaceAnalyser, facesIn, wipeAnalysis } from '@svc/face-engine';
import { encodeJpeg, type HeadOptions, identitySeed, renderHead } from '@svc/synthetic-faces';
import { adviceOf, lightOf } from '@svc/widget/guidance';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';

const wantsAll = process.env.SVC_TEST_WIDGET_ALL === '1';
const portraits = sharedData('data', 'faces', 'congress-portraits', 'images');
if (portraits === null) console.log('public portraits: skipped: no ../shared');

let node: OpenEngine;
let analyser: FaceAnalyser;
beforeAll(async () => {
  node = await openEngine({ addOnDirectory: null });
  analyser = await createFaceAnalyser({ core: node.engine.core, runtime: node.runtime, bundle: node.bundle });
  return () => {
    analyser.dispose();
    node.close();
  };
});

async function pixelsOf(photo: Uint8Array, longestSidePx: number): Promise<PixelImage> {
  const size = { width: longestSidePx, height: longestSidePx, fit: 'inside', withoutEnlargement: true } as const;
  const upright = sharp(photo).autoOrient().resize(size).toColourspace('srgb').removeAlpha();
  const { data, info } = await upright.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3 };
}

/** The page's advice for the frame, which it sees at a small size. */
async function hintOf(photo: Uint8Array): Promise<string | null> {
  const frame = await pixelsOf(photo, 640);
  const image = analyser.open(frame);
  const faces = await facesIn(analyser, image);
  const { hint } = adviceOf({ width: frame.width, height: frame.height, light: lightOf(frame), faces });
  faces.forEach(wipeAnalysis);
  image.dispose();
  return hint;
}

/** The service's result for the photo at full size. */
async function refusalOf(photo: Uint8Array): Promise<string | null> {
  const result = await node.engine.enrol(await pixelsOf(photo, 1280));
  return result.ok ? null : result.reason;
}

const render = async (head: HeadOptions): Promise<Uint8Array> =>
  encodeJpeg(renderHead({ width: 960, height: 720, ...head }), 92);

const WHOLE_MS = 600_000;

/** Poses of guests; the first one is good. */
const stances: readonly Partial<HeadOptions>[] = [
  { distance: 1.25 },
  { distance: 1.7, yawDeg: 12, centreX: 0.44 },
  { distance: 0.9, pitchDeg: -12, rollDeg: 10 },
  { distance: 1.4, yawDeg: -24 },
];

describe('a face that the guidance calls good', () => {
  it('is accepted, for every guest and pose; and every guest in a good pose is called good', {
    timeout: WHOLE_MS,
  }, async () => {
    const wrong: string[] = [];
    for (let person = 0; person < (wantsAll ? 30 : 2); person += 1) {
      for (const [i, stance] of stances.entries()) {
        const photo = await render({ seed: identitySeed(person), noiseSeed: person, ...stance });
        const hint = await hintOf(photo);
        if (i === 0 && hint !== null) wrong.push(`person ${person}: ${hint}`);
        const refusal = hint === null ? await refusalOf(photo) : null;
        if (refusal !== null) wrong.push(`person ${person}, stance ${i}: ${refusal}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.skipIf(portraits === null)('is accepted of public portraits', { timeout: WHOLE_MS }, async () => {
    const files = readdirSync(portraits ?? '').filter((name) => name.endsWith('.jpg'));
    let good = 0;
    for (const name of files.filter((_, i) => i % (wantsAll ? 1 : 50) === 0)) {
      const photo = readFileSync(join(portraits ?? '', name));
      if ((await hintOf(photo)) !== null) continue;
      good += 1;
      expect([name, await refusalOf(photo)]).toEqual([name, null]);
    }
    expect(good).toBeGreaterThan(wantsAll ? 400 : 5);
  });
});
