// Affine warps with area-true resampling. A target pixel is the mean of the source over its footprint, which is never
// taken smaller than one source pixel; over a footprint of just one pixel that mean is bilinear interpolation.
//   axis-aligned transforms: the exact mean, by the lengths that the footprint covers of each source row and column;
//   all others: the mean of a grid of bilinear samples, at least one a source pixel along each edge of the footprint.
// Positions are fixed-point or f64, pixel arithmetic is f32, in the order written here; nothing depends on the machine.

/** Target column x is written to width-1-x. */
const FLAG_MIRROR = 1;
/** Outside the source its nearest pixel counts; otherwise black does. */
const FLAG_EDGE = 2;
/** The target is RGB bytes, rounded half up; otherwise RGB f32, scaled. */
const FLAG_BYTES = 4;

/** Spreads `pixels` RGB pixels at `rgb` to RGBA at `rgba`. The two may overlap when `rgb` ends where `rgba` ends. */
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

// @ts-ignore: decorator
@inline
function lerp(from: v128, to: v128, t: v128): v128 {
  return f32x4.add(from, f32x4.mul(f32x4.sub(to, from), t));
}

/** Two pixels side by side, the second in the upper half, as i16. */
// @ts-ignore: decorator
@inline
function pairAt(address: usize): v128 {
  return v128.load8x8_u(address);
}

// @ts-ignore: decorator
@inline
function leftOf(pair: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(pair));
}

// @ts-ignore: decorator
@inline
function rightOf(pair: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(pair));
}

/** The fraction of a position, in [0, 1]. */
// @ts-ignore: decorator
@inline
function fraction(position: i64): v128 {
  return f32x4.splat(<f32>(<u32>position) * <f32>(1.0 / 4294967296.0));
}

/** Bilinear sample whose four pixels all lie inside. */
// @ts-ignore: decorator
@inline
function sampleInside(source: usize, width: i32, x: i64, y: i64): v128 {
  const address = source + ((<usize>(y >> 32) * <usize>width + <usize>(x >> 32)) << 2);
  const upper = pairAt(address);
  const lower = pairAt(address + (<usize>width << 2));
  const fx = fraction(x);
  const top = lerp(leftOf(upper), rightOf(upper), fx);
  const bottom = lerp(leftOf(lower), rightOf(lower), fx);
  return lerp(top, bottom, fraction(y));
}

/** The pixel, or outside the source its nearest or black. */
function pixelAround(source: usize, width: i32, height: i32, x: i64, y: i64, edge: bool): v128 {
  const column = max<i64>(0, min<i64>(<i64>width - 1, x));
  const row = max<i64>(0, min<i64>(<i64>height - 1, y));
  if (!edge && (column != x || row != y)) return f32x4.splat(0);
  return pixelAt(source + ((<usize>row * <usize>width + <usize>column) << 2));
}

/** Bilinear sample anywhere. */
function sampleAround(source: usize, width: i32, height: i32, x: i64, y: i64, edge: bool): v128 {
  const x0 = x >> 32;
  const y0 = y >> 32;
  const fx = fraction(x);
  const top = lerp(
    pixelAround(source, width, height, x0, y0, edge),
    pixelAround(source, width, height, x0 + 1, y0, edge),
    fx,
  );
  const bottom = lerp(
    pixelAround(source, width, height, x0, y0 + 1, edge),
    pixelAround(source, width, height, x0 + 1, y0 + 1, edge),
    fx,
  );
  return lerp(top, bottom, fraction(y));
}

// @ts-ignore: decorator
@inline
function put(target: usize, column: i32, value: v128, bytes: bool, scale: v128, offset: v128): void {
  if (bytes) {
    const whole = i32x4.trunc_sat_f32x4_s(f32x4.add(value, f32x4.splat(0.5)));
    const address = target + <usize>column * 3;
    store<u8>(address, min<u32>(255, i32x4.extract_lane(whole, 0)), 0);
    store<u8>(address, min<u32>(255, i32x4.extract_lane(whole, 1)), 1);
    store<u8>(address, min<u32>(255, i32x4.extract_lane(whole, 2)), 2);
    return;
  }
  const address = target + <usize>column * 12;
  const out = f32x4.add(f32x4.mul(value, scale), offset);
  v128.store64_lane(address, out, 0);
  v128.store32_lane(address, out, 2, 8);
}

// @ts-ignore: decorator
@inline
function toFixed(value: f64): i64 {
  return <i64>nearest<f64>(value * 4294967296.0);
}

/**
 * Warps RGBA bytes through any affine transform (a b c / d e f from target to source, centres at +0.5) into a
 * width x height RGB target, taking the mean of nu x nv bilinear samples for each pixel. Positions are fixed-point with 32
 * fractional bits, where integers are pixel centres.
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
  const mirror = (flags & FLAG_MIRROR) != 0;
  const edge = (flags & FLAG_EDGE) != 0;
  const bytes = (flags & FLAG_BYTES) != 0;
  const scales = f32x4.splat(scale);
  const offsets = f32x4.splat(offset);
  const count = f32x4.splat(<f32>nu * <f32>nv);
  const rowBytes = <usize>width * (bytes ? 3 : 12);

  // From pixel to pixel, from sample to sample, and from a pixel's first sample to its outermost ones.
  const pixelX = toFixed(a);
  const pixelY = toFixed(d);
  const rowX = toFixed(b);
  const rowY = toFixed(e);
  const acrossX = toFixed(a / nu);
  const acrossY = toFixed(d / nu);
  const downX = toFixed(b / nv);
  const downY = toFixed(e / nv);
  const lastAcrossX = acrossX * (nu - 1);
  const lastAcrossY = acrossY * (nu - 1);
  const lastDownX = downX * (nv - 1);
  const lastDownY = downY * (nv - 1);
  const lowX = -(min<i64>(0, lastAcrossX) + min<i64>(0, lastDownX));
  const lowY = -(min<i64>(0, lastAcrossY) + min<i64>(0, lastDownY));
  const highX = (<i64>(sourceWidth - 1) << 32) - (max<i64>(0, lastAcrossX) + max<i64>(0, lastDownX));
  const highY = (<i64>(sourceHeight - 1) << 32) - (max<i64>(0, lastAcrossY) + max<i64>(0, lastDownY));

  let startX = toFixed((a / nu + b / nv) * 0.5 + c - 0.5);
  let startY = toFixed((d / nu + e / nv) * 0.5 + f - 0.5);
  for (let y = 0; y < height; y++) {
    let firstX = startX;
    let firstY = startY;
    for (let x = 0; x < width; x++) {
      const inside = firstX >= lowX && firstX < highX && firstY >= lowY && firstY < highY;
      let sum = f32x4.splat(0);
      let leftX = firstX;
      let leftY = firstY;
      for (let j = 0; j < nv; j++) {
        let sx = leftX;
        let sy = leftY;
        if (inside) {
          for (let i = 0; i < nu; i++) {
            sum = f32x4.add(sum, sampleInside(source, sourceWidth, sx, sy));
            sx += acrossX;
            sy += acrossY;
          }
        } else {
          for (let i = 0; i < nu; i++) {
            sum = f32x4.add(sum, sampleAround(source, sourceWidth, sourceHeight, sx, sy, edge));
            sx += acrossX;
            sy += acrossY;
          }
        }
        leftX += downX;
        leftY += downY;
      }
      put(target, mirror ? width - 1 - x : x, f32x4.div(sum, count), bytes, scales, offsets);
      firstX += pixelX;
      firstY += pixelY;
    }
    startX += rowX;
    startY += rowY;
    target += rowBytes;
  }
}

/** How much of pixel i the interval [low, high] covers; with `edge` the outermost pixels reach to infinity. */
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

/**
 * Warps through an axis-aligned transform (a, c across; e, f down): the exact mean over each footprint.
 * `scratch` holds sourceWidth x 16 bytes.
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
  const mirror = (flags & FLAG_MIRROR) != 0;
  const edge = (flags & FLAG_EDGE) != 0;
  const bytes = (flags & FLAG_BYTES) != 0;
  const scales = f32x4.splat(scale);
  const offsets = f32x4.splat(offset);
  const halfX = max<f64>(1, Math.abs(a)) * 0.5;
  const halfY = max<f64>(1, Math.abs(e)) * 0.5;
  const rowBytes = <usize>width * (bytes ? 3 : 12);
  const endX = a * (<f64>width - 0.5) + c;
  const startX = a * 0.5 + c;
  const used0 = firstPixel(min<f64>(startX, endX) - halfX, sourceWidth);
  const used1 = lastPixel(max<f64>(startX, endX) + halfX, sourceWidth);
  const spanY = f32x4.splat(<f32>(halfY * 2));
  const spanX = f32x4.splat(<f32>(halfX * 2));
  for (let y = 0; y < height; y++) {
    const centreY = e * (<f64>y + 0.5) + f;
    const lowY = centreY - halfY;
    const highY = centreY + halfY;
    memory.fill(scratch + (<usize>used0 << 4), 0, (<usize>(used1 - used0) + 1) << 4);
    const bottom = lastPixel(highY, sourceHeight);
    for (let j = firstPixel(lowY, sourceHeight); j <= bottom; j++) {
      const weight = f32x4.splat(<f32>coverage(j, sourceHeight, lowY, highY, edge));
      let pixel = source + ((<usize>j * <usize>sourceWidth + <usize>used0) << 2);
      let sum = scratch + (<usize>used0 << 4);
      const end = scratch + ((<usize>used1 + 1) << 4);
      while (sum < end) {
        v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(pixelAt(pixel), weight)));
        pixel += 4;
        sum += 16;
      }
    }
    for (let x = 0; x < width; x++) {
      const centreX = a * (<f64>x + 0.5) + c;
      const lowX = centreX - halfX;
      const highX = centreX + halfX;
      const right = lastPixel(highX, sourceWidth);
      let sum = f32x4.splat(0);
      for (let i = firstPixel(lowX, sourceWidth); i <= right; i++) {
        const weight = f32x4.splat(<f32>coverage(i, sourceWidth, lowX, highX, edge));
        sum = f32x4.add(sum, f32x4.mul(v128.load(scratch + (<usize>i << 4)), weight));
      }
      const mean = f32x4.div(f32x4.div(sum, spanY), spanX);
      put(target, mirror ? width - 1 - x : x, mean, bytes, scales, offsets);
    }
    target += rowBytes;
  }
}
