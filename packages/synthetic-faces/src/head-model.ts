import { armSurfaces, collarSurface, necklineOf, neckSurface, torsoSurface } from './geometry/body.ts';
import { type Eyeball, earSurface, eyeballsOf, eyeDome, eyewear } from './geometry/eyes-and-ears.ts';
import { completeHead, headTopology } from './geometry/head-mesh.ts';
import { refine } from './geometry/loop-subdivision.ts';
import { type Surface, vertexNormals } from './geometry/surface.ts';
import { type Expression, express } from './identity/expression.ts';
import { shapeFace } from './identity/face-shape.ts';
import { beardShells, hairShells, type ShellField, shellLayer } from './identity/hair-shells.ts';
import { headwearSurfaces } from './identity/headwear.ts';
import { bunSurface, coversEars, longHair } from './identity/long-hair.ts';
import { bakeSkin, type SkinTexture } from './identity/skin-texture.ts';
import { type Traits, traitsOf, usualSpread } from './identity/traits.ts';
import type { Matrix3 } from './math.ts';
import {
  clothMaterial,
  curtainMaterial,
  eyeMaterial,
  knitMaterial,
  plainSkin,
  shellMaterial,
  skinMaterial,
  solidHairMaterial,
} from './render/materials.ts';
import { ambientOcclusion, type OcclusionMesh } from './render/occlusion.ts';
import { type Material, plainMaterial } from './render/part.ts';

/** The body part that a piece moves with. */
type Frame = 'head' | 'neck' | 'torso' | 'right-eye' | 'left-eye';

/** One mesh of a person, in the person's own resting frame and canonical units. */
export interface Piece {
  readonly frame: Frame;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly uvs: Float32Array;
  readonly occlusion: Float32Array | null;
  readonly triangles: Uint32Array;
  readonly twoSided: boolean;
  readonly castsShadow: boolean;
  /** The material for a head turned by a rotation. */
  readonly material: (rotation: Matrix3) => Material;
}

export interface HeadModel {
  readonly traits: Traits;
  readonly eyeballs: readonly [Eyeball, Eyeball];
  /** All pieces with an expression put on; the last expression's pieces are kept. */
  pieces(expression: Required<Expression>): readonly Piece[];
}

const keptModels = 6;
const models = new Map<string, HeadModel>();

/** The model of a seed's person; the last few are cached, because building one takes some tenths of a second. */
export function headModel(seed: number, spread = usualSpread(seed)): HeadModel {
  const key = `${seed}/${spread}`;
  const known = models.get(key);
  if (known) {
    models.delete(key);
    models.set(key, known);
    return known;
  }
  const model = buildModel(traitsOf(seed, spread));
  models.set(key, model);
  if (models.size > keptModels)
    for (const oldest of models.keys()) {
      models.delete(oldest);
      break;
    }
  return model;
}

interface Still {
  readonly piece: Omit<Piece, 'occlusion'>;
  readonly receives: boolean;
  readonly occludes: boolean;
}

const constant = (material: Material) => (): Material => material;

function solid(
  surface: Surface,
  frame: Frame,
  material: Material,
  options: {
    twoSided?: boolean;
    receives?: boolean;
    occludes?: boolean;
    castsShadow?: boolean;
  } = {},
): Still {
  return {
    piece: {
      frame,
      positions: surface.positions,
      normals: vertexNormals(surface.positions, surface.triangles),
      uvs: surface.uvs,
      triangles: surface.triangles,
      twoSided: options.twoSided ?? false,
      castsShadow: options.castsShadow ?? true,
      material: constant(material),
    },
    receives: options.receives ?? true,
    occludes: options.occludes ?? true,
  };
}

/** Everything about a person that expressions do not change. */
function stillPieces(traits: Traits, face: Float32Array): Still[] {
  const stills: Still[] = [];
  const at = (vertex: number, k: number): number => face[vertex * 3 + k] ?? 0;
  stills.push(solid(neckSurface(traits.body.neckWidth), 'neck', plainSkin(traits.skin.albedo, traits, 0.1)));
  stills.push(
    solid(torsoSurface(traits.body.shoulderWidth), 'torso', clothMaterial(traits, [90, 1.5], necklineOf(traits))),
  );
  stills.push(solid(armSurfaces(traits.body.shoulderWidth), 'torso', clothMaterial(traits, [26, 1.5], null)));
  const collar = collarSurface(traits);
  if (collar) stills.push(solid(collar, 'torso', clothMaterial(traits, [60, 8], null), { twoSided: true }));
  if (!coversEars(traits)) {
    const anchor = [
      (at(454, 0) - at(234, 0)) / 2 - 0.35,
      (at(454, 1) + at(234, 1)) / 2 + 0.55,
      (at(454, 2) + at(234, 2)) / 2 - 0.55,
    ] as const;
    stills.push(
      solid(
        earSurface(anchor, traits.ears.size, traits.ears.flare),
        'head',
        plainSkin(traits.skin.albedo, traits, 0.5 + 0.5 * traits.skin.redness),
      ),
    );
  }
  for (const { surface, depth } of longHair(traits)) {
    stills.push(
      solid(surface, 'head', curtainMaterial(traits, depth), {
        twoSided: true,
        occludes: depth === 0,
        castsShadow: depth === 0,
      }),
    );
  }
  const bun = bunSurface(traits);
  if (bun) stills.push(solid(bun, 'head', solidHairMaterial(traits)));
  const { style, thickness, colour } = traits.glasses;
  if (style !== 'none') {
    const frame = eyewear(style, thickness, {
      eyeX: (at(263, 0) + at(362, 0) - at(33, 0) - at(133, 0)) / 4,
      eyeY: (at(159, 1) + at(145, 1) + at(386, 1) + at(374, 1)) / 4,
      frontZ: Math.max(at(168, 2) + 0.3, at(6, 2) - 0.1, at(105, 2) + 0.25),
      templeX: (at(454, 0) - at(234, 0)) / 2 + 0.25,
      earZ: at(454, 2) - 1.5,
    });
    const put = { twoSided: true, receives: false, occludes: false } as const;
    stills.push(solid(frame, 'head', plainMaterial(colour, 0.06, 60), put));
  }
  return stills;
}

function buildModel(traits: Traits): HeadModel {
  const topology = headTopology();
  const face = shapeFace(traits);
  const skin = bakeSkin(traits);
  const eyeballs = eyeballsOf(face);
  const cranium = {
    ...traits.cranium,
    doubleChin: Math.max(0, traits.shape.cheekFullness * 0.35 + traits.shape.jowls * 0.25),
  };
  const hair = traits.headwear.style === 'none' ? hairShells(traits) : null;
  const beard = beardShells(traits);
  const control = completeHead(face, cranium);
  const coarse = refine(topology.coarse, control, 3);
  const coarseNormals = vertexNormals(coarse, topology.coarse.triangles);
  const stills = stillPieces(traits, face);
  for (const { surface, knit, covers } of headwearSurfaces(traits, coarse, coarseNormals)) {
    stills.push(
      solid(surface, 'head', knitMaterial(traits.headwear.colour, traits.seed, knit ? 90 : 0, covers), {
        twoSided: true,
      }),
    );
  }
  const occlusion = modelOcclusion(coarse, coarseNormals, stills, hair, eyeballs);
  let last: { blink: number; pieces: readonly Piece[] } | null = null;
  return {
    traits,
    eyeballs,
    pieces(expression) {
      if (last?.blink !== expression.blink) {
        last = {
          blink: expression.blink,
          pieces: assemble(traits, face, expression, cranium, skin, hair, beard, stills, occlusion),
        };
      }
      return last.pieces;
    },
  };
}

interface ModelOcclusion {
  readonly coarse: Float32Array;
  readonly fine: Float32Array;
  readonly hair: Float32Array | null;
  readonly eyes: readonly [Float32Array, Float32Array];
  readonly stills: readonly (Float32Array | null)[];
}

function placedEye({ centre, radius }: Eyeball): Float32Array {
  const out = new Float32Array(eyeDome.positions.length);
  for (let i = 0; i < out.length; i++) out[i] = (eyeDome.positions[i] as number) * radius + (centre[i % 3] as number);
  return out;
}

function modelOcclusion(
  coarse: Float32Array,
  normals: Float32Array,
  stills: readonly Still[],
  hair: ShellField | null,
  eyeballs: readonly [Eyeball, Eyeball],
): ModelOcclusion {
  const { coarse: mesh, fine } = headTopology();
  const head: OcclusionMesh = { positions: coarse, normals, triangles: mesh.triangles };
  const domes = eyeballs.map(
    (eye): OcclusionMesh => ({ positions: placedEye(eye), normals: eyeDome.positions, triangles: eyeDome.triangles }),
  );
  const receivers: OcclusionMesh[] = [head, ...domes];
  const casters: OcclusionMesh[] = [head];
  if (hair) {
    const positions = shellLayer(hair, hair.layers, coarse, normals);
    receivers.push({ positions, normals, triangles: hair.triangles });
    casters.push({
      positions: shellLayer(hair, hair.layers * 0.6, coarse, normals),
      normals,
      triangles: hair.triangles,
    });
  }
  const receiving = stills.filter((still) => still.receives);
  receivers.push(...receiving.map((still) => still.piece));
  casters.push(...stills.filter((still) => still.occludes).map((still) => still.piece));
  const found = ambientOcclusion(receivers, casters);
  const first = hair ? 4 : 3;
  const headOpen = found[0] as Float32Array;
  return {
    coarse: headOpen,
    fine: refineFromCoarse(headOpen, fine.vertexCount),
    hair: hair ? (found[3] as Float32Array) : null,
    eyes: [found[1] as Float32Array, found[2] as Float32Array],
    stills: stills.map((still) => (still.receives ? (found[first + receiving.indexOf(still)] as Float32Array) : null)),
  };
}

/** Coarse vertices keep their index when refined; the new ones lie on the middle of an edge. */
function refineFromCoarse(values: Float32Array, fineCount: number): Float32Array {
  const { coarse, fine } = headTopology();
  const out = new Float32Array(fineCount);
  out.set(values);
  for (let t = 0; t < coarse.triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [coarse.triangles[t + k] as number, coarse.triangles[t + ((k + 1) % 3)] as number];
      // A triangle's fourth part consists of its edges' new vertices, in the order of its edges.
      const middle = fine.triangles[t * 4 + 9 + k] as number;
      out[middle] = ((values[a] as number) + (values[b] as number)) / 2;
    }
  }
  return out;
}

function assemble(
  traits: Traits,
  face: Float32Array,
  expression: Required<Expression>,
  cranium: Parameters<typeof completeHead>[1],
  skin: SkinTexture,
  hair: ShellField | null,
  beard: ShellField | null,
  stills: readonly Still[],
  occlusion: ModelOcclusion,
): readonly Piece[] {
  const topology = headTopology();
  const expressed = express(face, expression);
  const control = completeHead(expressed, cranium);
  const fine = refine(topology.fine, control, 3);
  const pieces: Piece[] = [];
  pieces.push({
    frame: 'head',
    positions: fine,
    normals: vertexNormals(fine, topology.fine.triangles),
    uvs: topology.uvFine,
    occlusion: occlusion.fine,
    triangles: topology.fine.triangles,
    twoSided: false,
    castsShadow: true,
    material: (rotation) => skinMaterial(skin, rotation, traits.skin.tone),
  });
  const coarse = refine(topology.coarse, control, 3);
  const normals = vertexNormals(coarse, topology.coarse.triangles);
  for (const [field, open, isBeard] of [
    [hair, occlusion.hair, false],
    [beard, occlusion.coarse, true],
  ] as const) {
    if (!field) continue;
    for (let layer = 1; layer <= field.layers; layer++) {
      pieces.push({
        frame: 'head',
        positions: shellLayer(field, layer, coarse, normals),
        normals,
        uvs: topology.uvCoarse,
        occlusion: open,
        triangles: field.triangles,
        twoSided: false,
        castsShadow: !isBeard && layer === Math.ceil(field.layers * 0.6),
        material: constant(shellMaterial(field, layer, traits, isBeard)),
      });
    }
  }
  (['right-eye', 'left-eye'] as const).forEach((frame, i) => {
    pieces.push({
      frame,
      positions: eyeDome.positions,
      normals: eyeDome.positions,
      uvs: eyeDome.uvs,
      occlusion: occlusion.eyes[i as 0 | 1],
      triangles: eyeDome.triangles,
      twoSided: false,
      castsShadow: false,
      material: constant(eyeMaterial(traits, i)),
    });
  });
  stills.forEach((still, i) => {
    pieces.push({ ...still.piece, occlusion: occlusion.stills[i] ?? null });
  });
  return pieces;
}
