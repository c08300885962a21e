import {
  canonicalFace,
  innerLips,
  leftLowerLid,
  leftUpperLid,
  outerLips,
  rightLowerLid,
  rightUpperLid,
} from '../geometry/canonical.ts';
import { headTopology } from '../geometry/head-mesh.ts';
import { hypot2 } from '../math.ts';

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

/** x and y of one point after the other. */
type Line = Float64Array;

const lineOf = (vertices: readonly number[]): Line => {
  const { positions } = canonicalFace();
  return Float64Array.from(vertices.flatMap((v) => [positions[v * 3] ?? 0, positions[v * 3 + 1] ?? 0]));
};

const closed = (line: Line): Line => Float64Array.of(...line, ...line.subarray(0, 2));

/** The opening between two lids, once round. */
function between(upper: Line, lower: Line): Line {
  const back: number[] = [];
  for (let i = lower.length - 2; i >= 0; i -= 2) back.push(lower[i] as number, lower[i + 1] as number);
  return Float64Array.of(...upper, ...back);
}

/** Distance from a point to a polyline. */
function distanceToLine(x: number, y: number, line: Line): number {
  let best = Infinity;
  for (let i = 2; i < line.length; i += 2) {
    const ax = line[i - 2] as number;
    const ay = line[i - 1] as number;
    const dx = (line[i] as number) - ax;
    const dy = (line[i + 1] as number) - ay;
    const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
    const distance = hypot2(x - ax - t * dx, y - ay - t * dy);
    if (distance < best) best = distance;
  }
  return best;
}

function insidePolygon(x: number, y: number, polygon: Line): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const ax = polygon[i] as number;
    const ay = polygon[i + 1] as number;
    const bx = polygon[j] as number;
    const by = polygon[j + 1] as number;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

function rasteriseRest(size: number): Float32Array {
  const { fine, restFine, uvFine } = headTopology();
  const rest = new Float32Array(size * size * 3).fill(Number.NaN);
  const { triangles } = fine;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = triangles[t] as number;
    const b = triangles[t + 1] as number;
    const c = triangles[t + 2] as number;
    const xa = (uvFine[a * 2] as number) * size - 0.5;
    const ya = (uvFine[a * 2 + 1] as number) * size - 0.5;
    const xb = (uvFine[b * 2] as number) * size - 0.5;
    const yb = (uvFine[b * 2 + 1] as number) * size - 0.5;
    const xc = (uvFine[c * 2] as number) * size - 0.5;
    const yc = (uvFine[c * 2 + 1] as number) * size - 0.5;
    const area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya);
    if (Math.abs(area) < 1e-9) continue;
    const slack = -0.6 / Math.sqrt(Math.abs(area));
    const [left, right] = [Math.max(0, Math.floor(Math.min(xa, xb, xc))), Math.ceil(Math.max(xa, xb, xc))];
    const [top, bottom] = [Math.max(0, Math.floor(Math.min(ya, yb, yc))), Math.ceil(Math.max(ya, yb, yc))];
    for (let y = top; y <= Math.min(size - 1, bottom); y++) {
      for (let x = left; x <= Math.min(size - 1, right); x++) {
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

/** The texels of each cell of the grid, in order. */
function texelsByCell(cellOf: Int16Array): readonly Int32Array[] {
  const sizes = new Int32Array(gridColumns * gridRows);
  for (const cell of cellOf) if (cell >= 0) sizes[cell] = (sizes[cell] as number) + 1;
  const cells = Array.from(sizes, (size) => new Int32Array(size));
  const filled = new Int32Array(cells.length);
  cellOf.forEach((cell, texel) => {
    const texels = cells[cell];
    if (texels === undefined) return;
    texels[filled[cell] as number] = texel;
    filled[cell] = (filled[cell] as number) + 1;
  });
  return cells;
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
  const innerClosed = closed(inner);
  const outerClosed = closed(outer);
  const lids = (
    [
      [rightUpperLid, rightLowerLid, -1],
      [leftUpperLid, leftLowerLid, 1],
    ] as const
  ).map(([above, below, side]) => {
    const [upper, lower] = [lineOf(above), lineOf(below)];
    return { upper, lower, side, opening: between(upper, lower) };
  });
  const cellOf = new Int16Array(count).fill(-1);
  for (let i = 0; i < count; i++) {
    const x = rest[i * 3] as number;
    if (Number.isNaN(x)) continue;
    const y = rest[i * 3 + 1] as number;
    const z = rest[i * 3 + 2] as number;
    const column = Math.floor((x - gridLeft) / cellSize);
    const row = Math.floor((gridTop - y) / cellSize);
    if (z > -3 && column >= 0 && row >= 0 && column < gridColumns && row < gridRows)
      cellOf[i] = row * gridColumns + column;
    if (z > 2 && Math.abs(x) < 3.4 && y < -2.8 && y > -6) {
      const edge = distanceToLine(x, y, outerClosed);
      const signed = insidePolygon(x, y, outer) ? edge : -edge;
      lips[i] = Math.max(0, Math.min(1, signed / 0.22 + 0.5));
      const line = distanceToLine(x, y, innerClosed);
      mouthLine[i] = insidePolygon(x, y, inner) ? -line : Math.min(1, line);
    }
    if (z > 0 && y > 0.4 && y < 5) {
      for (const { upper, lower, side, opening } of lids) {
        if (x * side < 0.5) continue;
        const inside = insidePolygon(x, y, opening);
        const du = distanceToLine(x, y, upper);
        const dl = distanceToLine(x, y, lower);
        upperLid[i] = inside ? -du : Math.min(2, du);
        lowerLid[i] = inside ? -dl : Math.min(2, dl);
      }
    }
  }
  const cells = texelsByCell(cellOf);
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
