import type { CoreImage } from '@svc/core';
import { describe, expect, it } from 'vitest';
import type { Box, Detection } from '../types.ts';
import { FaceSearch, tilesOf } from './search.ts';

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

  const at = (x: number, score: number): Detection => ({
    box: { x, y: 0, width: 10, height: 10 },
    keypoints: [],
    score,
  });
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
