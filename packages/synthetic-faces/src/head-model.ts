import { armSurfaces, collarSurface, necklineOf, neckSurface, torsoSurface } from './geometry/body.ts';
import { type Eyeball, earSurface, eyeballsOf, eyeDome, eyewear } from './geometry/eyes-and-ears.ts';
import { completeHead, headTopology } from './geometry/head-mesh.ts';
import { refine } from './geometry/loop-subdivision.ts';
import { type Surface, vertexNormals } from './geometry/surface.ts';
import { srgb } from './identity/colours.ts';
import { type Expression, express } from './identity/expression.ts';
import { shapeFace } from './identity/face-shape.ts';
import { beardShells, hairShells, type ShellField, shellLayer } from './identity/hair-shells.ts';
import { headwearSurfaces, maskSurface } from './identity/headwear.ts';
import { bunSurface, coversEars, longHair } from './identity/long-hair.ts';
import { bakeSkin } from './identity/skin-texture.ts';
import { type Traits, traitsOf, usualSpread, type Worn } from './identity/traits.ts';
import { lastFew } from './last-few.ts';
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

const models = lastFew<HeadModel>(6);

/** The model of a seed's person; the last few are kept, because building one takes some tenths of a second. */
export const headModel = (seed: number, spread = usualSpread(seed), wears: Worn = {}): HeadModel =>
  models(`${seed}/${spread}/${JSON.stringify(wears)}`, () => buildModel(traitsOf(seed, spread, wears)));

interface Still {
  readonly piece: Omit<Piece, 'occlusion'>;
  readonly receives: boolean;
  readonly occludes: boolean;
}

const constant = (material: Material) => (): Material => material;

type StillOptions = Partial<Pick<Still, 'receives' | 'occludes'> & Pick<Piece, 'twoSided' | 'castsShadow'>>;

function solid(surface: Surface, frame: Frame, material: Material, options: StillOptions = {}): Still {
  const { receives = true, occludes = true, twoSided = false, castsShadow = true } = options;
  const normals = vertexNormals(surface.positions, surface.triangles);
  const piece = { ...surface, normals, frame, twoSided, castsShadow, material: constant(material) };
  return { piece, receives, occludes };
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
    const { size, flare } = traits.ears;
    const material = plainSkin(traits.skin.albedo, traits, 0.5 + 0.5 * traits.skin.redness);
    stills.push(solid(earSurface(anchor, size, flare), 'head', material));
  }
  for (const { surface, depth } of longHair(traits)) {
    const options = { twoSided: true, occludes: depth === 0, castsShadow: depth === 0 };
    stills.push(solid(surface, 'head', curtainMaterial(traits, depth), options));
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
  const beard = traits.mask ? null : beardShells(traits);
  const control = completeHead(face, cranium);
  const coarse = refine(topology.coarse, control, 3);
  const coarseNormals = vertexNormals(coarse, topology.coarse.triangles);
  const stills = stillPieces(traits, face);
  for (const { surface, knit, covers } of headwearSurfaces(traits, coarse, coarseNormals)) {
    const material = knitMaterial(traits.headwear.colour, traits.seed, knit ? 90 : 0, covers);
    stills.push(solid(surface, 'head', material, { twoSided: true }));
  }
  if (traits.mask) {
    const { surface, covers } = maskSurface(coarse, coarseNormals);
    stills.push(solid(surface, 'head', knitMaterial(srgb(152, 190, 212), traits.seed, 0, covers), { twoSided: true }));
  }
  const occlusion = modelOcclusion(coarse, coarseNormals, stills, hair, eyeballs);
  const assembled = (expression: Required<Expression>): readonly Piece[] => {
    const shape = completeHead(express(face, expression), cranium);
    const fine = refine(topology.fine, shape, 3);
    const positions = refine(topology.coarse, shape, 3);
    const normals = vertexNormals(positions, topology.coarse.triangles);
    return [
      {
        frame: 'head',
        positions: fine,
        normals: vertexNormals(fine, topology.fine.triangles),
        uvs: topology.uvFine,
        occlusion: occlusion.fine,
        triangles: topology.fine.triangles,
        twoSided: false,
        castsShadow: true,
        material: (rotation) => skinMaterial(skin, rotation, traits.skin.tone),
      },
      ...shellPieces(hair, occlusion.hair, positions, normals, traits, false),
      ...shellPieces(beard, occlusion.coarse, positions, normals, traits, true),
      ...(['right-eye', 'left-eye'] as const).map((frame, i) => ({
        ...eyeDome,
        frame,
        normals: eyeDome.positions,
        occlusion: occlusion.eyes[i] ?? null,
        twoSided: false,
        castsShadow: false,
        material: constant(eyeMaterial(traits, i)),
      })),
      ...stills.map(({ piece }, i) => ({ ...piece, occlusion: occlusion.stills[i] ?? null })),
    ];
  };
  const expressions = lastFew<readonly Piece[]>(1);
  return {
    traits,
    eyeballs,
    pieces: (expression) => expressions(`${expression.blink}`, () => assembled(expression)),
  };
}

/** The layers of hair or beard over the coarse head. */
function shellPieces(
  field: ShellField | null,
  occlusion: Float32Array | null,
  positions: Float32Array,
  normals: Float32Array,
  traits: Traits,
  isBeard: boolean,
): Piece[] {
  if (!field) return [];
  return Array.from({ length: field.layers }, (_, i) => ({
    frame: 'head',
    positions: shellLayer(field, i + 1, positions, normals),
    normals,
    uvs: headTopology().uvCoarse,
    occlusion,
    triangles: field.triangles,
    twoSided: false,
    castsShadow: !isBeard && i + 1 === Math.ceil(field.layers * 0.6),
    material: constant(shellMaterial(field, i + 1, traits, isBeard)),
  }));
}

function placedEye({ centre, radius }: Eyeball): Float32Array {
  const out = new Float32Array(eyeDome.positions.length);
  for (let i = 0; i < out.length; i++) out[i] = (eyeDome.positions[i] as number) * radius + (centre[i % 3] as number);
  return out;
}

/** What of the surroundings each piece sees, in every expression. */
function modelOcclusion(
  coarse: Float32Array,
  normals: Float32Array,
  stills: readonly Still[],
  hair: ShellField | null,
  eyeballs: readonly [Eyeball, Eyeball],
) {
  const { coarse: mesh, fine } = headTopology();
  const head: OcclusionMesh = { positions: coarse, normals, triangles: mesh.triangles };
  const domes = eyeballs.map(
    (eye): OcclusionMesh => ({ positions: placedEye(eye), normals: eyeDome.positions, triangles: eyeDome.triangles }),
  );
  const shell = (share: number): OcclusionMesh[] =>
    hair
      ? [{ positions: shellLayer(hair, hair.layers * share, coarse, normals), normals, triangles: hair.triangles }]
      : [];
  const receiving = stills.filter(({ receives }) => receives).map(({ piece }) => piece);
  const occluding = stills.filter(({ occludes }) => occludes).map(({ piece }) => piece);
  const found = ambientOcclusion([head, ...domes, ...shell(1), ...receiving], [head, ...shell(0.6), ...occluding]);
  const next = (): Float32Array => found.shift() as Float32Array;
  const open = next();
  return {
    coarse: open,
    fine: refineFromCoarse(open, fine.vertexCount),
    eyes: [next(), next()],
    hair: hair ? next() : null,
    stills: stills.map(({ receives }) => (receives ? next() : null)),
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
