import type { Lighting, ShadowMap } from './lighting.ts';
import type { SurfaceSample } from './part.ts';
import type { Pinhole, ProjectedScene, SampleBuffer } from './rasteriser.ts';

/** Linear-light picture: Float32Array[width × height × 3]. */
export interface LinearImage {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

interface ShadeInput {
  readonly scene: ProjectedScene;
  readonly buffer: SampleBuffer;
  readonly lighting: Lighting;
  readonly shadow: ShadowMap;
  readonly camera: Pinhole;
  /** Texture level for all materials: 0 where a texel is at least about a pixel. */
  readonly level: number;
}

/**
 * Lights what the sample buffer sees over `target`, which holds the background. A pixel is lit once for each part that
 * it shows, weighted by the samples that show it.
 */
export function shade(input: ShadeInput, target: LinearImage): void {
  const { scene, buffer } = input;
  const { width, height, samples } = buffer;
  const ids = buffer.triangle;
  const stride = width * samples;
  const perPixel = samples * samples;
  const partOf = new Uint16Array(scene.triangleStart[scene.parts.length] as number);
  scene.parts.forEach((_, p) => {
    partOf.fill(p, scene.triangleStart[p] as number, scene.triangleStart[p + 1] as number);
  });
  const sample: SurfaceSample = {
    u: 0,
    v: 0,
    level: input.level,
    nx: 0,
    ny: 0,
    nz: 1,
    occlusion: 1,
    r: 0,
    g: 0,
    b: 0,
    specular: 0,
    gloss: 1,
    scatter: 0,
    sheen: 0,
    glows: false,
  };
  const groups = new PixelGroups(perPixel);
  const out = new Float32Array(3);
  const data = target.data;
  for (let py = 0; py < height; py++) {
    for (let px = 0; px < width; px++) {
      const covered = groups.gather(ids, partOf, py * samples * stride + px * samples, stride, samples);
      if (covered === 0) continue;
      const at = (py * width + px) * 3;
      const rest = 1 - covered / perPixel;
      let r = (data[at] as number) * rest;
      let g = (data[at + 1] as number) * rest;
      let b = (data[at + 2] as number) * rest;
      for (let k = 0; k < groups.count; k++) {
        const n = groups.size[k] as number;
        const x = px + ((groups.x[k] as number) / n + 0.5) / samples;
        const y = py + ((groups.y[k] as number) / n + 0.5) / samples;
        const part = groups.part[k] as number;
        lightPoint(input, sample, groups.triangle[k] as number, part, x, y, out);
        const weight = n / perPixel;
        r += (out[0] as number) * weight;
        g += (out[1] as number) * weight;
        b += (out[2] as number) * weight;
      }
      data[at] = r;
      data[at + 1] = g;
      data[at + 2] = b;
    }
  }
}

/** The samples of one pixel by the part that they show. */
class PixelGroups {
  count = 0;
  /**
   * Of each group: its part, its first sample's triangle, how many samples, and the sums of their places in the pixel.
   */
  readonly part: Int32Array;
  readonly triangle: Int32Array;
  readonly size: Int32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;

  constructor(perPixel: number) {
    this.part = new Int32Array(perPixel);
    this.triangle = new Int32Array(perPixel);
    this.size = new Int32Array(perPixel);
    this.x = new Float32Array(perPixel);
    this.y = new Float32Array(perPixel);
  }

  /** @returns how many samples show anything */
  gather(ids: Int32Array, partOf: Uint16Array, corner: number, stride: number, samples: number): number {
    const { part: parts, triangle, size, x, y } = this;
    let count = 0;
    let covered = 0;
    for (let sy = 0; sy < samples; sy++) {
      for (let sx = 0; sx < samples; sx++) {
        const id = ids[corner + sy * stride + sx] as number;
        if (id < 0) continue;
        covered++;
        const part = partOf[id] as number;
        let g = 0;
        while (g < count && parts[g] !== part) g++;
        if (g === count) {
          count++;
          parts[g] = part;
          triangle[g] = id;
          x[g] = 0;
          y[g] = 0;
          size[g] = 0;
        }
        x[g] = (x[g] as number) + sx;
        y[g] = (y[g] as number) + sy;
        size[g] = (size[g] as number) + 1;
      }
    }
    this.count = count;
    return covered;
  }
}

function lightPoint(
  input: ShadeInput,
  sample: SurfaceSample,
  id: number,
  partIndex: number,
  x: number,
  y: number,
  out: Float32Array,
): void {
  const { scene, lighting, shadow } = input;
  const { focal, centreX, centreY } = input.camera;
  const part = scene.parts[partIndex];
  if (!part) return;
  const { normals, uvs, occlusion, triangles } = part;
  const t = (id - (scene.triangleStart[partIndex] as number)) * 3;
  const base = scene.vertexStart[partIndex] as number;
  const a = triangles[t] as number;
  const b = triangles[t + 1] as number;
  const c = triangles[t + 2] as number;
  const xa = scene.x[base + a] as number;
  const ya = scene.y[base + a] as number;
  const xb = scene.x[base + b] as number;
  const yb = scene.y[base + b] as number;
  const xc = scene.x[base + c] as number;
  const yc = scene.y[base + c] as number;
  const area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya);
  let wa = Math.max(0, ((xb - x) * (yc - y) - (xc - x) * (yb - y)) / area);
  let wb = Math.max(0, ((xc - x) * (ya - y) - (xa - x) * (yc - y)) / area);
  let wc = Math.max(0, 1 - wa - wb);
  const total = wa + wb + wc;
  wa *= scene.nearness[base + a] as number;
  wb *= scene.nearness[base + b] as number;
  wc *= scene.nearness[base + c] as number;
  const weighted = wa + wb + wc;
  const near = weighted / total;
  wa /= weighted;
  wb /= weighted;
  wc /= weighted;
  sample.u = wa * (uvs[a * 2] as number) + wb * (uvs[b * 2] as number) + wc * (uvs[c * 2] as number);
  sample.v = wa * (uvs[a * 2 + 1] as number) + wb * (uvs[b * 2 + 1] as number) + wc * (uvs[c * 2 + 1] as number);
  let nx = wa * (normals[a * 3] as number) + wb * (normals[b * 3] as number) + wc * (normals[c * 3] as number);
  let ny =
    wa * (normals[a * 3 + 1] as number) + wb * (normals[b * 3 + 1] as number) + wc * (normals[c * 3 + 1] as number);
  let nz =
    wa * (normals[a * 3 + 2] as number) + wb * (normals[b * 3 + 2] as number) + wc * (normals[c * 3 + 2] as number);
  const depth = 1 / near;
  const vx = ((x - centreX) / focal) * depth;
  const vy = ((centreY - y) / focal) * depth;
  const vz = -depth;
  const distance = Math.sqrt(vx * vx + vy * vy + vz * vz);
  const ex = -vx / distance;
  const ey = -vy / distance;
  const ez = -vz / distance;
  if (part.twoSided && nx * ex + ny * ey + nz * ez < 0) {
    nx = -nx;
    ny = -ny;
    nz = -nz;
  }
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
  sample.nx = nx / length;
  sample.ny = ny / length;
  sample.nz = nz / length;
  sample.occlusion = occlusion
    ? wa * (occlusion[a] as number) + wb * (occlusion[b] as number) + wc * (occlusion[c] as number)
    : 1;
  sample.scatter = 0;
  sample.sheen = 0;
  sample.specular = 0;
  sample.glows = false;
  part.material.surface(sample);
  nx = sample.nx;
  ny = sample.ny;
  nz = sample.nz;

  let lx = lighting.key[0];
  let ly = lighting.key[1];
  let lz = lighting.key[2];
  let strength = 1;
  if (lighting.panel) {
    const { centre, area } = lighting.panel;
    lx = centre[0] - vx;
    ly = centre[1] - vy;
    lz = centre[2] - vz;
    const far = Math.sqrt(lx * lx + ly * ly + lz * lz);
    lx /= far;
    ly /= far;
    lz /= far;
    // Lambert: area, the screen's own cosine, inverse square.
    strength = (area * Math.max(0, lz)) / (far * far);
  }
  const open = sample.occlusion;
  const lit = shadow.lit(vx + nx * 0.12, vy + ny * 0.12, vz + nz * 0.12);
  const ndl = nx * lx + ny * ly + nz * lz;
  const ndf = Math.max(0, nx * lighting.fill[0] + ny * lighting.fill[1] + nz * lighting.fill[2]);
  const sky = ny * 0.5 + 0.5;
  const s = sample.scatter;
  const softLit = s > 0 ? lit + (Math.sqrt(lit) - lit) * 0.35 * s : lit;
  const ambientOpen = open * (0.55 + 0.45 * open);
  const ndv = Math.max(0, nx * ex + ny * ey + nz * ez);
  let highlight = 0;
  let rim = 0;
  if (sample.specular > 0) {
    const hx = lx + ex;
    const hy = ly + ey;
    const hz = lz + ez;
    const half = Math.sqrt(hx * hx + hy * hy + hz * hz) || 1;
    const ndh = Math.max(0, (nx * hx + ny * hy + nz * hz) / half);
    const grazing = (1 - ndv) * (1 - ndv);
    const fresnel = sample.specular + (1 - sample.specular) * grazing * grazing * (1 - ndv) * 0.55;
    // The power is the dearest step: not where its product with the light is 0.
    highlight =
      ndl > -0.1 && lit > 0 && ndh > 0
        ? fresnel * ((sample.gloss + 8) / 25) * ndh ** sample.gloss * lit * (ndl + 0.1)
        : 0;
    rim = fresnel * open * open * 0.7;
  }
  if (sample.sheen > 0) {
    // Strands run roughly up and down the head: the highlight is a band where the tilted normal meets the half vector.
    const tilt = nx * (lx + ex) * 0.5 + ny * (ly + ey) * 0.5 + nz * (lz + ez) * 0.5;
    if (tilt > 0) highlight += sample.sheen * tilt ** 10 * (0.3 + 0.7 * lit);
  }
  const mirror = clampUnit(0.5 + 0.5 * (2 * ndv * ny - ey));
  // Red, which bleeds furthest, sees more of what is around.
  const redOpen = s > 0 ? open ** (1 - 0.3 * s) * (0.6 + 0.4 * open) : ambientOpen;
  for (let k = 0; k < 3; k++) {
    const wrap = s * (k === 0 ? 0.38 : k === 1 ? 0.16 : 0.1);
    const diffuse = Math.max(0, (ndl + wrap) / (1 + wrap));
    const colour = lighting.keyColour[k] as number;
    const key = strength * colour * diffuse * (k === 0 ? softLit : lit);
    const above = lighting.above[k] as number;
    const below = lighting.below[k] as number;
    const around = (below + (above - below) * sky) * (k === 0 ? redOpen : ambientOpen);
    const fill = (lighting.fillColour[k] as number) * ndf * open;
    const albedo = k === 0 ? sample.r : k === 1 ? sample.g : sample.b;
    const mirrored = (below + (above - below) * mirror) * rim;
    out[k] = (sample.glows ? albedo : albedo * (key + around + fill)) + strength * colour * highlight + mirrored;
  }
}

const clampUnit = (x: number): number => Math.max(0, Math.min(1, x));
