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

/** Copies the part of `x` that windows read, with its border of zeros, rows of `pitch` bytes. */
function copyBordered(
  x: usize,
  xHeight: i32,
  xPitch: usize,
  top: i32,
  left: usize,
  height: i32,
  pitch: usize,
  to: usize,
): void {
  memory.fill(to, 0, <usize>height * pitch);
  if (left >= pitch) return;
  const bytes = min(xPitch, pitch - left);
  for (let row = 0; row < xHeight && top + row < height; row++) {
    memory.copy(to + <usize>(top + row) * pitch + left, x + <usize>row * xPitch, bytes);
  }
}

/** Bytes of `listWindows`. */
// @ts-ignore: decorator
@inline
export function listBytes(pixels: i32): usize {
  return <usize>((pixels + 3) & ~3) << 3;
}

/**
 * Lists the pixels of an output, the last one again up to a multiple of 4: the address of its window, and its place in
 * the output, whose pixels have `yPixel` bytes. Answers how many bytes apart the rows of a window are. A map whose
 * border is read is copied to `copy`. `xPixel` is the bytes of a pixel.
 */
export function listWindows(
  x: usize,
  xHeight: i32,
  xWidth: i32,
  xPixel: usize,
  height: i32,
  width: i32,
  stride: i32,
  top: i32,
  left: i32,
  yHeight: i32,
  yWidth: i32,
  yPixel: usize,
  list: usize,
  copy: usize,
): usize {
  let pitch = <usize>xWidth * xPixel;
  const readHeight = (yHeight - 1) * stride + height;
  const readWidth = (yWidth - 1) * stride + width;
  if (top + left > 0 || readHeight > xHeight || readWidth > xWidth) {
    const xPitch = pitch;
    pitch = <usize>readWidth * xPixel;
    copyBordered(x, xHeight, xPitch, top, <usize>left * xPixel, readHeight, pitch, copy);
    x = copy;
  }
  const step = <usize>stride * xPixel;
  let place: usize = 0;
  for (let row = 0; row < yHeight; row++) {
    let window = x + <usize>(row * stride) * pitch;
    for (let column = 0; column < yWidth; column++) {
      store<u32>(list, window, 0);
      store<u32>(list, place, 4);
      window += step;
      place += yPixel;
      list += 8;
    }
  }
  for (let pixels = yHeight * yWidth; (pixels & 3) != 0; pixels++) {
    store<u64>(list, load<u64>(list - 8));
    list += 8;
  }
  return pitch;
}

/**
 * Convolves `x` (xHeight × xWidth × channels, with `top` rows and `left` columns of zeros before it) with a window of
 * `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × yChannels, a multiple of 8). `filters` holds,
 * for each eight outputs, eight weights per float of the window. `bias` has one float per output, and so has `slopes`,
 * which multiplies negative results. `residual` is 0 or a map like `y` that is added first. `rows` pixels, a multiple
 * of 4, are processed at a time in `scratch`: the list of windows, rows · height · width · channels floats, and where a
 * window reaches over the map, the part of the map that is read.
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
  const xPixel = <usize>channels << 2;
  const yPixel = <usize>yChannels << 2;
  const inner = height * width * channels;
  const tile = <usize>inner << 4;
  const packed = scratch + listBytes(yHeight * yWidth);
  const copy = packed + <usize>(rows * inner << 2);
  const pitch = listWindows(
    x, xHeight, xWidth, xPixel, height, width, stride, top, left, yHeight, yWidth, yPixel, scratch, copy,
  );
  for (let first = scratch; first < packed; first += <usize>rows << 3) {
    const end = min(packed, first + (<usize>rows << 3));
    let to = packed;
    for (let list = first; list < end; list += 32) {
      for (let row: usize = 0; row < <usize>height * pitch; row += pitch) {
        const a0 = <usize>load<u32>(list, 0) + row;
        const a1 = <usize>load<u32>(list, 8) + row;
        const a2 = <usize>load<u32>(list, 16) + row;
        interleave(a0, a1, a2, <usize>load<u32>(list, 24) + row, width * channels, to);
        to += <usize>(width * channels) << 4;
      }
    }
    let b = filters;
    for (let o: usize = 0; o < yPixel; o += 32) {
      multiplyPanel(packed, b, inner, bias + o, slopes + o, residual, first, end, y, o);
      b += tile << 1;
    }
  }
}
