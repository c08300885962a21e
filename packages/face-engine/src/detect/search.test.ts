import { describe, expect, it } from 'vitest';
import type { Box } from '../types.ts';
import { tilesOf } from './search.ts';

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
