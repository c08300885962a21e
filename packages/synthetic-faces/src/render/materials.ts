import { type Colour, srgb } from '../identity/colours.ts';
import { lookUpField, type ShellField } from '../identity/hair-shells.ts';
import { type SkinTexture, skinChannels } from '../identity/skin-texture.ts';
import type { ClothPattern, Traits } from '../identity/traits.ts';
import { clamp, lerp, type Matrix3, smoothstep } from '../math.ts';
import { fractal2, noise2 } from '../random.ts';
import { type Material, type SurfaceSample, solid } from './part.ts';

/** The painted skin; `rotation` takes the head to view space, for the direction of the fine relief. */
export function skinMaterial(texture: SkinTexture, rotation: Matrix3, tone: number): Material {
  const specular = 0.028;
  const texel = new Float64Array(skinChannels);
  return solid((sample) => {
    const level = clamp(Math.round(sample.level), 0, texture.levels.length - 1);
    const data = texture.levels[level] as Float32Array;
    const size = texture.sizes[level] as number;
    const fx = clamp(sample.u * size - 0.5, 0, size - 1.001);
    const fy = clamp(sample.v * size - 0.5, 0, size - 1.001);
    const ix = fx | 0;
    const iy = fy | 0;
    const tx = fx - ix;
    const ty = fy - iy;
    const p = (iy * size + ix) * skinChannels;
    const q = p + size * skinChannels;
    const w00 = (1 - tx) * (1 - ty);
    const w10 = tx * (1 - ty);
    const w01 = (1 - tx) * ty;
    const w11 = tx * ty;
    for (let k = 0; k < skinChannels; k++) {
      texel[k] =
        w00 * (data[p + k] as number) +
        w10 * (data[p + skinChannels + k] as number) +
        w01 * (data[q + k] as number) +
        w11 * (data[q + skinChannels + k] as number);
    }
    sample.r = texel[0] as number;
    sample.g = texel[1] as number;
    sample.b = texel[2] as number;
    const gloss = texel[3] as number;
    const right = texel[4] as number;
    const down = texel[5] as number;
    const nx = sample.nx - (right * rotation[0] - down * rotation[1]) * 0.5;
    const ny = sample.ny - (right * rotation[3] - down * rotation[4]) * 0.5;
    const nz = sample.nz - (right * rotation[6] - down * rotation[7]) * 0.5;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
    sample.nx = nx / length;
    sample.ny = ny / length;
    sample.nz = nz / length;
    sample.specular = specular * (0.4 + gloss);
    sample.gloss = 9 + 22 * gloss;
    sample.scatter = 1 - 0.55 * tone;
  });
}

/** Skin of neck and ears, without a texture of its own. */
export function plainSkin(colour: Colour, traits: Traits, redness: number): Material {
  const salt = (traits.seed * 40503) | 0;
  const [r, g, b] = [colour[0], colour[1] * (1 - 0.2 * redness), colour[2] * (1 - 0.18 * redness)];
  return solid((sample) => {
    const tone =
      1 +
      traits.skin.blotches * 0.1 * fractal2(sample.u * 18, sample.v * 9, 3, salt) +
      0.02 * noise2(sample.u * 300, sample.v * 160, salt);
    sample.r = r * tone;
    sample.g = g * tone;
    sample.b = b * tone;
    sample.specular = 0.018;
    sample.gloss = 14;
    sample.scatter = 1 - 0.55 * traits.skin.tone;
  });
}

/** Hair strands: darker at the roots, streaked, with a band of light. */
function hairSurface(
  sample: SurfaceSample,
  colour: Colour,
  streak: number,
  outward: number,
  shine: number,
  grey: number,
): void {
  const tone = (0.5 + 0.5 * outward) * (1 + 0.5 * streak);
  // Grey grows hair by hair: which ones is a matter of the place, not of the streak.
  const pick = 0.5 + 0.5 * noise2(sample.u * 420, sample.v * 130, 77);
  const white = smoothstep(0.9 - 1.35 * grey, 1.5 - 1.35 * grey, pick);
  sample.r = lerp(colour[0] * tone, 0.46 * tone, white);
  sample.g = lerp(colour[1] * tone, 0.45 * tone, white);
  sample.b = lerp(colour[2] * tone, 0.44 * tone, white);
  const light = (colour[0] + colour[1] + colour[2]) / 3;
  sample.sheen = shine * (0.05 + 0.18 * light) * (0.3 + 0.7 * outward) * Math.max(0, 0.6 + 0.8 * streak);
  sample.occlusion *= 0.45 + 0.55 * outward;
}

export function shellMaterial(field: ShellField, layer: number, traits: Traits, beard: boolean): Material {
  const { strands } = field;
  const share = layer / field.layers;
  const threshold = beard ? lerp(0.28, 0.78, share) : lerp(0.12, 0.5, share ** 1.3);
  const lookup = (u: number, v: number): number => lookUpField(strands, u, v);
  const { hair } = traits;
  const grey = beard ? Math.min(1, hair.greying * 1.3) : hair.greying;
  const colour: Colour = beard ? [hair.colour[0] * 0.85, hair.colour[1] * 0.8, hair.colour[2] * 0.78] : hair.colour;
  return {
    covers: (u, v) => lookup(u, v) > threshold,
    surface(sample) {
      hairSurface(
        sample,
        colour,
        clamp((lookup(sample.u, sample.v) - 0.62) * 1.6, -1, 1),
        0.25 + 0.75 * share,
        hair.shine,
        grey,
      );
    },
  };
}

export function curtainMaterial(traits: Traits, depth: number): Material {
  const { hair } = traits;
  const salt = (Math.imul(traits.seed, 15485863) + depth * 1000) | 0;
  const strand = (u: number, v: number): number => {
    const bend = u + 0.006 * hair.curl * Math.sin(v * 40 + 6 * noise2(u * 20, v * 3, salt));
    return (
      0.55 * noise2(bend * 210, v * 3.5, salt) +
      0.35 * noise2(bend * 80, v * 2.5, salt + 1) +
      0.2 * noise2(bend * 22, v * 2, salt + 2)
    );
  };
  return {
    covers: (u, v) => {
      const edge = Math.min(u, 1 - u) * 16;
      const bottom = (1 - v) * 5;
      return strand(u, v) > lerp(-0.8, -0.05, depth) + 0.9 * Math.max(0, 1 - edge) + 1.1 * Math.max(0, 1 - bottom);
    },
    surface(sample) {
      sample.occlusion = 0.3 + 0.7 * sample.occlusion;
      hairSurface(
        sample,
        hair.colour,
        clamp(strand(sample.u, sample.v) * 1.3, -1, 1),
        0.5 + 0.5 * depth,
        hair.shine,
        hair.greying,
      );
    },
  };
}

export function solidHairMaterial(traits: Traits): Material {
  const salt = (traits.seed * 69997) | 0;
  return solid((sample) => {
    const streak = noise2(sample.u * 60, sample.v * 6, salt);
    hairSurface(sample, traits.hair.colour, streak, 0.8, traits.hair.shine, traits.hair.greying);
  });
}

/** Sclera, iris with limbal ring and fibres, pupil; (u, v) − 0.5 is the offset from the optical axis in diameters. */
export function eyeMaterial(traits: Traits, eyeIndex: number): Material {
  const { iris, irisSize } = traits.eyes;
  const salt = (traits.seed * 52711 + eyeIndex * 131) | 0;
  const edge = 0.385 * irisSize;
  const old = clamp((traits.ageYears - 40) / 60, 0, 0.5);
  return solid((sample) => {
    const [dx, dy] = [(sample.u - 0.5) * 2, (sample.v - 0.5) * 2];
    const r = Math.sqrt(dx * dx + dy * dy);
    const vein = Math.max(0, noise2(dx * 9, dy * 22, salt)) * smoothstep(0.5, 0.95, Math.abs(dx));
    let red = 0.66 - 0.06 * old;
    let green = (0.6 - 0.08 * old) * (1 - 0.28 * vein - 0.16 * smoothstep(0.55, 1, Math.abs(dx)));
    let blue = (0.58 - 0.14 * old) * (1 - 0.25 * vein - 0.16 * smoothstep(0.55, 1, Math.abs(dx)));
    const inIris = smoothstep(edge + 0.025, edge - 0.02, r);
    if (inIris > 0) {
      const angle = Math.atan2(dy, dx);
      const fibre = 1 + 0.32 * noise2(angle * 11, r * 6, salt) + 0.2 * noise2(angle * 27, r * 3, salt + 1);
      const ring = lerp(1.25, 0.22, smoothstep(edge * 0.72, edge, r));
      const core = smoothstep(edge * 0.36, edge * 0.44, r);
      const warm = smoothstep(edge * 0.75, edge * 0.4, r) * 0.25;
      red = lerp(red, (iris[0] * (1 + warm) * fibre * ring + 0.006) * core, inIris);
      green = lerp(green, (iris[1] * fibre * ring + 0.005) * core, inIris);
      blue = lerp(blue, (iris[2] * (1 - warm) * fibre * ring + 0.005) * core, inIris);
    }
    sample.r = red;
    sample.g = green;
    sample.b = blue;
    sample.specular = 0.035;
    sample.gloss = 220;
    sample.occlusion = sample.occlusion * 0.85;
  });
}

/** Woven or knitted cloth with a pattern and soft folds; u runs round the body, v down. */
export function clothMaterial(
  traits: Traits,
  scale: readonly [number, number],
  neckline: ((u: number, v: number) => boolean) | null,
): Material {
  const { pattern, colours } = traits.body;
  const salt = (traits.seed * 7919 + 3) | 0;
  const [first, second] = colours;
  const skin = traits.skin.albedo;
  return solid((sample) => {
    const { u, v } = sample;
    if (neckline?.(u, v)) {
      [sample.r, sample.g, sample.b] = skin;
      sample.scatter = 1 - 0.55 * traits.skin.tone;
      sample.specular = 0.018;
      sample.gloss = 14;
      return;
    }
    const [x, y] = [u * scale[0], v * scale[1]];
    const mix = patternAt(pattern, x, y, salt);
    const weave = 1 + 0.05 * noise2(x * 9, y * 9, salt) + 0.06 * fractal2(x * 0.25, y * 0.25, 3, salt + 1);
    sample.r = lerp(first[0], second[0], mix) * weave * 0.86;
    sample.g = lerp(first[1], second[1], mix) * weave * 0.86;
    sample.b = lerp(first[2], second[2], mix) * weave * 0.86;
    const [fx, fy] = [0.35 * noise2(x * 0.16, y * 0.12, salt + 5), 0.3 * noise2(x * 0.13, y * 0.15, salt + 6)];
    const [nx, ny, nz] = [sample.nx + fx, sample.ny + fy, sample.nz];
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
    sample.nx = nx / length;
    sample.ny = ny / length;
    sample.nz = nz / length;
    sample.occlusion *= 1 - 0.25 * Math.max(0, -fy);
  });
}

function patternAt(pattern: ClothPattern, x: number, y: number, salt: number): number {
  switch (pattern) {
    case 'plain':
      return 0;
    case 'stripes':
      return smoothstep(0.42, 0.5, Math.abs(((y / 3.2) % 1) - 0.5) * 2 - 0.1);
    case 'check': {
      const [a, b] = [Math.abs(((x / 4) % 1) - 0.5) < 0.18 ? 0.5 : 0, Math.abs(((y / 4) % 1) - 0.5) < 0.18 ? 0.5 : 0];
      return a + b;
    }
    case 'speckle':
      return 0.6 * smoothstep(0.28, 0.42, noise2(x * 0.9, y * 0.9, salt));
  }
}

export function knitMaterial(colour: Colour, seed: number, ribs: number, covers: Material['covers']): Material {
  const dark = srgb(12, 12, 14);
  return {
    covers,
    surface(sample) {
      const rib = ribs > 0 ? 0.5 + 0.5 * Math.sin(Math.atan2(sample.u - 0.5, 0.48 - sample.v) * ribs) : 1;
      const weave =
        (0.8 + 0.2 * rib) *
        (1 +
          0.14 * noise2(sample.u * 220, sample.v * 220, seed) +
          0.1 * fractal2(sample.u * 12, sample.v * 12, 2, seed + 1));
      sample.r = lerp(dark[0], colour[0], weave);
      sample.g = lerp(dark[1], colour[1], weave);
      sample.b = lerp(dark[2], colour[2], weave);
    },
  };
}
