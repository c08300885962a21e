import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Index loops of MediaPipe's 468-point topology, each going once round. “Right” is the person's right, at the viewer's
 * left.
 */
export const faceOval = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
  172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
] as const;

export const rightEye = [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246] as const;

export const leftEye = [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466] as const;

/** Upper lid, outer corner to inner corner. */
export const rightUpperLid = [33, 246, 161, 160, 159, 158, 157, 173, 133] as const;
export const rightLowerLid = [33, 7, 163, 144, 145, 153, 154, 155, 133] as const;
export const leftUpperLid = [263, 466, 388, 387, 386, 385, 384, 398, 362] as const;
export const leftLowerLid = [263, 249, 390, 373, 374, 380, 381, 382, 362] as const;

export const innerLips = [
  78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191,
] as const;

export const outerLips = [
  61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185,
] as const;

export const noseTip = 4;

/**
 * The canonical face of MediaPipe (Apache-2.0): 468 points in centimetre-like units, x to the viewer's right, y up,
 * z towards the viewer, with texture coordinates in [0, 1] (v downwards).
 */
export interface CanonicalFace {
  /** Float32Array[468 × 3]. */
  readonly positions: Float32Array;
  /** Float32Array[468 × 2]. */
  readonly uvs: Float32Array;
  /** 898 triangles over the 468 points; the eyes and the mouth are closed by triangles. */
  readonly triangles: Uint32Array;
}

export const canonicalVertexCount = 468;

const assets = '@mediapipe/face_mesh/face_mesh_solution_packed_assets';
const entry = 'geometry_pipeline_metadata_landmarks.binarypb';

let loaded: CanonicalFace | null = null;

/** The canonical face from the packed assets of `@mediapipe/face_mesh`, read once. */
export function canonicalFace(): CanonicalFace {
  loaded ??= readCanonicalFace();
  return loaded;
}

/**
 * Reads MediaPipe's GeometryPipelineMetadata, a protocol buffer: field 1 is the mesh, with field 3 the vertices as x, y,
 * z, u, v and field 4 the indices.
 */
function readCanonicalFace(): CanonicalFace {
  const { resolve } = createRequire(import.meta.url);
  const loader = readFileSync(resolve(`${assets}_loader.js`), 'utf8');
  const span = new RegExp(`${entry.replaceAll('.', '\\.')}", "start": (\\d+), "end": (\\d+)`).exec(loader);
  if (!span) throw new Error('canonical face: not in the packed assets');
  const message = readFileSync(resolve(`${assets}.data`)).subarray(Number(span[1]), Number(span[2]));
  const vertices: number[] = [];
  const indices: number[] = [];
  eachField(message, (number, mesh) => {
    if (number !== 1 || typeof mesh === 'number') return;
    eachField(mesh, (inner, value) => {
      if (typeof value !== 'number') return;
      if (inner === 3) vertices.push(value);
      else if (inner === 4) indices.push(value);
    });
  });
  const of = (from: number, count: number) =>
    Float32Array.from({ length: canonicalVertexCount * count }, (_, i) => {
      return vertices[Math.floor(i / count) * 5 + from + (i % count)] ?? Number.NaN;
    });
  return { positions: of(0, 3), uvs: of(3, 2), triangles: Uint32Array.from(indices) };
}

/** Mean of a loop's vertices, each of `size` numbers. */
export function loopMean(loop: readonly number[], values: Float32Array, size: number): number[] {
  const mean = new Array<number>(size).fill(0);
  for (const vertex of loop)
    for (let k = 0; k < size; k++) mean[k] = (mean[k] ?? 0) + (values[vertex * size + k] ?? 0) / loop.length;
  return mean;
}

/** Calls back for the fields of a protocol buffer message: numbers, and other messages as bytes. */
function eachField(bytes: Uint8Array, visit: (number: number, value: number | Uint8Array) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = view.getUint8(at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) visit(number, varint());
    else if (wire === 5) {
      visit(number, view.getFloat32(at, true));
      at += 4;
    } else {
      const length = varint();
      visit(number, bytes.subarray(at, at + length));
      at += length;
    }
  }
}
