import { type CoreImage, loadCore } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { ModelSession } from '../session.ts';
import { FakeModel } from '../testing/fake-runtime.ts';
import type { Box, Detection } from '../types.ts';
import {
  anchorCentres,
  BlazeFaceDetector,
  FaceSearch,
  fullRange,
  iou,
  shortRange,
  tilesOf,
  weightedNms,
} from './detector.ts';

const at = (x: number, score: number, width = 10): Detection => ({
  box: { x, y: 0, width, height: 10 },
  keypoints: [{ x, y: 1 }],
  score,
});

describe('iou', () => {
  it('is 1 for the same box, 0 for boxes that only touch, and the shared part otherwise', () => {
    const box = { x: 0, y: 0, width: 10, height: 10 };
    expect(iou(box, box)).toBe(1);
    expect(iou(box, { ...box, x: 10 })).toBe(0);
    expect(iou(box, { ...box, x: 5 })).toBeCloseTo(1 / 3);
  });
});

describe('weightedNms', () => {
  it('blends what overlaps the best by score, keypoints included, and keeps the best score', () => {
    const [only, ...rest] = weightedNms([at(2, 0.6), at(0, 0.9)]);
    expect(rest).toEqual([]);
    expect(only?.score).toBe(0.9);
    expect(only?.box.x).toBeCloseTo((2 * 0.6) / 1.5);
    expect(only?.keypoints[0]?.x).toBeCloseTo((2 * 0.6) / 1.5);
  });

  it('keeps apart what overlaps less than the limit, best first', () => {
    expect(weightedNms([at(0, 0.6), at(30, 0.9), at(36, 0.7)]).map((d) => d.score)).toEqual([0.9, 0.7, 0.6]);
    expect(weightedNms([at(0, 0.6), at(30, 0.9), at(36, 0.7)], 0.2).map((d) => d.score)).toEqual([0.9, 0.6]);
  });
});

describe('anchorCentres', () => {
  it('lays out the 896 anchors of the short-range and the 2,304 of the full-range model', () => {
    const short = anchorCentres(shortRange);
    expect(short.length).toBe(896 * 2);
    expect([...short.subarray(0, 6)]).toEqual([1 / 32, 1 / 32, 1 / 32, 1 / 32, 3 / 32, 1 / 32]);
    expect([...short.subarray(512 * 2, 512 * 2 + 2)]).toEqual([1 / 16, 1 / 16]);
    expect(anchorCentres(fullRange).length).toBe(2304 * 2);
  });
});

describe('BlazeFaceDetector', () => {
  const scoreOf = (p: number): number => Math.log(p / (1 - p));

  /** A model that finds one face at anchor `index`: 32 × 16 input pixels, all keypoints on the anchor. */
  function detectorWith(index: number, score: number) {
    const values = new Float32Array(896 * 16);
    values.set([0, 0, 32, 16], index * 16);
    const scores = new Float32Array(896).fill(-50);
    scores[index] = scoreOf(score);
    const model = new FakeModel({ inputLength: 128 * 128 * 3, run: () => [values, scores] });
    return { model, detector: new BlazeFaceDetector(shortRange, new ModelSession(model)) };
  }

  async function detected(
    { detector }: ReturnType<typeof detectorWith>,
    [width, height]: readonly [number, number],
    ...rest: [region?: Box, minScore?: number]
  ) {
    const core = await loadCore();
    const image = core.image({ data: new Uint8Array(width * height * 3).fill(255), width, height, channels: 3 });
    const found = await detector.detect(image, ...rest);
    image.dispose();
    return found;
  }

  it('maps boxes and keypoints from the letterboxed square back to source pixels', async () => {
    const [found, ...others] = await detected(detectorWith(0, 0.9), [640, 480]);
    // 640 / 128 = 5 source pixels per input pixel, 80 black rows above and below; the anchor is at (4, 4).
    expect(others).toEqual([]);
    expect(found?.score).toBeCloseTo(0.9);
    expect(found?.box).toEqual({ x: 20 - 80, y: 20 - 80 - 40, width: 160, height: 80 });
    expect(found?.keypoints).toHaveLength(6);
    expect(found?.keypoints[0]).toEqual({ x: 20, y: 20 - 80 });
  });

  it('searches a region alone, also one that reaches beyond the image', async () => {
    const [found] = await detected(detectorWith(0, 0.9), [64, 64], { x: -32, y: -32, width: 128, height: 128 });
    expect(found?.keypoints[2]).toEqual({ x: -32 + 4, y: -32 + 4 });
  });

  it('leaves out what scores too low, and what is not a number', async () => {
    expect(await detected(detectorWith(5, 0.49), [64, 64])).toEqual([]);
    expect(await detected(detectorWith(5, 0.49), [64, 64], undefined, 0.4)).toHaveLength(1);
    expect(await detected(detectorWith(5, Number.NaN), [64, 64])).toEqual([]);
  });

  it('gives the model bytes mapped to -1..1, black around the picture', async () => {
    const asked = detectorWith(0, 0.9);
    await detected(asked, [128, 64]);
    const input = asked.model.lastInput;
    expect(input[0]).toBe(-1);
    expect(input[64 * 128 * 3]).toBeCloseTo(1, 5);
  });
});

const covers = (tile: Box, box: Box): boolean =>
  tile.x <= box.x &&
  tile.y <= box.y &&
  tile.x + tile.width >= box.x + box.width &&
  tile.y + tile.height >= box.y + box.height;

describe('tilesOf', () => {
  it.each([
    [1280, 854],
    [854, 1280],
    [1280, 1280],
    [1280, 300],
    [641, 640],
  ])('holds every small face of a %i × %i photo whole in one tile', (width, height) => {
    const tiles = tilesOf({ width, height });
    const face = Math.max(width, height) / 8;
    expect(tiles.length).toBeLessThanOrEqual(9);
    for (let x = 0; x + face <= width; x += 37) {
      for (let y = 0; y + face <= height; y += 37) {
        expect(tiles.some((tile) => covers(tile, { x, y, width: face, height: face }))).toBe(true);
      }
    }
  });
});

describe('FaceSearch', () => {
  /** A detector that answers each call with the next list, and repeats the last one. */
  function detectorOf(...answers: (readonly Detection[])[]) {
    let calls = 0;
    const detect = async (): Promise<Detection[]> => [...(answers[Math.min(calls++, answers.length - 1)] ?? [])];
    return { detector: { detect, dispose: () => {} }, calls: () => calls };
  }

  const image = { width: 1280, height: 960 } as CoreImage;

  it('does not ask the full-range detector where the short-range one is confident', async () => {
    const far = detectorOf([at(50, 0.9)]);
    const search = new FaceSearch(detectorOf([at(0, 0.85)]).detector, far.detector);
    expect(await search.quick(image)).toEqual([at(0, 0.85)]);
    expect(far.calls()).toBe(0);
  });

  it('asks both otherwise, the full-range one first, each face once', async () => {
    const near = detectorOf([at(1, 0.6), at(30, 0.5)]).detector;
    const far = detectorOf([at(0, 0.7), at(50, 0.6)]).detector;
    expect(await new FaceSearch(near, far).quick(image)).toEqual([at(0, 0.7), at(50, 0.6), at(30, 0.5)]);
  });

  it('goes from the frame, padded too, to tiles, as far as it is asked to', async () => {
    const near = detectorOf([], [at(70, 0.6)]);
    const far = detectorOf([], [at(5, 0.9)]);
    const rounds = new FaceSearch(near.detector, far.detector).rounds(image);
    expect((await rounds.next()).value).toEqual([at(70, 0.6)]);
    expect([near.calls(), far.calls()]).toEqual([2, 1]);
    expect((await rounds.next()).value).toEqual(tilesOf(image).map(() => at(5, 0.9)));
    expect((await rounds.next()).done).toBe(true);
    expect([near.calls(), far.calls()]).toEqual([2, 1 + tilesOf(image).length]);
  });

  it('leaves out the tiles of a small picture', async () => {
    const small = { width: 320, height: 240 } as CoreImage;
    const rounds = new FaceSearch(detectorOf([]).detector, detectorOf([]).detector).rounds(small);
    expect((await rounds.next()).value).toEqual([]);
    expect((await rounds.next()).done).toBe(true);
  });
});
