/**
 * Index loops of MediaPipe's 468-point topology, each going once round. «Right» is the person's right, at the viewer's
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

const assets = '@mediapipe/face_mesh/face_mesh_solution_packed_assets';
const entry = 'geometry_pipeline_metadata_landmarks.binarypb';

let loaded: CanonicalFace | null = null;

/** Sets the canonical face if there is no file system to read it from; Node reads it from the dependency. */
export function useCanonicalFace(face: CanonicalFace): void {
  loaded = face;
}

/**
 * The canonical face from the packed assets of `@mediapipe/face_mesh`, read once.
 *
 * @throws Error if none was set outside Node, or the dependency's assets lack the entry
 */
export function canonicalFace(): CanonicalFace {
  loaded ??= readFromDependency();
  return loaded;
}

function readFromDependency(): CanonicalFace {
  // Looked up at run time so that a bundle for the browser does not pull in Node's modules.
  const builtin = (globalThis as { process?: { getBuiltinModule?: typeof process.getBuiltinModule } }).process;
  const fs = builtin?.getBuiltinModule?.('node:fs');
  const module = builtin?.getBuiltinModule?.('node:module');
  if (!fs || !module) throw new Error('canonical face: hand it over with useCanonicalFace() outside Node');
  const resolve = module.createRequire(import.meta.url).resolve;
  const loader = fs.readFileSync(resolve(`${assets}_loader.js`), 'utf8');
  const span = new RegExp(`${entry.replaceAll('.', '\\.')}", "start": (\\d+), "end": (\\d+)`).exec(loader);
  if (!span) throw new Error('canonical face: not in the packed assets');
  const data = fs.readFileSync(resolve(`${assets}.data`));
  return parseCanonicalFace(data.subarray(Number(span[1]), Number(span[2])));
}

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

interface Field {
  readonly number: number;
  readonly wire: number;
  readonly value: number;
  readonly bytes: Uint8Array;
}

const none = new Uint8Array(0);

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('canonical face: truncated');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  while (at < bytes.length) {
    const tag = varint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) yield { number, wire, value: varint(), bytes: none };
    else if (wire === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new RangeError('canonical face: truncated');
      yield { number, wire, value: 0, bytes: bytes.subarray(at, at + length) };
      at += length;
    } else if (wire === 5) {
      if (at + 4 > bytes.length) throw new RangeError('canonical face: truncated');
      yield { number, wire, value: view.getFloat32(at, true), bytes: none };
      at += 4;
    } else throw new RangeError('canonical face: unknown wire type');
  }
}

/**
 * Reads `geometry_pipeline_metadata_landmarks.binarypb` (MediaPipe's GeometryPipelineMetadata: field 1 the mesh, with
 * field 3 the vertices as x, y, z, u, v and field 4 the indices).
 *
 * @throws RangeError when the bytes are not such a message or hold another mesh.
 */
export function parseCanonicalFace(bytes: Uint8Array): CanonicalFace {
  const vertices: number[] = [];
  const indices: number[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number !== 1 || field.wire !== 2) continue;
    for (const inner of fieldsOf(field.bytes)) {
      if (inner.number === 3 && inner.wire === 5) vertices.push(inner.value);
      else if (inner.number === 4 && inner.wire === 0) indices.push(inner.value);
    }
  }
  if (vertices.length !== canonicalVertexCount * 5 || indices.length % 3 !== 0 || indices.length === 0) {
    throw new RangeError('canonical face: unexpected mesh');
  }
  const positions = new Float32Array(canonicalVertexCount * 3);
  const uvs = new Float32Array(canonicalVertexCount * 2);
  for (let i = 0; i < canonicalVertexCount; i++) {
    for (let k = 0; k < 3; k++) positions[i * 3 + k] = vertices[i * 5 + k] ?? 0;
    for (let k = 0; k < 2; k++) uvs[i * 2 + k] = vertices[i * 5 + 3 + k] ?? 0;
  }
  const triangles = Uint32Array.from(indices);
  if (triangles.some((index) => index >= canonicalVertexCount)) throw new RangeError('canonical face: bad index');
  return { positions, uvs, triangles };
}
