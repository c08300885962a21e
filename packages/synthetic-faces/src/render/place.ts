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
  readonly shift: readonly [number, number, number];
}

function about(
  rotation: Matrix3,
  centre: readonly [number, number, number],
  move: readonly [number, number, number],
): Rigid {
  const [x, y, z] = centre;
  const turned = [
    rotation[0] * x + rotation[1] * y + rotation[2] * z,
    rotation[3] * x + rotation[4] * y + rotation[5] * z,
    rotation[6] * x + rotation[7] * y + rotation[8] * z,
  ] as const;
  return { rotation, shift: [x - turned[0] + move[0], y - turned[1] + move[1], z - turned[2] + move[2]] };
}

function apply(
  { rotation: r, shift }: Rigid,
  source: Float32Array,
  out: Float32Array,
  scale: number,
  isPoint: boolean,
): void {
  const [sx, sy, sz] = isPoint ? shift : [0, 0, 0];
  for (let i = 0; i < source.length; i += 3) {
    const x = (source[i] as number) * scale;
    const y = (source[i + 1] as number) * scale;
    const z = (source[i + 2] as number) * scale;
    out[i] = r[0] * x + r[1] * y + r[2] * z + sx;
    out[i + 1] = r[3] * x + r[4] * y + r[5] * z + sy;
    out[i + 2] = r[6] * x + r[7] * y + r[8] * z + sz;
  }
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
  const gaze = gazeOf(options, head);
  const parts: Part[] = [];
  for (const piece of model.pieces(expression)) {
    if (only === 'head' && (piece.frame === 'torso' || piece.frame === 'neck')) continue;
    parts.push(placePiece(piece, model, head, torso, gaze));
  }
  return parts;
}

/** Rotation of the eyes in the head: towards the camera within what eyes can do, or as told. */
function gazeOf(options: HeadOptions, head: Rigid): Matrix3 {
  if (options.gaze) return headRotation(options.gaze.yawDeg, options.gaze.pitchDeg, 0);
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
  const positions = new Float32Array(piece.positions.length);
  const normals = new Float32Array(piece.normals.length);
  let rotation = head.rotation;
  if (piece.frame === 'head') {
    apply(head, piece.positions, positions, 1, true);
    apply(head, piece.normals, normals, 1, false);
  } else if (piece.frame === 'torso') {
    rotation = torso.rotation;
    apply(torso, piece.positions, positions, 1, true);
    apply(torso, piece.normals, normals, 1, false);
  } else if (piece.frame === 'neck') {
    apply(head, piece.positions, positions, 1, true);
    apply(head, piece.normals, normals, 1, false);
    const [lowP, lowN] = [new Float32Array(positions.length), new Float32Array(normals.length)];
    apply(torso, piece.positions, lowP, 1, true);
    apply(torso, piece.normals, lowN, 1, false);
    for (let i = 0; i < positions.length; i++) {
      const w = smoothstep(neckBase, neckTop - 2, piece.positions[i - (i % 3) + 1] as number);
      positions[i] = (lowP[i] as number) * (1 - w) + (positions[i] as number) * w;
      normals[i] = (lowN[i] as number) * (1 - w) + (normals[i] as number) * w;
    }
  } else {
    const eye = model.eyeballs[piece.frame === 'right-eye' ? 0 : 1];
    rotation = multiply(head.rotation, gaze);
    const c = eye.centre;
    const r = head.rotation;
    const shift = [
      r[0] * c[0] + r[1] * c[1] + r[2] * c[2] + head.shift[0],
      r[3] * c[0] + r[4] * c[1] + r[5] * c[2] + head.shift[1],
      r[6] * c[0] + r[7] * c[1] + r[8] * c[2] + head.shift[2],
    ] as const;
    apply({ rotation, shift }, piece.positions, positions, eye.radius, true);
    apply({ rotation, shift }, piece.normals, normals, 1, false);
  }
  return {
    positions,
    normals,
    uvs: piece.uvs,
    occlusion: piece.occlusion,
    triangles: piece.triangles,
    material: piece.material(rotation),
    twoSided: piece.twoSided,
    castsShadow: piece.castsShadow,
  };
}
