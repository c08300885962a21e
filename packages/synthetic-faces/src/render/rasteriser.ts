import type { Part } from './part.ts';

/** Pinhole camera: focal length in pixels and the principal point. */
export interface Pinhole {
  readonly focal: number;
  readonly centreX: number;
  readonly centreY: number;
}

/** All triangles of a frame after projection, one array a quantity. */
export interface ProjectedScene {
  readonly parts: readonly Part[];
  /** First vertex and first triangle of each part, with one entry past the end. */
  readonly vertexStart: Uint32Array;
  readonly triangleStart: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Reciprocal distance along the optical axis; larger is nearer. */
  readonly nearness: Float32Array;
}

export function projectScene(parts: readonly Part[], camera: Pinhole): ProjectedScene {
  const vertexStart = new Uint32Array(parts.length + 1);
  const triangleStart = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => {
    vertexStart[i + 1] = (vertexStart[i] as number) + part.positions.length / 3;
    triangleStart[i + 1] = (triangleStart[i] as number) + part.triangles.length / 3;
  });
  const count = vertexStart[parts.length] as number;
  const [x, y, nearness] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  parts.forEach((part, i) => {
    const { positions } = part;
    let at = vertexStart[i] as number;
    for (let k = 0; k < positions.length; k += 3, at++) {
      const near = 1 / Math.max(0.5, -(positions[k + 2] as number));
      x[at] = camera.centreX + camera.focal * (positions[k] as number) * near;
      y[at] = camera.centreY - camera.focal * (positions[k + 1] as number) * near;
      nearness[at] = near;
    }
  });
  return { parts, vertexStart, triangleStart, x, y, nearness };
}

/** Depth buffer at `samples` × `samples` points a pixel; holds which triangle each sample sees. */
export class SampleBuffer {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  /** Index of the triangle in the whole scene, −1 for none. */
  readonly triangle: Int32Array;
  readonly nearness: Float32Array;

  constructor(width: number, height: number, samples: number) {
    this.width = width;
    this.height = height;
    this.samples = samples;
    const total = width * samples * height * samples;
    this.triangle = new Int32Array(total);
    this.nearness = new Float32Array(total);
  }

  clear(): void {
    this.triangle.fill(-1);
    this.nearness.fill(0);
  }

  /** Clears the buffer and draws a scene. */
  draw(scene: ProjectedScene): void {
    this.clear();
    scene.parts.forEach((_, part) => {
      this.#drawPart(scene, part);
    });
  }

  #drawPart(scene: ProjectedScene, partIndex: number): void {
    const part = scene.parts[partIndex];
    if (!part) return;
    const { x, y, nearness } = scene;
    const { triangles, uvs, twoSided } = part;
    const covers = part.material.covers;
    const base = scene.vertexStart[partIndex] as number;
    const firstTriangle = scene.triangleStart[partIndex] as number;
    const scale = this.samples;
    const columns = this.width * scale;
    const rows = this.height * scale;
    const depth = this.nearness;
    const ids = this.triangle;
    for (let t = 0; t < triangles.length; t += 3) {
      const la = triangles[t] as number;
      let lb = triangles[t + 1] as number;
      let lc = triangles[t + 2] as number;
      const xa = (x[base + la] as number) * scale - 0.5;
      const ya = (y[base + la] as number) * scale - 0.5;
      let xb = (x[base + lb] as number) * scale - 0.5;
      let yb = (y[base + lb] as number) * scale - 0.5;
      let xc = (x[base + lc] as number) * scale - 0.5;
      let yc = (y[base + lc] as number) * scale - 0.5;
      let area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya);
      // Screen y runs down, so a counter-clockwise triangle has a negative area.
      if (area > 0) {
        if (!twoSided) continue;
      } else {
        [lb, lc] = [lc, lb];
        [xb, xc] = [xc, xb];
        [yb, yc] = [yc, yb];
        area = -area;
      }
      if (!(area > 1e-9)) continue;
      const minX = Math.max(0, Math.ceil(Math.min(xa, xb, xc)));
      const maxX = Math.min(columns - 1, Math.floor(Math.max(xa, xb, xc)));
      const minY = Math.max(0, Math.ceil(Math.min(ya, yb, yc)));
      const maxY = Math.min(rows - 1, Math.floor(Math.max(ya, yb, yc)));
      if (minX > maxX || minY > maxY) continue;
      const inverse = 1 / area;
      const na = nearness[base + la] as number;
      const nb = nearness[base + lb] as number;
      const nc = nearness[base + lc] as number;
      const id = firstTriangle + t / 3;
      const stepA = (yb - yc) * inverse;
      const stepB = (yc - ya) * inverse;
      const downA = (xc - xb) * inverse;
      const downB = (xa - xc) * inverse;
      let rowA = ((xc - xb) * (minY - yb) - (yc - yb) * (minX - xb)) * inverse;
      let rowB = ((xa - xc) * (minY - yc) - (ya - yc) * (minX - xc)) * inverse;
      for (let py = minY; py <= maxY; py++, rowA += downA, rowB += downB) {
        let wa = rowA;
        let wb = rowB;
        let at = py * columns + minX;
        for (let px = minX; px <= maxX; px++, at++, wa += stepA, wb += stepB) {
          // A weight that is below 0 and not growing stays there: the row is done.
          if (wa < 0) {
            if (stepA <= 0) break;
            continue;
          }
          if (wb < 0) {
            if (stepB <= 0) break;
            continue;
          }
          const wc = 1 - wa - wb;
          if (wc < 0) continue;
          const near = wa * na + wb * nb + wc * nc;
          if (near <= (depth[at] as number)) continue;
          if (covers) {
            const pa = (wa * na) / near;
            const pb = (wb * nb) / near;
            const pc = 1 - pa - pb;
            const u = pa * (uvs[la * 2] as number) + pb * (uvs[lb * 2] as number) + pc * (uvs[lc * 2] as number);
            const v =
              pa * (uvs[la * 2 + 1] as number) + pb * (uvs[lb * 2 + 1] as number) + pc * (uvs[lc * 2 + 1] as number);
            if (!covers(u, v)) continue;
          }
          depth[at] = near;
          ids[at] = id;
        }
      }
    }
  }
}

/** Buffers of larger frames are not worth their memory between frames. */
const keptSamples = 8_000_000;

let kept: SampleBuffer | null = null;

/**
 * A sample buffer for one frame at a time. Reuses the last one if its size fits, because allocating costs more than
 * drawing.
 */
export function sampleBuffer(width: number, height: number, samples: number): SampleBuffer {
  if (kept?.width === width && kept.height === height && kept.samples === samples) return kept;
  const made = new SampleBuffer(width, height, samples);
  if (made.triangle.length <= keptSamples) kept = made;
  return made;
}

/** From places of a depth map's meshes to its pixels: (place − origin) × scale − shift. */
export interface DepthGrid {
  readonly origin: readonly [number, number];
  readonly scale: number;
  readonly shift: number;
}

/** Draws triangles into a square depth map: a pixel keeps the greatest depth, and any in place of NaN. */
export function splatDepth(
  depth: Float32Array,
  size: number,
  projected: Float32Array,
  triangles: Uint32Array,
  { origin: [ox, oy], scale, shift }: DepthGrid,
): void {
  for (let t = 0; t < triangles.length; t += 3) {
    const a = (triangles[t] as number) * 3;
    const b = (triangles[t + 1] as number) * 3;
    const c = (triangles[t + 2] as number) * 3;
    const xa = ((projected[a] as number) - ox) * scale - shift;
    const ya = ((projected[a + 1] as number) - oy) * scale - shift;
    const xb = ((projected[b] as number) - ox) * scale - shift;
    const yb = ((projected[b + 1] as number) - oy) * scale - shift;
    const xc = ((projected[c] as number) - ox) * scale - shift;
    const yc = ((projected[c + 1] as number) - oy) * scale - shift;
    const area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya);
    if (Math.abs(area) < 1e-9) continue;
    const inverse = 1 / area;
    const da = projected[a + 2] as number;
    const db = projected[b + 2] as number;
    const dc = projected[c + 2] as number;
    const minX = Math.max(0, Math.ceil(Math.min(xa, xb, xc)));
    const maxX = Math.min(size - 1, Math.floor(Math.max(xa, xb, xc)));
    const minY = Math.max(0, Math.ceil(Math.min(ya, yb, yc)));
    const maxY = Math.min(size - 1, Math.floor(Math.max(ya, yb, yc)));
    for (let py = minY; py <= maxY; py++) {
      for (let px = minX; px <= maxX; px++) {
        const wa = ((xc - xb) * (py - yb) - (yc - yb) * (px - xb)) * inverse;
        const wb = ((xa - xc) * (py - yc) - (ya - yc) * (px - xc)) * inverse;
        const wc = 1 - wa - wb;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const value = wa * da + wb * db + wc * dc;
        const at = py * size + px;
        if (!(value <= (depth[at] as number))) depth[at] = value;
      }
    }
  }
}
