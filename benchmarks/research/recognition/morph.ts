import type { PixelImage } from '@svc/core';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Maps a point. */
type Warp = (x: number, y: number) => Place;

/** r² ln r, by the square of r. */
const bend = (squared: number): number => (squared === 0 ? 0 : 0.5 * squared * Math.log(squared));

/** Solves a·x = b for two right-hand sides by Gaussian elimination with partial pivoting; overwrites a and b. */
function solve(a: Float64Array[], b: [number, number][]): [number, number][] {
  const n = a.length;
  for (let column = 0; column < n; column++) {
    let best = column;
    for (let row = column + 1; row < n; row++) {
      if (Math.abs(a[row]?.[column] ?? 0) > Math.abs(a[best]?.[column] ?? 0)) best = row;
    }
    const [pivotRow, pivotSide] = [a[best], b[best]];
    const pivot = pivotRow?.[column] ?? 0;
    if (pivotRow === undefined || pivotSide === undefined || pivot === 0) throw new RangeError('places on one line');
    [a[best], a[column]] = [a[column] ?? pivotRow, pivotRow];
    [b[best], b[column]] = [b[column] ?? pivotSide, pivotSide];
    for (let row = column + 1; row < n; row++) {
      const [own, side] = [a[row], b[row]];
      if (own === undefined || side === undefined) continue;
      const factor = (own[column] ?? 0) / pivot;
      if (factor === 0) continue;
      for (let i = column; i < n; i++) own[i] = (own[i] ?? 0) - factor * (pivotRow[i] ?? 0);
      side[0] -= factor * pivotSide[0];
      side[1] -= factor * pivotSide[1];
    }
  }
  const found: [number, number][] = b.map(() => [0, 0]);
  for (let row = n - 1; row >= 0; row--) {
    const [own, side] = [a[row], b[row]];
    if (own === undefined || side === undefined) continue;
    let [u, v] = side;
    for (let i = row + 1; i < n; i++) {
      u -= (own[i] ?? 0) * (found[i]?.[0] ?? 0);
      v -= (own[i] ?? 0) * (found[i]?.[1] ?? 0);
    }
    found[row] = [u / (own[row] ?? 1), v / (own[row] ?? 1)];
  }
  return found;
}

/**
 * The thin-plate spline (Bookstein 1989): the smoothest map that takes each point to its target.
 * @param from at least three distinct points, not collinear
 * @param to as many
 * @throws RangeError otherwise
 */
export function thinPlate(from: readonly Place[], to: readonly Place[]): Warp {
  const n = from.length;
  if (n < 3 || to.length !== n) throw new RangeError('three places or more, each with a target');
  const matrix = Array.from({ length: n + 3 }, (_, row) =>
    Float64Array.from({ length: n + 3 }, (_value, column) => {
      const [a, b] = [from[row], from[column]];
      if (a && b) return bend((a.x - b.x) ** 2 + (a.y - b.y) ** 2);
      const [place, term] = a ? [a, column - n] : [b, row - n];
      return place === undefined ? 0 : ([1, place.x, place.y][term] ?? 0);
    }),
  );
  const weights = solve(
    matrix,
    Array.from({ length: n + 3 }, (_, row) => [to[row]?.x ?? 0, to[row]?.y ?? 0]),
  );
  const weightAt = (i: number): readonly [number, number] => weights[i] ?? [0, 0];
  const [constant, perX, perY] = [weightAt(n), weightAt(n + 1), weightAt(n + 2)];
  return (x, y) => {
    let u = constant[0] + perX[0] * x + perY[0] * y;
    let v = constant[1] + perX[1] * x + perY[1] * y;
    for (let i = 0; i < n; i++) {
      const place = from[i];
      const weight = weights[i];
      if (place === undefined || weight === undefined) continue;
      const value = bend((x - place.x) ** 2 + (y - place.y) ** 2);
      u += weight[0] * value;
      v += weight[1] * value;
    }
    return { x: u, y: v };
  };
}

/** A picture and its points, in the same order as the other's. */
export interface MorphSource {
  readonly image: PixelImage;
  readonly places: readonly Place[];
}

/** The least-squares similarity from `from` to `to`. */
export function similarity(from: readonly Place[], to: readonly Place[]): Warp {
  const centre = (places: readonly Place[]): Place => ({
    x: places.reduce((sum, { x }) => sum + x, 0) / places.length,
    y: places.reduce((sum, { y }) => sum + y, 0) / places.length,
  });
  const [a, b] = [centre(from), centre(to)];
  let [real, imaginary, spread] = [0, 0, 0];
  for (const [i, { x, y }] of from.entries()) {
    const target = to[i] ?? b;
    const [u, v, s, t] = [x - a.x, y - a.y, target.x - b.x, target.y - b.y];
    real += u * s + v * t;
    imaginary += u * t - v * s;
    spread += u * u + v * v;
  }
  const [cos, sin] = [real / spread, imaginary / spread];
  return (x, y) => ({
    x: b.x + cos * (x - a.x) - sin * (y - a.y),
    y: b.y + sin * (x - a.x) + cos * (y - a.y),
  });
}

/** The inverse of a similarity. */
function inverse(warp: Warp): Warp {
  const [origin, unit] = [warp(0, 0), warp(1, 0)];
  const [cos, sin] = [unit.x - origin.x, unit.y - origin.y];
  const scale = cos * cos + sin * sin;
  return (x, y) => {
    const [u, v] = [x - origin.x, y - origin.y];
    return { x: (cos * u + sin * v) / scale, y: (cos * v - sin * u) / scale };
  };
}

/** Points along the border of a picture, which stay fixed. */
function borderPlaces(width: number, height: number, each = 4): Place[] {
  return Array.from({ length: each }, (_, i) => i / each).flatMap((share) => [
    { x: share * width, y: 0 },
    { x: width, y: share * height },
    { x: (1 - share) * width, y: height },
    { x: 0, y: (1 - share) * height },
  ]);
}

/** Bilinear interpolation with edges repeated. */
function sample({ data, width, height, channels }: PixelImage, { x, y }: Place, channel: number): number {
  const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
  const [u, v] = [clamp(x - 0.5, width), clamp(y - 0.5, height)];
  const [left, top] = [Math.floor(u), Math.floor(v)];
  const [right, below] = [Math.min(left + 1, width - 1), Math.min(top + 1, height - 1)];
  const [p, q] = [u - left, v - top];
  const at = (column: number, row: number) => data[(row * width + column) * channels + channel] ?? 0;
  return (
    (1 - q) * ((1 - p) * at(left, top) + p * at(right, top)) + q * ((1 - p) * at(left, below) + p * at(right, below))
  );
}

/**
 * The average of two faces: the second is aligned to the first, both are warped to the mean of their points, and the
 * pixels are averaged. Has the size of the first picture.
 */
export function morph(first: MorphSource, second: MorphSource): PixelImage & { readonly data: Uint8Array } {
  const { width, height } = first.image;
  const toSecond = similarity(first.places, second.places);
  const fromSecond = inverse(toSecond);
  const aligned = second.places.map(({ x, y }) => fromSecond(x, y));
  const mean = first.places.map(({ x, y }, i) => {
    const other = aligned[i] ?? { x, y };
    return { x: (x + other.x) / 2, y: (y + other.y) / 2 };
  });
  const border = borderPlaces(width, height);
  const toFirst = thinPlate([...mean, ...border], [...first.places, ...border]);
  const toAligned = thinPlate([...mean, ...border], [...aligned, ...border]);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const a = toFirst(x + 0.5, y + 0.5);
      const laid = toAligned(x + 0.5, y + 0.5);
      const b = toSecond(laid.x, laid.y);
      for (let c = 0; c < 3; c++) {
        data[(y * width + x) * 3 + c] = Math.round((sample(first.image, a, c) + sample(second.image, b, c)) / 2);
      }
    }
  }
  return { data, width, height, channels: 3 };
}
