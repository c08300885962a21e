import { hypot3, lerp, smoothstep } from '../math.ts';
import { canonicalFace, canonicalVertexCount, faceOval, innerLips, leftEye, loopMean, rightEye } from './canonical.ts';
import { refine, type Subdivision, subdivide } from './loop-subdivision.ts';

/** Scale factors of the skull, which the 468-point face model does not contain. */
interface CraniumShape {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** How far the skin under the chin hangs, in canonical units. */
  readonly doubleChin: number;
}

const averageCranium: CraniumShape = { width: 1, height: 1, depth: 1, doubleChin: 0 };

/** Centre of the cranium's ellipsoid in canonical units. */
export const craniumCentre = [0, 3.2, -4.6] as const;
export const craniumRadii = [7.95, 9.5, 9.6] as const;

/** Scale of the face in the texture: it takes the centre, and the rest of the head lies around it. */
const faceTextureScale = 0.72;

const ringCount = 7;
const ovalSize = faceOval.length;

interface HoleRing {
  /** How far to the hole's centre in x and y, and in the texture. */
  readonly inward: readonly [number, number];
  readonly uv: number;
  /** Depth in canonical units. */
  readonly back: number;
}

interface Hole {
  readonly loop: readonly number[];
  readonly counterClockwise: boolean;
  /** Extra vertex rings inside the hole. */
  readonly rings: readonly HoleRing[];
}

const eyeRings = [
  { inward: [0.05, 0.12], back: 0.12, uv: 0.3 },
  { inward: [0.07, 0.16], back: 0.95, uv: 0.6 },
] as const;
const holes: readonly Hole[] = [
  { loop: rightEye, counterClockwise: true, rings: eyeRings },
  { loop: leftEye, counterClockwise: false, rings: eyeRings },
  {
    loop: innerLips,
    counterClockwise: true,
    rings: [
      { inward: [0.02, 0.55], back: 0.3, uv: 0.35 },
      { inward: [0.06, 0.3], back: 1.9, uv: 0.7 },
      { inward: [0.97, 0.97], back: 2.8, uv: 0.95 },
    ],
  },
];

const holesStart = canonicalVertexCount + ovalSize * ringCount;
const controlVertexCount = holesStart + holes.reduce((sum, hole) => sum + hole.loop.length * hole.rings.length, 0);

/** Visits the extra rings of all holes with the index of their first control vertex. */
function eachHoleRing(visit: (loop: readonly number[], ring: HoleRing, base: number) => void): void {
  let base = holesStart;
  for (const { loop, rings } of holes) {
    for (const ring of rings) {
      visit(loop, ring, base);
      base += loop.length;
    }
  }
}

/** Mesh data shared by all identities. */
interface HeadTopology {
  /** One level finer than the control mesh: for hair, shadows and occlusion. */
  readonly coarse: Subdivision;
  /** Two levels finer: what is drawn. */
  readonly fine: Subdivision;
  /** Control points of the average head: Float32Array[controlVertexCount × 3]. */
  readonly restControl: Float32Array;
  readonly restCoarse: Float32Array;
  readonly restFine: Float32Array;
  readonly uvCoarse: Float32Array;
  readonly uvFine: Float32Array;
}

function controlTriangles(faceTriangles: Uint32Array): Uint32Array {
  const sets = holes.map((hole) => new Set<number>(hole.loop));
  const triangles: number[] = [];
  for (let t = 0; t < faceTriangles.length; t += 3) {
    const corners = [faceTriangles[t] ?? 0, faceTriangles[t + 1] ?? 0, faceTriangles[t + 2] ?? 0];
    if (!sets.some((set) => corners.every((corner) => set.has(corner)))) triangles.push(...corners);
  }
  const ringVertex = (ring: number, i: number): number =>
    ring === 0 ? (faceOval[i % ovalSize] ?? 0) : canonicalVertexCount + (ring - 1) * ovalSize + (i % ovalSize);
  for (let ring = 0; ring < ringCount; ring++) {
    for (let i = 0; i < ovalSize; i++) {
      const [p, next] = [ringVertex(ring, i), ringVertex(ring, i + 1)];
      const [q, qNext] = [ringVertex(ring + 1, i), ringVertex(ring + 1, i + 1)];
      triangles.push(p, next, qNext, p, qNext, q);
    }
  }
  let base = holesStart;
  for (const hole of holes) {
    const n = hole.loop.length;
    for (let ring = 0; ring < hole.rings.length; ring++) {
      const start = base;
      const vertex = (level: number, i: number): number =>
        level === 0 ? (hole.loop[i % n] ?? 0) : start + (level - 1) * n + (i % n);
      for (let i = 0; i < n; i++) {
        const [p, next, q, qNext] = [
          vertex(ring, i),
          vertex(ring, i + 1),
          vertex(ring + 1, i),
          vertex(ring + 1, i + 1),
        ];
        if (hole.counterClockwise) triangles.push(p, next, qNext, p, qNext, q);
        else triangles.push(p, qNext, next, p, q, qNext);
      }
    }
    base += n * hole.rings.length;
  }
  return Uint32Array.from(triangles);
}

function slerpToPole(direction: readonly number[], pole: readonly number[], s: number): [number, number, number] {
  const [dx = 0, dy = 0, dz = 0] = direction;
  const [px = 0, py = 0, pz = 0] = pole;
  const angle = Math.acos(Math.max(-1, Math.min(1, dx * px + dy * py + dz * pz)));
  const sine = Math.sin(angle) || 1;
  const [a, b] = [Math.sin((1 - s) * angle) / sine, Math.sin(s * angle) / sine];
  return [dx * a + px * b, dy * a + py * b, dz * a + pz * b];
}

/**
 * Completes 468 face points to the whole control mesh: cranium, underside of the jaw, lid margins and inner lips. From
 * the face oval, rings run to a pole at the back: above along the cranium's ellipsoid, below along a jaw curve.
 *
 * @param face Float32Array[468 × 3] in canonical units
 * @returns Float32Array[controlVertexCount × 3]
 */
export function completeHead(face: Float32Array, cranium: CraniumShape): Float32Array {
  const control = new Float32Array(controlVertexCount * 3);
  control.set(face.subarray(0, canonicalVertexCount * 3));
  const [cx, cy, cz] = craniumCentre;
  const radii = [
    craniumRadii[0] * cranium.width,
    craniumRadii[1] * cranium.height,
    craniumRadii[2] * cranium.depth,
  ] as const;
  const pole = [0, -0.15, -0.9887];
  faceOval.forEach((vertex, i) => {
    const [px, py, pz] = [face[vertex * 3] ?? 0, face[vertex * 3 + 1] ?? 0, face[vertex * 3 + 2] ?? 0];
    const [ex, ey, ez] = [(px - cx) / radii[0], (py - cy) / radii[1], (pz - cz) / radii[2]];
    const reach = hypot3(ex, ey, ez) || 1;
    const direction = [ex / reach, ey / reach, ez / reach];
    const upper = smoothstep(-3.5, 0.5, py);
    const front = smoothstep(-2, 4, pz);
    for (let ring = 1; ring <= ringCount; ring++) {
      const s = ring / ringCount;
      const [sx, sy, sz] = slerpToPole(direction, pole, s ** 1.15);
      const rho = lerp(reach, 1, smoothstep(0, 0.55, s));
      const dome = [cx + sx * rho * radii[0], cy + sy * rho * radii[1], cz + sz * rho * radii[2]] as const;
      const sag = (0.35 + cranium.doubleChin) * Math.sin(Math.PI * Math.min(1, s * 1.25)) * (0.4 + 0.6 * front);
      const jaw = [
        px * lerp(1, 0.6, s ** 1.4),
        py + lerp(0, 1.2, s * s) - sag,
        pz - lerp(0, 7.5 + 1.5 * front, s) * (0.25 + 0.75 * s ** 0.6),
      ] as const;
      const at = (canonicalVertexCount + (ring - 1) * ovalSize + i) * 3;
      for (const k of [0, 1, 2] as const) control[at + k] = lerp(jaw[k], dome[k], upper);
    }
  });
  eachHoleRing((loop, ring, base) => {
    const centre = loopMean(loop, face, 3);
    loop.forEach((vertex, i) => {
      for (const k of [0, 1, 2]) {
        const p = face[vertex * 3 + k] ?? 0;
        const inward = k === 2 ? 0 : (ring.inward[k] ?? 0);
        control[(base + i) * 3 + k] = lerp(p, centre[k] ?? 0, inward) - (k === 2 ? ring.back : 0);
      }
    });
  });
  return control;
}

function controlUvs(faceUvs: Float32Array): Float32Array {
  const uvs = new Float32Array(controlVertexCount * 2);
  for (let i = 0; i < canonicalVertexCount * 2; i++) uvs[i] = 0.5 + ((faceUvs[i] ?? 0) - 0.5) * faceTextureScale;
  faceOval.forEach((vertex, i) => {
    for (let ring = 1; ring <= ringCount; ring++) {
      const at = canonicalVertexCount + (ring - 1) * ovalSize + i;
      for (const k of [0, 1]) uvs[at * 2 + k] = 0.5 + ((uvs[vertex * 2 + k] ?? 0) - 0.5) * (1 + 0.055 * ring);
    }
  });
  eachHoleRing((loop, ring, base) => {
    const centre = loopMean(loop, uvs, 2);
    loop.forEach((vertex, i) => {
      for (const k of [0, 1]) uvs[(base + i) * 2 + k] = lerp(uvs[vertex * 2 + k] ?? 0, centre[k] ?? 0, ring.uv);
    });
  });
  return uvs;
}

let topology: HeadTopology | null = null;

export function headTopology(): HeadTopology {
  topology ??= buildTopology();
  return topology;
}

function buildTopology(): HeadTopology {
  const face = canonicalFace();
  const triangles = controlTriangles(face.triangles);
  const [coarse, fine] = subdivide(controlVertexCount, triangles, 2) as [Subdivision, Subdivision];
  const restControl = completeHead(face.positions, averageCranium);
  const uv = controlUvs(face.uvs);
  return {
    coarse,
    fine,
    restControl,
    restCoarse: refine(coarse, restControl, 3),
    restFine: refine(fine, restControl, 3),
    uvCoarse: refine(coarse, uv, 2),
    uvFine: refine(fine, uv, 2),
  };
}
