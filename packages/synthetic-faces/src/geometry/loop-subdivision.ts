/**
 * Loop subdivision as a sparse linear map: each refined vertex is a weighted sum of the control vertices, so that
 * positions, texture coordinates and any other attribute are refined by the same weights, at every frame.
 *
 * C. Loop, “Smooth Subdivision Surfaces Based on Triangles”, 1987; boundary rule after Hoppe et al., 1994.
 */
export interface Subdivision {
  readonly controlCount: number;
  readonly vertexCount: number;
  readonly triangles: Uint32Array;
  /** Compressed rows: vertex i sums the entries rowStart[i] … rowStart[i + 1]. */
  readonly rowStart: Uint32Array;
  readonly columns: Uint32Array;
  readonly weights: Float32Array;
}

/** Control vertices of one vertex's sum in order of first use, each once. */
interface Row {
  readonly columns: number[];
  readonly weights: number[];
}

/** Adds up rows, one result after another. */
class RowSum {
  /** Per control vertex: its index in the row, −1 for none. */
  readonly #place: Int32Array;
  #row: Row = { columns: [], weights: [] };

  constructor(controlCount: number) {
    this.#place = new Int32Array(controlCount).fill(-1);
  }

  add(row: Row | undefined, factor: number): void {
    if (!row) return;
    const { columns, weights } = this.#row;
    for (let i = 0; i < row.columns.length; i++) {
      const column = row.columns[i] as number;
      const weight = (row.weights[i] as number) * factor;
      const place = this.#place[column] as number;
      if (place >= 0) weights[place] = (weights[place] as number) + weight;
      else {
        this.#place[column] = columns.length;
        columns.push(column);
        weights.push(weight);
      }
    }
  }

  /** The sum so far; the next one starts empty. */
  take(): Row {
    const row = this.#row;
    for (const column of row.columns) this.#place[column] = -1;
    this.#row = { columns: [], weights: [] };
    return row;
  }
}

interface Edge {
  readonly a: number;
  readonly b: number;
  readonly opposite: number[];
  index: number;
}

function edgesOf(triangles: Uint32Array, vertexCount: number): Map<number, Edge> {
  const edges = new Map<number, Edge>();
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const from = triangles[t + k] ?? 0;
      const to = triangles[t + ((k + 1) % 3)] ?? 0;
      const opposite = triangles[t + ((k + 2) % 3)] ?? 0;
      const [a, b] = from < to ? [from, to] : [to, from];
      const key = a * vertexCount + b;
      const edge = edges.get(key);
      if (edge) edge.opposite.push(opposite);
      else edges.set(key, { a, b, opposite: [opposite], index: 0 });
    }
  }
  return edges;
}

interface Level {
  readonly rows: readonly Row[];
  readonly triangles: Uint32Array;
}

function refineOnce({ rows, triangles }: Level, sum: RowSum): Level {
  const count = rows.length;
  const edges = edgesOf(triangles, count);
  const neighbours: number[][] = rows.map(() => []);
  const boundary: number[][] = rows.map(() => []);
  for (const edge of edges.values()) {
    neighbours[edge.a]?.push(edge.b);
    neighbours[edge.b]?.push(edge.a);
    if (edge.opposite.length === 1) {
      boundary[edge.a]?.push(edge.b);
      boundary[edge.b]?.push(edge.a);
    }
  }
  const refined: Row[] = rows.map((row, vertex) => {
    const rim = boundary[vertex] ?? [];
    const around = neighbours[vertex] ?? [];
    const n = around.length;
    if (rim.length > 0) {
      sum.add(row, 3 / 4);
      for (const other of rim) sum.add(rows[other], 1 / (4 * rim.length));
    } else if (n === 0) sum.add(row, 1);
    else {
      const centre = 3 / 8 + Math.cos((2 * Math.PI) / n) / 4;
      const beta = (5 / 8 - centre * centre) / n;
      sum.add(row, 1 - n * beta);
      for (const other of around) sum.add(rows[other], beta);
    }
    return sum.take();
  });
  for (const edge of edges.values()) {
    const inside = edge.opposite.length > 1;
    sum.add(rows[edge.a], inside ? 3 / 8 : 1 / 2);
    sum.add(rows[edge.b], inside ? 3 / 8 : 1 / 2);
    if (inside) for (const other of edge.opposite) sum.add(rows[other], 1 / (4 * edge.opposite.length));
    edge.index = refined.length;
    refined.push(sum.take());
  }
  const middle = (a: number, b: number): number => edges.get(a < b ? a * count + b : b * count + a)?.index ?? 0;
  const split = new Uint32Array(triangles.length * 4);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t] ?? 0, triangles[t + 1] ?? 0, triangles[t + 2] ?? 0];
    const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
    split.set([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], t * 4);
  }
  return { rows: refined, triangles: split };
}

/** Refines a triangle mesh step by step; every level quarters the triangles. @returns level 1 first, up to `levels` */
export function subdivide(controlCount: number, triangles: Uint32Array, levels: number): readonly Subdivision[] {
  const sum = new RowSum(controlCount);
  let level: Level = {
    rows: Array.from({ length: controlCount }, (_, i) => ({ columns: [i], weights: [1] })),
    triangles,
  };
  return Array.from({ length: levels }, () => {
    level = refineOnce(level, sum);
    return packed(controlCount, level);
  });
}

function packed(controlCount: number, { rows, triangles }: Level): Subdivision {
  const rowStart = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    rowStart[i + 1] = (rowStart[i] ?? 0) + row.columns.length;
  });
  const total = rowStart[rows.length] ?? 0;
  const columns = new Uint32Array(total);
  const weights = new Float32Array(total);
  rows.forEach((row, i) => {
    columns.set(row.columns, rowStart[i]);
    weights.set(row.weights, rowStart[i]);
  });
  return { controlCount, vertexCount: rows.length, triangles, rowStart, columns, weights };
}

/**
 * Refines an attribute of `size` numbers a vertex: Float32Array[controlCount × size] → Float32Array[vertexCount ×
 * size].
 */
export function refine(subdivision: Subdivision, values: Float32Array, size: number): Float32Array {
  const { rowStart, columns, weights, vertexCount } = subdivision;
  const out = new Float32Array(vertexCount * size);
  for (let i = 0; i < vertexCount; i++) {
    const end = rowStart[i + 1] as number;
    for (let e = rowStart[i] as number; e < end; e++) {
      const weight = weights[e] as number;
      const from = (columns[e] as number) * size;
      for (let k = 0; k < size; k++) {
        out[i * size + k] = (out[i * size + k] as number) + weight * (values[from + k] as number);
      }
    }
  }
  return out;
}
