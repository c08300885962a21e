import { meanFace } from '../embed/alignment.ts';
import { landmarkCount } from '../mesh/landmarks.ts';
import { type ReliefFace, reliefChipSize, reliefChipTransform } from '../relief/nose-relief.ts';

/** A drawn face that turns: eyes and mouth in a plane, the nose in front of it. */
export interface DrawnRelief {
  readonly yawDeg: number;
  /** Height of the nose, in inter-eye distances; 0 for a painted one. */
  readonly depth: number;
}

/** Pixels per side of the mean face's unit square, in which the eyes are 0.52 apart. */
const unit = 100;
const eyes = 0.523;
const nosePoints = new Set([1, 2, 4, 97, 98, 195, 326, 327]);
const isNose = (u: number, v: number): boolean => Math.abs(u - 0.49) < 0.2 && v > 0.38 && v < 0.7;

/** Smooth grey values that repeat nowhere. */
const pattern = (u: number, v: number): number =>
  128 +
  36 * Math.sin(31 * u + 11 * v) +
  30 * Math.sin(47 * v - 23 * u) +
  24 * Math.sin(61 * u + 37 * v + 1) +
  20 * Math.sin(19 * u * v * 5);

/** Landmarks and chip of the drawn face, as seen by a distant camera; landmarks that no measure reads are 0. */
export function drawnRelief({ yawDeg, depth }: DrawnRelief): ReliefFace {
  const yaw = (yawDeg * Math.PI) / 180;
  const narrowed = unit * Math.cos(yaw);
  const shift = unit * depth * eyes * Math.sin(yaw);
  const landmarks = new Float32Array(landmarkCount * 3);
  for (const [index, u, v] of [...meanFace, [1, 0.49, 0.55] as const]) {
    landmarks.set([u * narrowed + (nosePoints.has(index) ? shift : 0), v * unit], 3 * index);
  }
  const { a, b, c, d, e, f } = reliefChipTransform(landmarks);
  const reliefChip = new Uint8Array(reliefChipSize * reliefChipSize);
  for (let y = 0; y < reliefChipSize; y++) {
    for (let x = 0; x < reliefChipSize; x++) {
      const px = a * (x + 0.5) + b * (y + 0.5) + c;
      const v = (d * (x + 0.5) + e * (y + 0.5) + f) / unit;
      const onNose = (px - shift) / narrowed;
      const u = isNose(onNose, v) ? onNose + 1 : px / narrowed;
      reliefChip[y * reliefChipSize + x] = Math.max(0, Math.min(255, pattern(u, v)));
    }
  }
  return { landmarks, reliefChip };
}
