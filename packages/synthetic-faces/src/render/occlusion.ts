import { hypot3 } from '../math.ts';
import { splatDepth } from './rasteriser.ts';

/** A mesh that takes part in the search for closed-in places. */
export interface OcclusionMesh {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly triangles: Uint32Array;
}

const directionCount = 40;
const mapSize = 112;
const bias = 0.22;
const pixels = { origin: [0, 0], scale: 1, shift: 0 } as const;

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
    for (const caster of casters) splatDepth(depth, mapSize, project(caster.positions), caster.triangles, pixels);
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
