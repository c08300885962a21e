import { headTopology } from '../geometry/head-mesh.ts';
import { gridSurface, type Surface } from '../geometry/surface.ts';
import { hypot2, lerp, smoothstep } from '../math.ts';
import { noise2 } from '../random.ts';
import { lookUpField, paintField, trianglesWhere } from './hair-shells.ts';
import type { Traits } from './traits.ts';

interface HeadwearSurface {
  readonly surface: Surface;
  readonly knit: boolean;
  /** Where the cloth is, by skin-texture coordinates; null for all of the surface. */
  readonly covers: ((u: number, v: number) => boolean) | null;
}

/** Signed distance into the cloth at a point of the average head, roughly in quarters of a unit. */
function clothEdge(x: number, y: number, z: number, scarf: boolean): number {
  if (!scarf) return (y - lerp(0.2, 6.4, smoothstep(-3.5, 3.5, z))) / 4;
  // Outside an oval round the face.
  const oval = hypot2(x / 6.4, (y + 0.9) / (y > 0 ? 8 : 8.1));
  return oval + 0.06 * smoothstep(0, -4, z) + 0.5 * smoothstep(1, -2.5, z) - 1;
}

/** A knitted cap, or a scarf round head and neck, laid over the coarse head. */
export function headwearSurfaces(
  traits: Traits,
  positions: Float32Array,
  normals: Float32Array,
): readonly HeadwearSurface[] {
  if (traits.headwear.style === 'none') return [];
  const { restCoarse, uvCoarse } = headTopology();
  const scarf = traits.headwear.style === 'headscarf';
  const salt = (traits.seed * 193 + 7) | 0;
  const count = restCoarse.length / 3;
  const inside = new Float32Array(count);
  const shifted = new Float32Array(positions.length);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [restCoarse[i * 3] as number, restCoarse[i * 3 + 1] as number, restCoarse[i * 3 + 2] as number];
    const edge = clothEdge(x, y, z, scarf);
    inside[i] = edge;
    const rise = smoothstep(-0.02, 0.12, edge);
    const fold = scarf ? 0.22 * noise2(x * 0.5 + y * 0.3, z * 0.4 + y * 0.5, salt) : 0.3 * smoothstep(9, 14, y);
    const brim = scarf ? 0 : 0.35 * smoothstep(0.62, 0.5, edge);
    const lift = (scarf ? 0.55 : 0.75) * rise + fold * rise + brim * rise;
    for (let k = 0; k < 3; k++)
      shifted[i * 3 + k] = (positions[i * 3 + k] as number) + (normals[i * 3 + k] as number) * lift;
  }
  const triangles = trianglesWhere((vertex) => (inside[vertex] as number) > -0.05);
  const field = paintField((x, y, z) => clothEdge(x, y, z, scarf));
  const cap: HeadwearSurface = {
    surface: { positions: shifted, uvs: uvCoarse, triangles },
    knit: !scarf,
    covers: (u, v) => lookUpField(field, u, v) > 0,
  };
  if (!scarf) return [cap];
  const drape = gridSurface(48, 16, (u, v) => {
    const angle = 2 * Math.PI * (u - 0.5);
    const y = lerp(-5.5, -17.5, v);
    const flare = lerp(6.9, 12.5, smoothstep(-9, -17.5, y));
    const wave = 1 + 0.05 * noise2(u * 12, v * 3, salt);
    return [
      Math.sin(angle) * flare * wave,
      y - 1.2 * Math.max(0, Math.cos(angle)) * v,
      -3.6 + Math.cos(angle) * flare * 0.92 * wave,
    ];
  });
  return [cap, { surface: drape, knit: false, covers: null }];
}

/** Signed distance into a mask from the bridge of the nose to below the chin, at a point of the average head. */
const maskEdge = (x: number, y: number, z: number): number => Math.min(0.9 - 0.04 * x * x - y, y + 9.4, 0.6 * z) / 3;

const [noseTip, chin] = [1, 152];

/** A surgical mask over the coarse head: close on nose and cheeks, and spanned from nose to chin over the lips. */
export function maskSurface(
  positions: Float32Array,
  normals: Float32Array,
): Pick<HeadwearSurface, 'surface' | 'covers'> {
  const { restCoarse, uvCoarse } = headTopology();
  const at = (values: Float32Array, vertex: number, k: number): number => values[vertex * 3 + k] as number;
  const [lowest, highest] = [at(positions, chin, 1), at(positions, noseTip, 1)];
  const shifted = positions.map((value, i) => value + 0.3 * (normals[i] as number));
  for (let i = 0; i < shifted.length / 3; i++) {
    const share = (at(shifted, i, 1) - lowest) / (highest - lowest);
    if (share <= 0 || share >= 1) continue;
    const spanned = lerp(at(positions, chin, 2), at(positions, noseTip, 2), share) - 0.12 * at(shifted, i, 0) ** 2;
    shifted[i * 3 + 2] = Math.max(at(shifted, i, 2), spanned + 0.3);
  }
  const edgeAt = (vertex: number): number =>
    maskEdge(at(restCoarse, vertex, 0), at(restCoarse, vertex, 1), at(restCoarse, vertex, 2));
  const triangles = trianglesWhere((vertex) => edgeAt(vertex) > -0.05);
  const field = paintField(maskEdge);
  return { surface: { positions: shifted, uvs: uvCoarse, triangles }, covers: (u, v) => lookUpField(field, u, v) > 0 };
}
