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
