import data from './passive-calibration.json' with { type: 'json' };
import { isPassiveModelName, type PassiveModelName } from './passive-models.ts';

/**
 * How to interpret the scores of one passive-liveness model. Stored in the manifest with the model, since it holds for
 * that model only; docs/liveness.md gives the source of each number.
 */
export type PassiveCalibration = ScoreReading &
  (
    | { readonly model: Exclude<PassiveModelName, 'presence-minifasnet'> }
    | {
        readonly model: 'presence-minifasnet';
        /** Weight of `presence` in the fused score, 0 to 1. */
        readonly weight: number;
      }
  );

interface ScoreReading {
  /** Name and version; any changed number needs a new id. */
  readonly id: string;
  /** The passive model that it calibrates. */
  readonly model: PassiveModelName;
  /** [fused score, outward score]: strictly increasing in the first, never decreasing in the second, both 0 to 1. */
  readonly points: readonly (readonly [number, number])[];
  /** A frame whose fused score is at or below this ends an attempt as an attack. 0 to 1. */
  readonly attackFrameAtMost: number;
  /** Minimum fused score of an enrolment photo, 0 to 1. Null if it was not measured: photos are then not checked. */
  readonly photoAtLeast: number | null;
  /** The room around a face for which it was measured. */
  readonly room: MeasuredRoom;
  /** Limits within which frames are scored; beyond them the scores were not measured. */
  readonly scorable: ScorableLimits;
}

/**
 * Room: how many times the face's box fits into the frame, in the tighter dimension. Larger crops are clamped to the
 * frame.
 */
export interface MeasuredRoom {
  /** Minimum room of the measured frames. No calibration may score frames with less. */
  readonly from: number;
  /**
   * With less than this a frame is still scored, but the guest is asked to step back: the networks see less than in
   * training.
   */
  readonly comfortableFrom: number;
}

/** Limits of a frame that can be scored. */
export interface ScorableLimits {
  /** Minimum room around the face, by which the networks judge. */
  readonly contextScale: number;
  readonly interEyePx: number;
  /** Minimum mean luma of the face, 0 to 1. */
  readonly brightness: number;
  /** Maximum overexposed share of the face, 0 to 1. */
  readonly overexposed: number;
  /** Minimum sharpness, 0 to 1. */
  readonly sharpness: number;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isShare = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1;

/** Whether a parsed value is a valid calibration: increasing, and within its ranges. */
export function isPassiveCalibration(value: unknown): value is PassiveCalibration {
  if (typeof value !== 'object' || value === null) return false;
  const { id, model, points, attackFrameAtMost, photoAtLeast, room, scorable, weight } = value as {
    readonly [K in keyof ScoreReading | 'weight']?: unknown;
  };
  if (typeof id !== 'string' || !isPassiveModelName(model) || !isShare(attackFrameAtMost)) return false;
  if (photoAtLeast !== null && !isShare(photoAtLeast)) return false;
  if (model === 'presence-minifasnet' && !isShare(weight)) return false;
  return isRising(points) && isRoom(room) && isScorable(scorable) && scorable.contextScale >= room.from;
}

function isRising(points: unknown): boolean {
  if (!Array.isArray(points) || points.length < 2) return false;
  return points.every((point: unknown, i) => {
    if (!Array.isArray(point) || point.length !== 2 || !point.every(isShare)) return false;
    const [before, at] = [points[i - 1] as [number, number] | undefined, point as [number, number]];
    return before === undefined || (at[0] > before[0] && at[1] >= before[1]);
  });
}

function isRoom(value: unknown): value is MeasuredRoom {
  if (typeof value !== 'object' || value === null) return false;
  const { from, comfortableFrom } = value as { readonly [K in keyof MeasuredRoom]?: unknown };
  return isNumber(from) && from >= 1 && isNumber(comfortableFrom) && comfortableFrom >= from;
}

function isScorable(value: unknown): value is ScorableLimits {
  if (typeof value !== 'object' || value === null) return false;
  const limits = value as { readonly [K in keyof ScorableLimits]?: unknown };
  return (
    isNumber(limits.contextScale) &&
    isNumber(limits.interEyePx) &&
    isShare(limits.brightness) &&
    isShare(limits.overexposed) &&
    isShare(limits.sharpness)
  );
}

function checked(value: unknown): PassiveCalibration {
  if (!isPassiveCalibration(value)) throw new TypeError('passive-calibration.json is no calibration');
  return value;
}

/** Calibration of the MiniFASNet add-on; its installation writes it into the manifest. */
export const minifasnetCalibration: PassiveCalibration = checked(data);
