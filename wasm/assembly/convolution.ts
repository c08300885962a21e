// Convolution with any window, stride and zero border. Maps are f32, rows of pixels, channels innermost. Windows are
// packed four pixels side by side, in the order in which the multiplication reads them. A packed block stays in the
// cache while all outputs are computed from it.

import { multiplyPanel } from './multiply-panel';

/** Interleaves `channels` floats from four addresses: [channels][4]. */
// @ts-ignore: decorator
@inline
function interleave(a0: usize, a1: usize, a2: usize, a3: usize, channels: i32, to: usize): void {
  const end = to + (<usize>channels << 4);
  const whole = to + (<usize>(channels & ~3) << 4);
  while (to < whole) {
    const r0 = v128.load(a0);
    const r1 = v128.load(a1);
    const r2 = v128.load(a2);
    const r3 = v128.load(a3);
    const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
    const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
    const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
    const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
    v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2), 0);
    v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3), 16);
    v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), 32);
    v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3), 48);
    a0 += 16;
    a1 += 16;
    a2 += 16;
    a3 += 16;
    to += 64;
  }
  while (to < end) {
    store<f32>(to, load<f32>(a0), 0);
    store<f32>(to, load<f32>(a1), 4);
    store<f32>(to, load<f32>(a2), 8);
    store<f32>(to, load<f32>(a3), 12);
    a0 += 4;
    a1 += 4;
    a2 += 4;
    a3 += 4;
    to += 16;
  }
}

/** Address of a map's pixel; `zeros` for one beyond the border. */
// @ts-ignore: decorator
@inline
export function pixelAt(x: usize, height: i32, width: i32, pixel: usize, row: i32, column: i32, zeros: usize): usize {
  const inside = <u32>row < <u32>height && <u32>column < <u32>width;
  return inside ? x + <usize>(row * width + column) * pixel : zeros;
}

/** Packs the windows of four outputs, `step` outputs apart: [height][width][channels][4]. */
function packWindows(
  x: usize,
  xHeight: i32,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  top: i32,
  left: i32,
  yWidth: i32,
  p0: i32,
  step: i32,
  zeros: usize,
  to: usize,
): void {
  const pixel = <usize>channels << 2;
  // Each of the four outputs follows the one before, or starts the next row. One division, since divisions are slow.
  const y0 = p0 / yWidth;
  const x0 = p0 - y0 * yWidth;
  const x1 = x0 + step < yWidth ? x0 + step : 0;
  const y1 = x0 + step < yWidth ? y0 : y0 + 1;
  const x2 = x1 + step < yWidth ? x1 + step : 0;
  const y2 = x1 + step < yWidth ? y1 : y1 + 1;
  const x3 = x2 + step < yWidth ? x2 + step : 0;
  const y3 = x2 + step < yWidth ? y2 : y2 + 1;
  const column0 = x0 * stride - left;
  const column1 = x1 * stride - left;
  const column2 = x2 * stride - left;
  const column3 = x3 * stride - left;
  // A window row inside the map is one contiguous run of floats.
  const first = min(min(column0, column1), min(column2, column3));
  const last = max(max(column0, column1), max(column2, column3));
  const run = first >= 0 && last + width <= xWidth ? width : 1;
  const bytes = (pixel << 2) * <usize>run;
  for (let i = 0; i < height; i++) {
    const row0 = y0 * stride - top + i;
    const row1 = y1 * stride - top + i;
    const row2 = y2 * stride - top + i;
    const row3 = y3 * stride - top + i;
    for (let j = 0; j < width; j += run) {
      const a0 = pixelAt(x, xHeight, xWidth, pixel, row0, column0 + j, zeros);
      const a1 = pixelAt(x, xHeight, xWidth, pixel, row1, column1 + j, zeros);
      const a2 = pixelAt(x, xHeight, xWidth, pixel, row2, column2 + j, zeros);
      const a3 = pixelAt(x, xHeight, xWidth, pixel, row3, column3 + j, zeros);
      interleave(a0, a1, a2, a3, channels * run, to);
      to += bytes;
    }
  }
}

/**
 * Convolves `x` (xHeight × xWidth × channels, with `top` rows and `left` columns of zeros before it) with a window of
 * `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × yChannels, a multiple of 8). `filters` holds,
 * for each eight outputs, eight weights per float of the window. `bias` has one float per output, and so has `slopes`,
 * which multiplies negative results. `residual` is 0 or a map like `y` that is added first. `rows` pixels, a multiple
 * of 4, are processed at a time in `scratch`: one window row rounded up to fours, and rows · height · width · channels
 * floats.
 */
export function convolve(
  x: usize,
  xHeight: i32,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  top: i32,
  left: i32,
  filters: usize,
  bias: usize,
  slopes: usize,
  residual: usize,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  yChannels: i32,
  scratch: usize,
  rows: i32,
): void {
  const inner = height * width * channels;
  const tile = <usize>inner << 4;
  const yPixel = <usize>yChannels << 2;
  const pixels = yHeight * yWidth;
  // Fewer than four pixels are computed singly, four times each. For more, the last tile overlaps so that it is full.
  const few = pixels < 4;
  const step = few ? 0 : 1;
  const last = few ? pixels : pixels - 4;
  const block = few ? 1 : rows;
  // One-pixel windows, one per pixel: the four of a tile are contiguous.
  const isPlain = !few && height * width * stride == 1 && xHeight == yHeight && xWidth == yWidth;
  const xPixel = <usize>channels << 2;
  const packed = scratch + (<usize>((width * channels + 3) & ~3) << 2);
  for (let at = scratch; at < packed; at += 16) v128.store(at, f32x4.splat(0));
  for (let first = 0; first < pixels; first += block) {
    const end = min(pixels, first + block);
    let to = packed;
    for (let p = first; p < end; p += 4) {
      const from = min(p, last);
      if (isPlain) {
        const a = x + <usize>from * xPixel;
        const a2 = a + 2 * xPixel;
        interleave(a, a + xPixel, a2, a2 + xPixel, channels, to);
        to += tile;
        continue;
      }
      packWindows(x, xHeight, xWidth, channels, height, width, stride, top, left, yWidth, from, step, scratch, to);
      to += tile;
    }
    let b = filters;
    for (let o: usize = 0; o < yPixel; o += 32) {
      const more = residual == 0 ? residual : residual + o;
      if (few) {
        const at = <usize>first * yPixel + o;
        multiplyPanel(packed, b, inner, bias + o, slopes + o, residual == 0 ? residual : residual + at, y + at, 0, 0, 1, 0);
      } else {
        multiplyPanel(packed, b, inner, bias + o, slopes + o, more, y + o, yPixel, first, end, last);
      }
      b += tile << 1;
    }
  }
}
