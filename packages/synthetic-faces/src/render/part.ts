import type { Colour } from '../identity/colours.ts';

/** A material's values at one point of a surface. One object is reused for all points and must not be kept. */
export interface SurfaceSample {
  /** In: texture coordinates, and the level of detail (0 full; every level halves the texture). */
  u: number;
  v: number;
  level: number;
  /** In: unit normal in view space; a material may bend it. */
  nx: number;
  ny: number;
  nz: number;
  /** In: share of the surroundings that the point sees, 0..1; a material may darken it. */
  occlusion: number;
  /** Out: linear diffuse reflectance. */
  r: number;
  g: number;
  b: number;
  /** Out: strength of the mirror-like reflection at normal incidence, and its Blinn–Phong exponent. */
  specular: number;
  gloss: number;
  /** Out: how far light bleeds past the terminator (0 none), red most; for skin. */
  scatter: number;
  /** Out: strength of the highlight along strands; for hair. */
  sheen: number;
  /** Out: true where r, g, b is light given off rather than reflectance; for screens. */
  glows: boolean;
}

export interface Material {
  /** Null where the whole surface is solid; otherwise whether the point (u, v) exists. */
  readonly covers: ((u: number, v: number) => boolean) | null;
  surface(sample: SurfaceSample): void;
}

/** A mesh ready to draw: view space (x right, y up, the camera at the origin looking along −z), canonical units. */
export interface Part {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly uvs: Float32Array;
  /** Float32Array[n]: 0 closed in … 1 open sky; null is all open. */
  readonly occlusion: Float32Array | null;
  readonly triangles: Uint32Array;
  readonly material: Material;
  readonly twoSided: boolean;
  readonly castsShadow: boolean;
}

/** A material without holes. */
export const solid = (surface: Material['surface']): Material => ({ covers: null, surface });

/** One colour all over, for small things. */
export const plainMaterial = (colour: Colour, specular: number, gloss: number): Material =>
  solid((sample) => {
    [sample.r, sample.g, sample.b] = colour;
    sample.specular = specular;
    sample.gloss = gloss;
  });
