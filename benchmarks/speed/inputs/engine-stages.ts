import { ok } from 'node:assert/strict';
import type { PixelImage } from '@svc/core';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import type { BenchCase } from '../suite.ts';
import { oneFace, overlap } from './photo.ts';

/** The passive score of a picture; null without the add-on. @throws Error if the add-on cannot score the picture */
export async function passiveOf(
  { engine, passiveLiveness }: NodeFaceEngine,
  picture: PixelImage,
): Promise<number | null> {
  if (!passiveLiveness) return null;
  const { image, analysis } = await oneFace(engine, picture);
  const score = await passiveLiveness.score(image, analysis);
  image.dispose();
  if (score === null) throw new Error('the picture must be fit for passive liveness');
  return score;
}

/** One case per stage of the engine, on one picture with one face. */
export async function stageCases(
  label: string,
  { engine, passiveLiveness }: NodeFaceEngine,
  picture: PixelImage,
): Promise<BenchCase[]> {
  const { image, detection, analysis } = await oneFace(engine, picture);
  const reference = await engine.embed(image, analysis);
  const isUnit = (vector: Float32Array) => Math.abs(Math.hypot(...vector) - 1) < 1e-5;
  const cases: BenchCase[] = [
    {
      name: `${label}: open`,
      run: () => engine.open(picture).dispose(),
      check: () => {
        const opened = engine.open(picture);
        ok(opened.width === picture.width && opened.height === picture.height);
        opened.dispose();
      },
    },
    {
      name: `${label}: detect`,
      run: () => engine.detect(image),
      check: async () => ok((await engine.detect(image)).length === 1),
    },
    {
      name: `${label}: analyse`,
      run: () => engine.analyse(image, detection),
      check: async () => {
        const again = await engine.analyse(image, detection);
        ok(again && again.landmarks.length === 468 * 3 && again.quality.sharpness > 0);
      },
    },
    {
      name: `${label}: track`,
      run: () => engine.track(image, analysis),
      check: async () => {
        const tracked = await engine.track(image, analysis);
        ok(tracked && overlap(tracked.box, analysis.box) > 0.9);
      },
    },
    {
      name: `${label}: embed a probe`,
      run: () => engine.embed(image, analysis, { mirror: false }),
      check: async () => {
        const probe = await engine.embed(image, analysis, { mirror: false });
        ok(isUnit(probe) && engine.core.cosine(probe, reference) > engine.matchThreshold);
      },
    },
    {
      name: `${label}: embed a reference`,
      run: () => engine.embed(image, analysis),
      check: async () => {
        const again = await engine.embed(image, analysis);
        ok(isUnit(again) && engine.core.cosine(again, reference) > 0.99999);
      },
    },
  ];
  if (passiveLiveness === null) return cases;
  const passive: BenchCase = {
    name: `${label}: passive liveness`,
    run: () => passiveLiveness.score(image, analysis),
    check: async () => {
      const score = await passiveLiveness.score(image, analysis);
      ok(score !== null && score >= 0 && score <= 1);
    },
  };
  return [...cases, passive];
}
