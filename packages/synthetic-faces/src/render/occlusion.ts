import { hypot3 } from '../math.ts';

/** A mesh that takes part in the search for closed-in places. */
export interface OcclusionMesh {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly triangles: Uint32Array;
}

const directionCount = 40;
const mapSize = 112;
const bias = 0.22;

/**
 * Ambient occlusion per vertex: the cosine-weighted share of directions in which nothing stands in the way, found by
 * one small depth map for each of a spread of directions.
 *
 * @returns one Float32Array[n] a receiver, 0 closed in … 1 open
 */
export function ambientOcclusion(
  receivers: readonly OcclusionMesh[],
  casters: readonly OcclusionMesh[],
): Float32Array[] {
  const open = receivers.map(({ positions }) => new Float32Array(positions.length / 3));
  const total = receivers.map(({ positions }) => new Float32Array(positions.length / 3));
  let [radius, cx, cy, cz, count] = [0, 0, 0, 0, 0];
  for (const { positions } of casters) {
    for (let i = 0; i < positions.length; i += 3, count++) {
      cx += positions[i] as number;
      cy += positions[i + 1] as number;
      cz += positions[i + 2] as number;
    }
  }
  [cx, cy, cz] = [cx / count, cy / count, cz / count];
  for (const { positions } of casters) {
    for (let i = 0; i < positions.length; i += 3) {
      const distance = hypot3(
        (positions[i] as number) - cx,
        (positions[i + 1] as number) - cy,
        (positions[i + 2] as number) - cz,
      );
      if (distance > radius) radius = distance;
    }
  }
  const scale = mapSize / (2 * radius);
  const depth = new Float32Array(mapSize * mapSize);
  for (let d = 0; d < directionCount; d++) {
    const dz = 1 - (2 * d + 1) / directionCount;
    const ring = Math.sqrt(1 - dz * dz);
    const angle = d * 2.399963;
    const [dx, dy] = [ring * Math.cos(angle), ring * Math.sin(angle)];
    const across = Math.hypot(dx, dz) || 1;
    const [rx, rz] = [dz / across, -dx / across];
    const [ux, uy, uz] = [dy * rz, dz * rx - dx * rz, -dy * rx];
    depth.fill(-Infinity);
    const project = (positions: Float32Array): Float32Array => {
      const out = new Float32Array(positions.length);
      for (let i = 0; i < positions.length; i += 3) {
        const x = (positions[i] as number) - cx;
        const y = (positions[i + 1] as number) - cy;
        const z = (positions[i + 2] as number) - cz;
        out[i] = (x * rx + z * rz + radius) * scale - 0.5;
        out[i + 1] = (x * ux + y * uy + z * uz + radius) * scale - 0.5;
        out[i + 2] = x * dx + y * dy + z * dz;
      }
      return out;
    };
    for (const caster of casters) splatDepth(depth, project(caster.positions), caster.triangles);
    receivers.forEach(({ positions, normals }, r) => {
      const projected = project(positions);
      const seen = open[r] as Float32Array;
      const sum = total[r] as Float32Array;
      for (let i = 0, at = 0; i < seen.length; i++, at += 3) {
        const cosine =
          (normals[at] as number) * dx + (normals[at + 1] as number) * dy + (normals[at + 2] as number) * dz;
        if (cosine <= 0.02) continue;
        sum[i] = (sum[i] as number) + cosine;
        const px = Math.round(projected[at] as number);
        const py = Math.round(projected[at + 1] as number);
        const inside = px >= 0 && py >= 0 && px < mapSize && py < mapSize;
        const blocked = inside && (depth[py * mapSize + px] as number) > (projected[at + 2] as number) + bias;
        if (!blocked) seen[i] = (seen[i] as number) + cosine;
      }
    });
  }
  open.forEach((seen, r) => {
    const sum = total[r] as Float32Array;
    for (let i = 0; i < seen.length; i++)
      seen[i] = (sum[i] as number) > 0 ? (seen[i] as number) / (sum[i] as number) : 0;
  });
  return open;
}

function splatDepth(depth: Float32Array, projected: Float32Array, triangles: Uint32Array): void {
  for (let t = 0; t < triangles.length; t += 3) {
    const a = (triangles[t] as number) * 3;
    const b = (triangles[t + 1] as number) * 3;
    const c = (triangles[t + 2] as number) * 3;
    const xa = projected[a] as number;
    const ya = projected[a + 1] as number;
    const xb = projected[b] as number;
    const yb = projected[b + 1] as number;
    const xc = projected[c] as number;
    const yc = projected[c + 1] as number;
    const area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya);
    if (Math.abs(area) < 1e-9) continue;
    const inverse = 1 / area;
    const za = projected[a + 2] as number;
    const zb = projected[b + 2] as number;
    const zc = projected[c + 2] as number;
    const minX = Math.max(0, Math.ceil(Math.min(xa, xb, xc)));
    const maxX = Math.min(mapSize - 1, Math.floor(Math.max(xa, xb, xc)));
    const minY = Math.max(0, Math.ceil(Math.min(ya, yb, yc)));
    const maxY = Math.min(mapSize - 1, Math.floor(Math.max(ya, yb, yc)));
    for (let py = minY; py <= maxY; py++) {
      for (let px = minX; px <= maxX; px++) {
        const wa = ((xc - xb) * (py - yb) - (yc - yb) * (px - xb)) * inverse;
        const wb = ((xa - xc) * (py - yc) - (ya - yc) * (px - xc)) * inverse;
        const wc = 1 - wa - wb;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const value = wa * za + wb * zb + wc * zc;
        const at = py * mapSize + px;
        if (value > (depth[at] as number)) depth[at] = value;
      }
    }
  }
}
