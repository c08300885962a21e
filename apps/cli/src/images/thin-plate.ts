export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where a place goes. */
export type Warp = (x: number, y: number) => Place;

/** r² ln r, by the square of r. */
const bend = (squared: number): number => (squared === 0 ? 0 : 0.5 * squared * Math.log(squared));

/** Solves a·x = b for two right-hand sides by Gauss, the greatest pivot first; a and b are overwritten. */
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
 * The smoothest way that takes each place to its target: a thin-plate spline (Bookstein 1989).
 * @param from at least three, not all on one line, no two the same
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
