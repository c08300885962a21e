import { neckBase, neckTop } from '../geometry/body.ts';
import type { HeadModel, Piece } from '../head-model.ts';
import { clamp, degrees, headRotation, type Matrix3, multiply, smoothstep } from '../math.ts';
import type { HeadOptions } from '../types.ts';
import type { Part } from './part.ts';
import type { Pinhole } from './rasteriser.ts';

/** Where the head turns on the neck, in canonical units. */
const pivot = [0, -4.5, -4.6] as const;

const faceWidth = 15.4;
const focalShare = 0.95;

/** Focal length of the frame's camera in pixels: a horizontal field of view of about 56°. */
const focalLength = (width: number): number => focalShare * width;

export const cameraOf = (width: number, height: number): Pinhole => ({
  focal: focalLength(width),
  centreX: width / 2,
  centreY: height / 2,
});

/** Distance from the camera to the face in canonical units for a `distance` option. */
export const reachOf = (distance: number): number => 3 * focalShare * faceWidth * distance;

interface Rigid {
  readonly rotation: Matrix3;
  readonly shift: Triple;
}

type Triple = readonly [number, number, number];

const turned = (r: Matrix3, [x, y, z]: Triple): Triple => [
  r[0] * x + r[1] * y + r[2] * z,
  r[3] * x + r[4] * y + r[5] * z,
  r[6] * x + r[7] * y + r[8] * z,
];

function about(rotation: Matrix3, centre: Triple, move: Triple): Rigid {
  const [x, y, z] = turned(rotation, centre);
  return { rotation, shift: [centre[0] - x + move[0], centre[1] - y + move[1], centre[2] - z + move[2]] };
}

function moved(r: Matrix3, [sx, sy, sz]: Triple, source: Float32Array, scale: number): Float32Array {
  const out = new Float32Array(source.length);
  for (let i = 0; i < source.length; i += 3) {
    const x = (source[i] as number) * scale;
    const y = (source[i + 1] as number) * scale;
    const z = (source[i + 2] as number) * scale;
    out[i] = r[0] * x + r[1] * y + r[2] * z + sx;
    out[i + 1] = r[3] * x + r[4] * y + r[5] * z + sy;
    out[i + 2] = r[6] * x + r[7] * y + r[8] * z + sz;
  }
  return out;
}

/** The person's pieces in view space, posed as the options say; those of the head alone where asked. */
export function placeHead(
  model: HeadModel,
  options: HeadOptions,
  camera: Pinhole,
  width: number,
  height: number,
  only: 'head' | 'all' = 'all',
): Part[] {
  const { yawDeg = 0, pitchDeg = 0, rollDeg = 0, distance = 1, centreX = 0.5, centreY = 0.48 } = options;
  const reach = reachOf(distance);
  const unitsPerPixel = reach / camera.focal;
  const move = [
    (centreX * width - camera.centreX) * unitsPerPixel,
    (camera.centreY - centreY * height) * unitsPerPixel + 0.6,
    -reach,
  ] as const;
  const rotation = headRotation(yawDeg, pitchDeg, rollDeg);
  const head = about(rotation, pivot, move);
  const torso = about(headRotation(0.14 * yawDeg, 0, 0.12 * rollDeg), pivot, move);
  const expression = { blink: clamp(options.expression?.blink ?? 0, 0, 1) };
  const gaze = gazeOf(head);
  const parts: Part[] = [];
  for (const piece of model.pieces(expression)) {
    if (only === 'head' && (piece.frame === 'torso' || piece.frame === 'neck')) continue;
    parts.push(placePiece(piece, model, head, torso, gaze));
  }
  return parts;
}

/** Rotation of the eyes in the head: towards the camera within what eyes can do. */
function gazeOf(head: Rigid): Matrix3 {
  const r = head.rotation;
  const [x, y, z] = [-head.shift[0], -head.shift[1] - 2, -head.shift[2]];
  const local = [
    r[0] * x + r[3] * y + r[6] * z,
    r[1] * x + r[4] * y + r[7] * z,
    r[2] * x + r[5] * y + r[8] * z,
  ] as const;
  const yaw = clamp(degrees(Math.atan2(local[0], local[2])), -28, 28);
  const pitch = clamp(degrees(Math.atan2(local[1], Math.hypot(local[0], local[2]))), -18, 18);
  return headRotation(yaw, pitch, 0);
}

function placePiece(piece: Piece, model: HeadModel, head: Rigid, torso: Rigid, gaze: Matrix3): Part {
  const { frame, positions, normals, uvs, occlusion, triangles, twoSided, castsShadow } = piece;
  const put = ({ rotation, shift }: Rigid, scale = 1) => ({
    positions: moved(rotation, shift, positions, scale),
    normals: moved(rotation, [0, 0, 0], normals, 1),
    material: piece.material(rotation),
  });
  const shared = { uvs, occlusion, triangles, twoSided, castsShadow };
  if (frame === 'head') return { ...shared, ...put(head) };
  if (frame === 'torso') return { ...shared, ...put(torso) };
  if (frame === 'neck') {
    const [high, low] = [put(head), put(torso)];
    for (let i = 0; i < positions.length; i++) {
      const w = smoothstep(neckBase, neckTop - 2, positions[i - (i % 3) + 1] as number);
      high.positions[i] = (low.positions[i] as number) * (1 - w) + (high.positions[i] as number) * w;
      high.normals[i] = (low.normals[i] as number) * (1 - w) + (high.normals[i] as number) * w;
    }
    return { ...shared, ...high };
  }
  const { centre, radius } = model.eyeballs[frame === 'right-eye' ? 0 : 1];
  const [x, y, z] = turned(head.rotation, centre);
  const shift: Triple = [x + head.shift[0], y + head.shift[1], z + head.shift[2]];
  return { ...shared, ...put({ rotation: multiply(head.rotation, gaze), shift }, radius) };
}
