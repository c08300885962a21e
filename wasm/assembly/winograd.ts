// Convolution with a 3×3 window, stride 1 and one pixel of zeros around the map, by Winograd's F(2×2, 3×3) (A. Lavin,
// S. Gray, «Fast Algorithms for Convolutional Neural Networks», 2016): 2×2 outputs from a 4×4 input tile, with 16
// products instead of 36. Each of a tile's 16 transformed positions is a matrix product over tiles and channels.

import { multiply4x8 } from './multiply-panel';

// @ts-ignore: decorator
@inline
function take(address: usize, inside: bool): v128 {
  return inside ? v128.load(address) : f32x4.splat(0);
}

/** Writes one row of a tile times B: four values, `plane` bytes apart. */
// @ts-ignore: decorator
@inline
function putRow(v: usize, plane: usize, d0: v128, d1: v128, d2: v128, d3: v128): void {
  v128.store(v, f32x4.sub(d0, d2));
  v128.store(v + plane, f32x4.add(d1, d2));
  v128.store(v + 2 * plane, f32x4.sub(d2, d1));
  v128.store(v + 3 * plane, f32x4.sub(d1, d3));
}

/** Bᵀ·d·B of the tiles in rows `first` … `end` − 1, to v[16][tile][channel]. */
function transformInput(
  x: usize,
  height: i32,
  width: i32,
  channels: i32,
  v: usize,
  plane: usize,
  first: i32,
  end: i32,
): void {
  const pixel = <usize>channels << 2;
  const pitch = <usize>width * pixel;
  const columns = (width + 1) >> 1;
  for (let row = first; row < end; row++) {
    const top = row > 0;
    const lower = 2 * row + 1 < height;
    const bottom = 2 * row + 2 < height;
    for (let column = 0; column < columns; column++) {
      const left = column > 0;
      const right = 2 * column + 1 < width;
      const outer = 2 * column + 2 < width;
      const corner = x + <usize>(2 * row - 1) * pitch + <usize>(2 * column - 1) * pixel;
      for (let c: usize = 0; c < pixel; c += 16) {
        let d = corner + c;
        const d00 = take(d, top && left);
        const d01 = take(d + pixel, top);
        const d02 = take(d + 2 * pixel, top && right);
        const d03 = take(d + 3 * pixel, top && outer);
        d += pitch;
        const d10 = take(d, left);
        const d11 = v128.load(d + pixel);
        const d12 = take(d + 2 * pixel, right);
        const d13 = take(d + 3 * pixel, outer);
        d += pitch;
        const d20 = take(d, lower && left);
        const d21 = take(d + pixel, lower);
        const d22 = take(d + 2 * pixel, lower && right);
        const d23 = take(d + 3 * pixel, lower && outer);
        d += pitch;
        const d30 = take(d, bottom && left);
        const d31 = take(d + pixel, bottom);
        const d32 = take(d + 2 * pixel, bottom && right);
        const d33 = take(d + 3 * pixel, bottom && outer);
        let to = v + c;
        putRow(to, plane, f32x4.sub(d00, d20), f32x4.sub(d01, d21), f32x4.sub(d02, d22), f32x4.sub(d03, d23));
        to += 4 * plane;
        putRow(to, plane, f32x4.add(d10, d20), f32x4.add(d11, d21), f32x4.add(d12, d22), f32x4.add(d13, d23));
        to += 4 * plane;
        putRow(to, plane, f32x4.sub(d20, d10), f32x4.sub(d21, d11), f32x4.sub(d22, d12), f32x4.sub(d23, d13));
        to += 4 * plane;
        putRow(to, plane, f32x4.sub(d10, d30), f32x4.sub(d11, d31), f32x4.sub(d12, d32), f32x4.sub(d13, d33));
      }
      v += pixel;
    }
  }
}

/** m[tile][output] = v[tile][channel] · u, for a multiple of four tiles. */
function multiplyPlane(v: usize, u: usize, m: usize, tiles: i32, channels: i32, outputs: i32): void {
  const vTile = <usize>channels << 2;
  const mTile = <usize>outputs << 2;
  for (let o: usize = 0; o < mTile; o += 32) {
    let from = v;
    let to = m + o;
    for (let i = 0; i < tiles; i += 4) {
      multiply4x8(
        from,
        from + vTile,
        from + 2 * vTile,
        from + 3 * vTile,
        vTile,
        u,
        to,
        to + mTile,
        to + 2 * mTile,
        to + 3 * mTile,
      );
      from += 4 * vTile;
      to += 4 * mTile;
    }
    u += vTile << 3;
  }
}

/** First of the two sums of a row times A. */
// @ts-ignore: decorator
@inline
function evenSum(m: usize, plane: usize): v128 {
  return f32x4.add(f32x4.add(v128.load(m), v128.load(m + plane)), v128.load(m + 2 * plane));
}

// @ts-ignore: decorator
@inline
function oddSum(m: usize, plane: usize): v128 {
  return f32x4.sub(f32x4.sub(v128.load(m + plane), v128.load(m + 2 * plane)), v128.load(m + 3 * plane));
}

/** Writes the outputs that lie inside the map. */
// @ts-ignore: decorator
@inline
function put(y: usize, residual: usize, at: usize, value: v128, floor: v128, inside: bool): void {
  if (!inside) return;
  const sum = residual == 0 ? value : f32x4.add(value, v128.load(residual + at));
  v128.store(y + at, f32x4.pmax(sum, floor));
}

/** Aᵀ·m·A of the tiles in rows `first` … `end` − 1, plus bias and residual, clamped to at least `floor`. */
function transformOutput(
  m: usize,
  plane: usize,
  bias: usize,
  residual: usize,
  floor: v128,
  y: usize,
  height: i32,
  width: i32,
  channels: i32,
  first: i32,
  end: i32,
): void {
  const pixel = <usize>channels << 2;
  const pitch = <usize>width * pixel;
  const columns = (width + 1) >> 1;
  for (let row = first; row < end; row++) {
    const lower = 2 * row + 1 < height;
    for (let column = 0; column < columns; column++) {
      const right = 2 * column + 1 < width;
      const corner = <usize>(2 * row) * pitch + <usize>(2 * column) * pixel;
      for (let c: usize = 0; c < pixel; c += 16) {
        const b = v128.load(bias + c);
        let from = m + c;
        const e0 = evenSum(from, plane);
        const o0 = oddSum(from, plane);
        from += 4 * plane;
        const e1 = evenSum(from, plane);
        const o1 = oddSum(from, plane);
        from += 4 * plane;
        const e2 = evenSum(from, plane);
        const o2 = oddSum(from, plane);
        from += 4 * plane;
        const e3 = evenSum(from, plane);
        const o3 = oddSum(from, plane);
        const at = corner + c;
        const even = f32x4.add(b, f32x4.add(f32x4.add(e0, e1), e2));
        const odd = f32x4.add(b, f32x4.add(f32x4.add(o0, o1), o2));
        put(y, residual, at, even, floor, true);
        put(y, residual, at + pixel, odd, floor, right);
        const evenBelow = f32x4.add(b, f32x4.sub(f32x4.sub(e1, e2), e3));
        const oddBelow = f32x4.add(b, f32x4.sub(f32x4.sub(o1, o2), o3));
        put(y, residual, at + pitch, evenBelow, floor, lower);
        put(y, residual, at + pitch + pixel, oddBelow, floor, lower && right);
      }
      m += pixel;
    }
  }
}

/**
 * Convolves `x` (height × width × channels, a multiple of 4) to `y` (height × width × outputs, a multiple of 8).
 * `filters` holds the transformed filters as [16][outputs / 8][channels][8]; `residual`, if not 0, is added before the
 * floor. `rows` rows of tiles are processed at a time in `scratch`: 16 · tiles · (channels + outputs) floats, tiles
 * rounded up to a multiple of 4.
 */
export function convolveWinograd(
  x: usize,
  height: i32,
  width: i32,
  channels: i32,
  filters: usize,
  bias: usize,
  residual: usize,
  floor: f32,
  y: usize,
  outputs: i32,
  scratch: usize,
  rows: i32,
): void {
  const columns = (width + 1) >> 1;
  const all = (height + 1) >> 1;
  const most = (rows * columns + 3) & ~3;
  const vPlane = <usize>(most * channels) << 2;
  const mPlane = <usize>(most * outputs) << 2;
  const uPlane = <usize>(channels * outputs) << 2;
  const m = scratch + 16 * vPlane;
  for (let first = 0; first < all; first += rows) {
    const end = min(all, first + rows);
    const tiles = ((end - first) * columns + 3) & ~3;
    transformInput(x, height, width, channels, scratch, vPlane, first, end);
    for (let i: usize = 0; i < 16; i++) {
      multiplyPlane(scratch + i * vPlane, filters + i * uPlane, m + i * mPlane, tiles, channels, outputs);
    }
    transformOutput(m, mPlane, bias, residual, f32x4.splat(floor), y, height, width, outputs, first, end);
  }
}
