// Affine warps with area-averaging resampling. A target pixel is the mean of the source over its footprint, which is at
// least one source pixel; over exactly one pixel the mean equals bilinear interpolation.
// - Axis-aligned transforms: the exact mean, from the lengths that the footprint covers of each source row and column.
// - Others: the mean of a grid of bilinear samples; the caller sets their number along each footprint edge.
// Positions are fixed-point or f64; pixel arithmetic is exact or f32, in the order written. Results are bit-identical
// on all platforms.

/** Outside the source: its nearest pixel; otherwise black. */
const FLAG_EDGE = 1;
/** Target of RGB bytes, rounded half up; otherwise RGB f32, scaled. */
const FLAG_BYTES = 2;
/** Target of these bytes' luma, Rec. 601. */
const FLAG_LUMA = 4;

/** Bytes of a target pixel, which tell its format. */
function pixelBytesOf(flags: i32): usize {
  if ((flags & FLAG_LUMA) != 0) return 1;
  return (flags & FLAG_BYTES) != 0 ? 3 : 12;
}

/** Expands `pixels` RGB pixels at `rgb` to RGBA at `rgba`. The two may overlap if both end at the same address. */
export function expandRgb(rgb: usize, rgba: usize, pixels: i32): void {
  for (let i = 0; i < pixels; i++) {
    const r = <u32>load<u8>(rgb, 0);
    const g = <u32>load<u8>(rgb, 1);
    const b = <u32>load<u8>(rgb, 2);
    store<u32>(rgba, r | (g << 8) | (b << 16) | 0xff000000);
    rgb += 3;
    rgba += 4;
  }
}

// @ts-ignore: decorator
@inline
function pixelAt(address: usize): v128 {
  const bytes = v128.load32_zero(address);
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(bytes)));
}

// A sample's position is rounded to 1/128 of a pixel, so the weights of its four pixels are integers with the sum 2^14
// and samples are exact.
const FRACTION_BITS: i64 = 7;
const ONE: i32 = 1 << 7;
const WHOLE: i32 = ONE * ONE;

/** Half of a position's unit, in fixed-point: added once, so that rounding is a shift. */
const HALF_UNIT: i64 = 1 << (31 - FRACTION_BITS);

// @ts-ignore: decorator
@inline
function fractionOf(position: i64): i32 {
  return <i32>(<u32>position >> <u32>(32 - FRACTION_BITS));
}

/** Weighted sum of two adjacent pixels: `weights` holds the left weight in the lower half of each lane. */
// @ts-ignore: decorator
@inline
function pairInside(address: usize, weights: i32): v128 {
  const pair = i8x16.swizzle(
    v128.load64_zero(address),
    i8x16(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1),
  );
  return i32x4.dot_i16x8_s(pair, i32x4.splat(weights));
}

/** `WHOLE` times the bilinear sample whose four pixels are all inside. */
// @ts-ignore: decorator
@inline
function sampleInside(source: usize, width: i32, x: i64, y: i64): v128 {
  const address = source + ((<usize>(y >> 32) * <usize>width + <usize>(x >> 32)) << 2);
  const right = fractionOf(x);
  // The weights of a row's two pixels, one in each half.
  const row = (right << 16) | (ONE - right);
  const below = fractionOf(y);
  return i32x4.add(
    pairInside(address, row * (ONE - below)),
    pairInside(address + (<usize>width << 2), row * below),
  );
}

/** The pixel times `weight`; outside the source its nearest pixel or black. */
function pixelAround(source: usize, width: i32, height: i32, x: i64, y: i64, weight: i32, edge: bool): v128 {
  const column = max<i64>(0, min<i64>(<i64>width - 1, x));
  const row = max<i64>(0, min<i64>(<i64>height - 1, y));
  if (!edge && (column != x || row != y)) return f32x4.splat(0);
  return f32x4.mul(pixelAt(source + ((<usize>row * <usize>width + <usize>column) << 2)), f32x4.splat(<f32>weight));
}

/** `sampleInside` for any position. */
function sampleAround(source: usize, width: i32, height: i32, x: i64, y: i64, edge: bool): v128 {
  const right = fractionOf(x);
  const below = fractionOf(y);
  const column = x >> 32;
  const row = y >> 32;
  let sum = pixelAround(source, width, height, column, row, (ONE - right) * (ONE - below), edge);
  sum = f32x4.add(sum, pixelAround(source, width, height, column + 1, row, right * (ONE - below), edge));
  sum = f32x4.add(sum, pixelAround(source, width, height, column, row + 1, (ONE - right) * below, edge));
  sum = f32x4.add(sum, pixelAround(source, width, height, column + 1, row + 1, right * below, edge));
  return i32x4.trunc_sat_f32x4_s(sum);
}

/**
 * Writes a pixel. The float variant writes one float more, which the next pixel overwrites: columns go from left to
 * right.
 */
// @ts-ignore: decorator
@inline
function put(address: usize, value: v128, pixelBytes: usize, scale: v128, offset: v128): void {
  if (pixelBytes != 12) {
    const whole = i32x4.trunc_sat_f32x4_s(f32x4.add(value, f32x4.splat(0.5)));
    const r = min<u32>(255, i32x4.extract_lane(whole, 0));
    const g = min<u32>(255, i32x4.extract_lane(whole, 1));
    const b = min<u32>(255, i32x4.extract_lane(whole, 2));
    if (pixelBytes == 1) {
      store<u8>(address, (77 * r + 150 * g + 29 * b + 128) >> 8);
      return;
    }
    store<u8>(address, r, 0);
    store<u8>(address, g, 1);
    store<u8>(address, b, 2);
    return;
  }
  v128.store(address, f32x4.add(f32x4.mul(value, scale), offset));
}

// @ts-ignore: decorator
@inline
function toFixed(value: f64): i64 {
  return <i64>nearest<f64>(value * 4294967296.0);
}

/** How many more pixels stay within [low, high), from a position in it. */
// @ts-ignore: decorator
@inline
function stepsInside(position: i64, step: i64, low: i64, high: i64): i64 {
  if (step > 0) return (high - 1 - position) / step;
  return step < 0 ? (position - low) / -step : i32.MAX_VALUE;
}

// Steps from sample to sample along both edges of a footprint, set by `warpGrid`.
let acrossX: i64 = 0;
let acrossY: i64 = 0;
let downX: i64 = 0;
let downY: i64 = 0;

/** Sum of a pixel's samples, times `WHOLE`; `x`, `y` is the first. */
function sumInside(source: usize, width: i32, x: i64, y: i64, nu: i32, nv: i32): v128 {
  const toX = acrossX;
  const toY = acrossY;
  let sum = f32x4.splat(0);
  for (let j = 0; j < nv; j++) {
    let sx = x;
    let sy = y;
    let row = i32x4.splat(0);
    for (let i = 0; i < nu; i++) {
      row = i32x4.add(row, sampleInside(source, width, sx, sy));
      sx += toX;
      sy += toY;
    }
    sum = f32x4.add(sum, f32x4.convert_i32x4_s(row));
    x += downX;
    y += downY;
  }
  return sum;
}

/** `sumInside` for any position. */
function sumAround(source: usize, width: i32, height: i32, x: i64, y: i64, nu: i32, nv: i32, edge: bool): v128 {
  let sum = f32x4.splat(0);
  for (let j = 0; j < nv; j++) {
    let sx = x;
    let sy = y;
    let row = i32x4.splat(0);
    for (let i = 0; i < nu; i++) {
      row = i32x4.add(row, sampleAround(source, width, height, sx, sy, edge));
      sx += acrossX;
      sy += acrossY;
    }
    sum = f32x4.add(sum, f32x4.convert_i32x4_s(row));
    x += downX;
    y += downY;
  }
  return sum;
}

/**
 * Warps RGBA bytes through any affine transform (a b c / d e f from target to source, centres at +0.5) into a width ×
 * height RGB target. Each pixel is the mean of nu × nv bilinear samples, nu ≤ 512. Positions are fixed-point with 32
 * fractional bits; integers are pixel centres.
 */
export function warpGrid(
  source: usize,
  sourceWidth: i32,
  sourceHeight: i32,
  a: f64,
  b: f64,
  c: f64,
  d: f64,
  e: f64,
  f: f64,
  nu: i32,
  nv: i32,
  target: usize,
  width: i32,
  height: i32,
  flags: i32,
  scale: f32,
  offset: f32,
): void {
  const edge = (flags & FLAG_EDGE) != 0;
  const scales = f32x4.splat(scale);
  const offsets = f32x4.splat(offset);
  const count = f32x4.splat(<f32>nu * <f32>nv * <f32>WHOLE);
  const pixelBytes = pixelBytesOf(flags);

  // Steps from pixel to pixel, and where a pixel's first sample must lie for all to be inside.
  const stepX = toFixed(a);
  const stepY = toFixed(d);
  const rowX = toFixed(b);
  const rowY = toFixed(e);
  acrossX = toFixed(a / nu);
  acrossY = toFixed(d / nu);
  downX = toFixed(b / nv);
  downY = toFixed(e / nv);
  const lastAcrossX = acrossX * (nu - 1);
  const lastAcrossY = acrossY * (nu - 1);
  const lastDownX = downX * (nv - 1);
  const lastDownY = downY * (nv - 1);
  const lowX = -(min<i64>(0, lastAcrossX) + min<i64>(0, lastDownX));
  const lowY = -(min<i64>(0, lastAcrossY) + min<i64>(0, lastDownY));
  const highX = (<i64>(sourceWidth - 1) << 32) - (max<i64>(0, lastAcrossX) + max<i64>(0, lastDownX));
  const highY = (<i64>(sourceHeight - 1) << 32) - (max<i64>(0, lastAcrossY) + max<i64>(0, lastDownY));

  let startX = toFixed((a / nu + b / nv) * 0.5 + c - 0.5) + HALF_UNIT;
  let startY = toFixed((d / nu + e / nv) * 0.5 + f - 0.5) + HALF_UNIT;
  for (let row = 0; row < height; row++) {
    const end = target + <usize>width * pixelBytes;
    let x = startX;
    let y = startY;
    while (target < end) {
      if (!(x >= lowX && x < highX && y >= lowY && y < highY)) {
        const sum = sumAround(source, sourceWidth, sourceHeight, x, y, nu, nv, edge);
        put(target, f32x4.div(sum, count), pixelBytes, scales, offsets);
        target += pixelBytes;
        x += stepX;
        y += stepY;
        continue;
      }
      const more = min<i64>(stepsInside(x, stepX, lowX, highX), stepsInside(y, stepY, lowY, highY));
      // Pixels are compared and not addresses, which wrap: where a step is 0, all of the row is inside.
      const left = <i64>((end - target) / pixelBytes);
      const to = more < left ? target + <usize>(more + 1) * pixelBytes : end;
      const isOne = nu * nv == 1;
      for (; target < to; target += pixelBytes) {
        const sum = isOne
          ? f32x4.convert_i32x4_s(sampleInside(source, sourceWidth, x, y))
          : sumInside(source, sourceWidth, x, y, nu, nv);
        put(target, f32x4.div(sum, count), pixelBytes, scales, offsets);
        x += stepX;
        y += stepY;
      }
    }
    startX += rowX;
    startY += rowY;
  }
}

/** Length of pixel i that the interval [low, high] covers; with `edge` the outermost pixels extend to infinity. */
// @ts-ignore: decorator
@inline
function coverage(i: i32, size: i32, low: f64, high: f64, edge: bool): f64 {
  const from = edge && i == 0 ? low : max<f64>(low, <f64>i);
  const to = edge && i == size - 1 ? high : min<f64>(high, <f64>(i + 1));
  return max<f64>(0, to - from);
}

// @ts-ignore: decorator
@inline
function firstPixel(low: f64, size: i32): i32 {
  return <i32>max<f64>(0, min<f64>(<f64>(size - 1), Math.floor(low)));
}

// @ts-ignore: decorator
@inline
function lastPixel(high: f64, size: i32): i32 {
  return <i32>max<f64>(0, min<f64>(<f64>(size - 1), Math.ceil(high) - 1));
}

/** Sums of this many bytes fit 16 bits. */
const MAX_WHOLE_ROWS = 256;

// @ts-ignore: decorator
@inline
function plusWhole(sum: v128, whole: v128): v128 {
  return f32x4.add(sum, f32x4.convert_i32x4_s(whole));
}

// @ts-ignore: decorator
@inline
function plusWeighted(sum: v128, pixel: v128, weight: v128): v128 {
  return f32x4.add(sum, f32x4.mul(f32x4.convert_i32x4_s(pixel), weight));
}

/**
 * Sums of the pixels `from` to `to` − 1 over rows of a footprint: exactly over `whole` rows from the address `rows`,
 * then of the rows at `first` and `last` by their weights.
 */
function sumRows(
  rows: usize,
  rowBytes: usize,
  whole: i32,
  first: usize,
  firstWeight: v128,
  last: usize,
  lastWeight: v128,
  from: usize,
  to: usize,
  sums: usize,
): void {
  let i = from;
  for (; i + 4 <= to; i += 4) {
    let a = f32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    let pixels = rows + (i << 2);
    for (let left = whole; left > 0; left -= MAX_WHOLE_ROWS) {
      let low = i16x8.splat(0);
      let high = low;
      for (let j = min(left, MAX_WHOLE_ROWS); j > 0; j--) {
        const four = v128.load(pixels);
        low = i16x8.add(low, i16x8.extend_low_i8x16_u(four));
        high = i16x8.add(high, i16x8.extend_high_i8x16_u(four));
        pixels += rowBytes;
      }
      a = plusWhole(a, i32x4.extend_low_i16x8_u(low));
      b = plusWhole(b, i32x4.extend_high_i16x8_u(low));
      c = plusWhole(c, i32x4.extend_low_i16x8_u(high));
      d = plusWhole(d, i32x4.extend_high_i16x8_u(high));
    }
    let four = v128.load(first + (i << 2));
    let low = i16x8.extend_low_i8x16_u(four);
    let high = i16x8.extend_high_i8x16_u(four);
    a = plusWeighted(a, i32x4.extend_low_i16x8_u(low), firstWeight);
    b = plusWeighted(b, i32x4.extend_high_i16x8_u(low), firstWeight);
    c = plusWeighted(c, i32x4.extend_low_i16x8_u(high), firstWeight);
    d = plusWeighted(d, i32x4.extend_high_i16x8_u(high), firstWeight);
    four = v128.load(last + (i << 2));
    low = i16x8.extend_low_i8x16_u(four);
    high = i16x8.extend_high_i8x16_u(four);
    const sum = sums + (i << 4);
    v128.store(sum, plusWeighted(a, i32x4.extend_low_i16x8_u(low), lastWeight), 0);
    v128.store(sum, plusWeighted(b, i32x4.extend_high_i16x8_u(low), lastWeight), 16);
    v128.store(sum, plusWeighted(c, i32x4.extend_low_i16x8_u(high), lastWeight), 32);
    v128.store(sum, plusWeighted(d, i32x4.extend_high_i16x8_u(high), lastWeight), 48);
  }
  for (; i < to; i++) {
    let sum = f32x4.splat(0);
    let pixels = rows + (i << 2);
    for (let j = 0; j < whole; j++) {
      sum = f32x4.add(sum, pixelAt(pixels));
      pixels += rowBytes;
    }
    sum = f32x4.add(sum, f32x4.mul(pixelAt(first + (i << 2)), firstWeight));
    v128.store(sums + (i << 4), f32x4.add(sum, f32x4.mul(pixelAt(last + (i << 2)), lastWeight)));
  }
}

// Layout of a target column: addresses of its first and last sum, and the lengths covered of these two.
const COLUMN_FIRST: usize = 0;
const COLUMN_LAST: usize = 4;
const COLUMN_SHARE: usize = 8;
const COLUMN_REST: usize = 12;
const COLUMN_BYTES: usize = 16;

function storeColumn(to: usize, sums: usize, low: f64, high: f64, size: i32, edge: bool): void {
  const first = firstPixel(low, size);
  const last = lastPixel(high, size);
  store<usize>(to, sums + (<usize>first << 4), COLUMN_FIRST);
  store<usize>(to, sums + (<usize>last << 4), COLUMN_LAST);
  store<f32>(to, <f32>coverage(first, size, low, high, edge), COLUMN_SHARE);
  store<f32>(to, <f32>coverage(last, size, low, high, edge), COLUMN_REST);
}

/**
 * Warps through an axis-aligned transform (a, c horizontally; e, f vertically): the exact mean over each footprint.
 * Only the first and the last row and column of a footprint can be covered in part. `scratch` holds (sourceWidth +
 * width) · 16 bytes.
 */
export function warpBox(
  source: usize,
  sourceWidth: i32,
  sourceHeight: i32,
  a: f64,
  c: f64,
  e: f64,
  f: f64,
  scratch: usize,
  target: usize,
  width: i32,
  height: i32,
  flags: i32,
  scale: f32,
  offset: f32,
): void {
  const edge = (flags & FLAG_EDGE) != 0;
  const scales = f32x4.splat(scale);
  const offsets = f32x4.splat(offset);
  const halfX = max<f64>(1, Math.abs(a)) * 0.5;
  const halfY = max<f64>(1, Math.abs(e)) * 0.5;
  const pixelBytes = pixelBytesOf(flags);
  const sourceRowBytes = <usize>sourceWidth << 2;
  const endX = a * (<f64>width - 0.5) + c;
  const startX = a * 0.5 + c;
  const used0 = <usize>firstPixel(min<f64>(startX, endX) - halfX, sourceWidth);
  const used1 = <usize>lastPixel(max<f64>(startX, endX) + halfX, sourceWidth) + 1;
  const columns = scratch + (<usize>sourceWidth << 4);
  const endOfColumns = columns + <usize>width * COLUMN_BYTES;
  for (let column = 0; column < width; column++) {
    const centreX = a * (<f64>column + 0.5) + c;
    storeColumn(columns + <usize>column * COLUMN_BYTES, scratch, centreX - halfX, centreX + halfX, sourceWidth, edge);
  }
  const spanY = f32x4.splat(<f32>(halfY * 2));
  const spanX = f32x4.splat(<f32>(halfX * 2));
  for (let y = 0; y < height; y++) {
    const centreY = e * (<f64>y + 0.5) + f;
    const lowY = centreY - halfY;
    const highY = centreY + halfY;
    const top = firstPixel(lowY, sourceHeight);
    const bottom = lastPixel(highY, sourceHeight);
    const first = source + <usize>top * sourceRowBytes;
    const last = source + <usize>bottom * sourceRowBytes;
    const firstWeight = f32x4.splat(<f32>coverage(top, sourceHeight, lowY, highY, edge));
    // Zero where the footprint has one row, which is then not counted twice.
    const lastWeight = f32x4.splat(bottom > top ? <f32>coverage(bottom, sourceHeight, lowY, highY, edge) : 0);
    const whole = bottom - top - 1;
    const next = first + sourceRowBytes;
    sumRows(next, sourceRowBytes, whole, first, firstWeight, last, lastWeight, used0, used1, scratch);
    for (let taps = columns; taps < endOfColumns; taps += COLUMN_BYTES) {
      let address = load<usize>(taps, COLUMN_FIRST);
      const last = load<usize>(taps, COLUMN_LAST);
      let sum = f32x4.mul(v128.load(address), v128.load32_splat(taps, COLUMN_SHARE));
      if (last > address) {
        for (address += 16; address < last; address += 16) sum = f32x4.add(sum, v128.load(address));
        sum = f32x4.add(sum, f32x4.mul(v128.load(last), v128.load32_splat(taps, COLUMN_REST)));
      }
      const mean = f32x4.div(f32x4.div(sum, spanY), spanX);
      put(target, mean, pixelBytes, scales, offsets);
      target += pixelBytes;
    }
  }
}
