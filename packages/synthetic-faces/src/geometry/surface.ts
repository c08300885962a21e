import { hypot3 } from '../math.ts';

/** A triangle mesh with per-vertex texture coordinates. */
export interface Surface {
  /** Float32Array[n × 3]. */
  readonly positions: Float32Array;
  /** Float32Array[n × 2]; what they mean is up to the material. */
  readonly uvs: Float32Array;
  readonly triangles: Uint32Array;
}

/** Area-weighted unit normals: Float32Array[n × 3], outward for counter-clockwise triangles seen from outside. */
export function vertexNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = (triangles[t] as number) * 3;
    const b = (triangles[t + 1] as number) * 3;
    const c = (triangles[t + 2] as number) * 3;
    const ax = positions[a] as number;
    const ay = positions[a + 1] as number;
    const az = positions[a + 2] as number;
    const ux = (positions[b] as number) - ax;
    const uy = (positions[b + 1] as number) - ay;
    const uz = (positions[b + 2] as number) - az;
    const vx = (positions[c] as number) - ax;
    const vy = (positions[c + 1] as number) - ay;
    const vz = (positions[c + 2] as number) - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (let k = 0; k < 3; k++) {
      const at = k === 0 ? a : k === 1 ? b : c;
      normals[at] = (normals[at] as number) + nx;
      normals[at + 1] = (normals[at + 1] as number) + ny;
      normals[at + 2] = (normals[at + 2] as number) + nz;
    }
  }
  for (let i = 0; i < normals.length; i += 3) {
    const [x, y, z] = [normals[i] as number, normals[i + 1] as number, normals[i + 2] as number];
    const length = hypot3(x, y, z) || 1;
    normals[i] = x / length;
    normals[i + 1] = y / length;
    normals[i + 2] = z / length;
  }
  return normals;
}

export type Point3 = readonly [number, number, number];

/**
 * A grid of (columns + 1) × (rows + 1) points sampled from a parametric surface over u, v in [0, 1]²; texture
 * coordinates are u and v. Triangles face the side from which u runs right and v runs down.
 */
export function gridSurface(columns: number, rows: number, at: (u: number, v: number) => Point3): Surface {
  const positions = new Float32Array((columns + 1) * (rows + 1) * 3);
  const uvs = new Float32Array((columns + 1) * (rows + 1) * 2);
  for (let j = 0; j <= rows; j++) {
    for (let i = 0; i <= columns; i++) {
      const index = j * (columns + 1) + i;
      positions.set(at(i / columns, j / rows), index * 3);
      uvs.set([i / columns, j / rows], index * 2);
    }
  }
  const triangles = new Uint32Array(columns * rows * 6);
  let t = 0;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const a = j * (columns + 1) + i;
      const [b, c, d] = [a + 1, a + columns + 1, a + columns + 2];
      triangles.set([a, c, b, b, c, d], t);
      t += 6;
    }
  }
  return { positions, uvs, triangles };
}

/** A tube of radius `radius(s)` round a path s ∈ [0, 1] → point; u runs round it, v along it. */
export function tube(
  path: (s: number) => Point3,
  radius: (s: number) => readonly [number, number],
  segments: number,
  sides: number,
  up: Point3,
): Surface {
  return gridSurface(sides, segments, (u, v) => {
    const step = 0.5 / segments;
    const [p, before, after] = [path(v), path(Math.max(0, v - step)), path(Math.min(1, v + step))];
    const [tx, ty, tz] = [after[0] - before[0], after[1] - before[1], after[2] - before[2]];
    let [sx, sy, sz] = [ty * up[2] - tz * up[1], tz * up[0] - tx * up[2], tx * up[1] - ty * up[0]];
    const side = hypot3(sx, sy, sz) || 1;
    [sx, sy, sz] = [sx / side, sy / side, sz / side];
    let [nx, ny, nz] = [sy * tz - sz * ty, sz * tx - sx * tz, sx * ty - sy * tx];
    const normal = hypot3(nx, ny, nz) || 1;
    [nx, ny, nz] = [nx / normal, ny / normal, nz / normal];
    const [ra, rb] = radius(v);
    const [c, s] = [Math.cos(2 * Math.PI * u) * ra, Math.sin(2 * Math.PI * u) * rb];
    return [p[0] + sx * c + nx * s, p[1] + sy * c + ny * s, p[2] + sz * c + nz * s];
  });
}

/** One surface out of several; texture coordinates are kept. */
export function joinSurfaces(surfaces: readonly Surface[]): Surface {
  let [vertices, indices] = [0, 0];
  for (const surface of surfaces) {
    vertices += surface.positions.length / 3;
    indices += surface.triangles.length;
  }
  const joined = {
    positions: new Float32Array(vertices * 3),
    uvs: new Float32Array(vertices * 2),
    triangles: new Uint32Array(indices),
  };
  let [base, at] = [0, 0];
  for (const surface of surfaces) {
    joined.positions.set(surface.positions, base * 3);
    joined.uvs.set(surface.uvs, base * 2);
    for (const index of surface.triangles) joined.triangles[at++] = base + index;
    base += surface.positions.length / 3;
  }
  return joined;
}
