import { canonicalFace } from '../geometry/canonical-source.ts';
import { headTopology } from '../geometry/head-mesh.ts';
import {
  innerLips,
  leftLowerLid,
  leftUpperLid,
  outerLips,
  rightLowerLid,
  rightUpperLid,
} from '../geometry/landmarks.ts';

export const skinTextureSize = 640;

const cellSize = 0.4;
const gridLeft = -9;
const gridTop = 10;
const gridColumns = 45;
const gridRows = 52;

/** Which point of the average head each texel of the skin texture shows. The same for all identities; built once. */
export interface SkinLayout {
  readonly size: number;
  /** Float32Array[size² × 3]: canonical coordinates of the average head; NaN outside the head. */
  readonly rest: Float32Array;
  /** 0 outside the lips … 1 on them. */
  readonly lips: Float32Array;
  /** Distance in units to the upper and lower lid edges, capped at 2; negative inside the eye opening. */
  readonly upperLid: Float32Array;
  readonly lowerLid: Float32Array;
  /** Distance in units to the line where the lips meet, capped at 1. */
  readonly mouthLine: Float32Array;
  /** Calls back for every texel of the front of the face within `radius` units of (x, y), with its offset. */
  near(x: number, y: number, radius: number, paint: (texel: number, dx: number, dy: number) => void): void;
}

let layout: SkinLayout | null = null;

export function skinLayout(): SkinLayout {
  layout ??= build(skinTextureSize);
  return layout;
}

type Line = readonly (readonly [number, number])[];

const lineOf = (vertices: readonly number[]): Line => {
  const { positions } = canonicalFace();
  return vertices.map((v) => [positions[v * 3] ?? 0, positions[v * 3 + 1] ?? 0] as const);
};

/** Distance from a point to a polyline. */
function distanceToLine(x: number, y: number, line: Line): number {
  let best = Infinity;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    if (!a || !b) continue;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const t = Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1)));
    const distance = Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
    if (distance < best) best = distance;
  }
  return best;
}

function insidePolygon(x: number, y: number, polygon: Line): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [a, b] = [polygon[i], polygon[j]];
    if (!a || !b) continue;
    if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside;
  }
  return inside;
}

function rasteriseRest(size: number): Float32Array {
  const { fine, restFine, uvFine } = headTopology();
  const rest = new Float32Array(size * size * 3).fill(Number.NaN);
  const { triangles } = fine;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t] as number, triangles[t + 1] as number, triangles[t + 2] as number];
    const [xa, ya] = [(uvFine[a * 2] as number) * size - 0.5, (uvFine[a * 2 + 1] as number) * size - 0.5];
    const [xb, yb] = [(uvFine[b * 2] as number) * size - 0.5, (uvFine[b * 2 + 1] as number) * size - 0.5];
    const [xc, yc] = [(uvFine[c * 2] as number) * size - 0.5, (uvFine[c * 2 + 1] as number) * size - 0.5];
    const area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya);
    if (Math.abs(area) < 1e-9) continue;
    const slack = -0.6 / Math.sqrt(Math.abs(area));
    for (
      let y = Math.max(0, Math.floor(Math.min(ya, yb, yc)));
      y <= Math.min(size - 1, Math.ceil(Math.max(ya, yb, yc)));
      y++
    ) {
      for (
        let x = Math.max(0, Math.floor(Math.min(xa, xb, xc)));
        x <= Math.min(size - 1, Math.ceil(Math.max(xa, xb, xc)));
        x++
      ) {
        const wa = ((xc - xb) * (y - yb) - (yc - yb) * (x - xb)) / area;
        const wb = ((xa - xc) * (y - yc) - (ya - yc) * (x - xc)) / area;
        const wc = 1 - wa - wb;
        // A little slack closes the seams between triangles.
        if (wa < slack || wb < slack || wc < slack) continue;
        const at = (y * size + x) * 3;
        for (let k = 0; k < 3; k++) {
          rest[at + k] =
            wa * (restFine[a * 3 + k] as number) +
            wb * (restFine[b * 3 + k] as number) +
            wc * (restFine[c * 3 + k] as number);
        }
      }
    }
  }
  return rest;
}

function build(size: number): SkinLayout {
  const rest = rasteriseRest(size);
  const count = size * size;
  const [lips, upperLid, lowerLid, mouthLine] = [
    new Float32Array(count),
    new Float32Array(count).fill(2),
    new Float32Array(count).fill(2),
    new Float32Array(count).fill(1),
  ];
  const outer = lineOf(outerLips);
  const inner = lineOf(innerLips);
  const innerClosed: Line = [...inner, ...inner.slice(0, 1)];
  const outerClosed: Line = [...outer, ...outer.slice(0, 1)];
  const lids = [
    [lineOf(rightUpperLid), lineOf(rightLowerLid), -1],
    [lineOf(leftUpperLid), lineOf(leftLowerLid), 1],
  ] as const;
  const buckets: number[][] = Array.from({ length: gridColumns * gridRows }, () => []);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [rest[i * 3] as number, rest[i * 3 + 1] as number, rest[i * 3 + 2] as number];
    if (Number.isNaN(x)) continue;
    const [column, row] = [Math.floor((x - gridLeft) / cellSize), Math.floor((gridTop - y) / cellSize)];
    if (z > -3 && column >= 0 && row >= 0 && column < gridColumns && row < gridRows)
      buckets[row * gridColumns + column]?.push(i);
    if (z > 2 && Math.abs(x) < 3.4 && y < -2.8 && y > -6) {
      const edge = distanceToLine(x, y, outerClosed);
      const signed = insidePolygon(x, y, outer) ? edge : -edge;
      lips[i] = Math.max(0, Math.min(1, signed / 0.22 + 0.5));
      const line = distanceToLine(x, y, innerClosed);
      mouthLine[i] = insidePolygon(x, y, inner) ? -line : Math.min(1, line);
    }
    if (z > 0 && y > 0.4 && y < 5) {
      for (const [upper, lower, side] of lids) {
        if (x * side < 0.5) continue;
        const inside = insidePolygon(x, y, [...upper, ...[...lower].reverse()]);
        const [du, dl] = [distanceToLine(x, y, upper), distanceToLine(x, y, lower)];
        upperLid[i] = inside ? -du : Math.min(2, du);
        lowerLid[i] = inside ? -dl : Math.min(2, dl);
      }
    }
  }
  const cells = buckets.map((bucket) => Int32Array.from(bucket));
  return {
    size,
    rest,
    lips,
    upperLid,
    lowerLid,
    mouthLine,
    near(x, y, radius, paint) {
      const fromColumn = Math.max(0, Math.floor((x - radius - gridLeft) / cellSize));
      const toColumn = Math.min(gridColumns - 1, Math.floor((x + radius - gridLeft) / cellSize));
      const fromRow = Math.max(0, Math.floor((gridTop - y - radius) / cellSize));
      const toRow = Math.min(gridRows - 1, Math.floor((gridTop - y + radius) / cellSize));
      for (let row = fromRow; row <= toRow; row++) {
        for (let column = fromColumn; column <= toColumn; column++) {
          for (const texel of cells[row * gridColumns + column] ?? []) {
            const [dx, dy] = [(rest[texel * 3] as number) - x, (rest[texel * 3 + 1] as number) - y];
            if (dx * dx + dy * dy < radius * radius) paint(texel, dx, dy);
          }
        }
      }
    },
  };
}
