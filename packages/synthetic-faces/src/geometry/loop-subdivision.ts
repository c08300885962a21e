/**
 * Loop subdivision as a sparse linear map: each refined vertex is a weighted sum of the control vertices, so that
 * positions, texture coordinates and any other attribute are refined by the same weights, at every frame.
 *
 * C. Loop, «Smooth Subdivision Surfaces Based on Triangles», 1987; boundary rule after Hoppe et al., 1994.
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

type Row = Map<number, number>;

function addScaled(target: Row, source: Row | undefined, factor: number): void {
  if (!source) return;
  for (const [column, weight] of source) target.set(column, (target.get(column) ?? 0) + weight * factor);
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

function refineOnce(rows: readonly Row[], triangles: Uint32Array): { rows: Row[]; triangles: Uint32Array } {
  const count = rows.length;
  const edges = edgesOf(triangles, count);
  const neighbours: Set<number>[] = rows.map(() => new Set<number>());
  const boundary: number[][] = rows.map(() => []);
  for (const edge of edges.values()) {
    neighbours[edge.a]?.add(edge.b);
    neighbours[edge.b]?.add(edge.a);
    if (edge.opposite.length === 1) {
      boundary[edge.a]?.push(edge.b);
      boundary[edge.b]?.push(edge.a);
    }
  }
  const refined: Row[] = rows.map((row, vertex) => {
    const result: Row = new Map();
    const rim = boundary[vertex] ?? [];
    if (rim.length > 0) {
      addScaled(result, row, 3 / 4);
      for (const other of rim) addScaled(result, rows[other], 1 / (4 * rim.length));
      return result;
    }
    const around = neighbours[vertex] ?? new Set<number>();
    const n = around.size;
    if (n === 0) {
      addScaled(result, row, 1);
      return result;
    }
    const centre = 3 / 8 + Math.cos((2 * Math.PI) / n) / 4;
    const beta = (5 / 8 - centre * centre) / n;
    addScaled(result, row, 1 - n * beta);
    for (const other of around) addScaled(result, rows[other], beta);
    return result;
  });
  for (const edge of edges.values()) {
    const result: Row = new Map();
    const inside = edge.opposite.length > 1;
    addScaled(result, rows[edge.a], inside ? 3 / 8 : 1 / 2);
    addScaled(result, rows[edge.b], inside ? 3 / 8 : 1 / 2);
    if (inside) for (const other of edge.opposite) addScaled(result, rows[other], 1 / (4 * edge.opposite.length));
    edge.index = refined.length;
    refined.push(result);
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

/** Refines a triangle mesh `levels` times; every level quarters the triangles. */
export function subdivide(controlCount: number, triangles: Uint32Array, levels: number): Subdivision {
  let state: { rows: Row[]; triangles: Uint32Array } = {
    rows: Array.from({ length: controlCount }, (_, i) => new Map([[i, 1]])),
    triangles,
  };
  for (let level = 0; level < levels; level++) state = refineOnce(state.rows, state.triangles);
  const rowStart = new Uint32Array(state.rows.length + 1);
  state.rows.forEach((row, i) => {
    rowStart[i + 1] = (rowStart[i] ?? 0) + row.size;
  });
  const total = rowStart[state.rows.length] ?? 0;
  const columns = new Uint32Array(total);
  const weights = new Float32Array(total);
  let at = 0;
  for (const row of state.rows) {
    for (const [column, weight] of row) {
      columns[at] = column;
      weights[at] = weight;
      at++;
    }
  }
  return { controlCount, vertexCount: state.rows.length, triangles: state.triangles, rowStart, columns, weights };
}

/** Refines an attribute of `size` numbers a vertex: Float32Array[controlCount × size] → Float32Array[vertexCount × size]. */
export function refine(subdivision: Subdivision, values: Float32Array, size: number): Float32Array {
  const { rowStart, columns, weights, vertexCount } = subdivision;
  const out = new Float32Array(vertexCount * size);
  for (let i = 0; i < vertexCount; i++) {
    const end = rowStart[i + 1] ?? 0;
    for (let e = rowStart[i] ?? 0; e < end; e++) {
      const weight = weights[e] ?? 0;
      const from = (columns[e] ?? 0) * size;
      for (let k = 0; k < size; k++) out[i * size + k] = (out[i * size + k] ?? 0) + weight * (values[from + k] ?? 0);
    }
  }
  return out;
}
