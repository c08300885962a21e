import data from './passive-calibration.json' with { type: 'json' };
import { isPassiveModelName, type PassiveModelName } from './passive-models.ts';

/**
 * How the scores of one passive-liveness model are read. Data that travels in the manifest beside the model, since
 * another model's scores mean something else; docs/liveness.md tells where each number comes from.
 */
export type PassiveCalibration = ScoreReading &
  (
    | { readonly model: Exclude<PassiveModelName, 'presence-minifasnet'> }
    | {
        readonly model: 'presence-minifasnet';
        /** The share of `presence` in the fused score, 0..1. */
        readonly weight: number;
      }
  );

interface ScoreReading {
  /** Name and version: another number is another calibration. */
  readonly id: string;
  /** The passive model whose scores it reads. */
  readonly model: PassiveModelName;
  /** [fused score, outward score]: strictly rising in the first, never falling in the second, both in 0..1. */
  readonly points: readonly (readonly [number, number])[];
  /** A single frame whose own fused score is at or below this ends an attempt, the band of attacks. 0..1. */
  readonly attackFrameAtMost: number;
  /**
   * Least fused score, 0..1, from which on a single photo at enrolment counts as one of a person. Null where it was
   * never measured: photos are not given to the model then.
   */
  readonly photoAtLeast: number | null;
  /** The room around a face for which it was measured. */
  readonly room: MeasuredRoom;
  /** When a frame can be scored at all: outside of these the scores were not measured. */
  readonly scorable: ScorableLimits;
}

/**
 * Room: how many times the face's box fits into the frame, in the tighter direction. Crops that need more are clamped
 * to the frame.
 */
export interface MeasuredRoom {
  /** Least room of the frames that its figures were taken on. No calibration has frames scored that have less. */
  readonly from: number;
  /**
   * With less than this a frame is still scored, and the guest is told to step back: the networks see less than they
   * were taught on.
   */
  readonly comfortableFrom: number;
}

export interface ScorableLimits {
  /** Least room around the face: the networks judge by what is around it. */
  readonly contextScale: number;
  readonly interEyePx: number;
  /** Least mean luma of the face, 0..1. */
  readonly brightness: number;
  /** Largest share of the face that is burnt out, 0..1. */
  readonly overexposed: number;
  /** Least sharpness, 0..1. */
  readonly sharpness: number;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isShare = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1;

/** Whether a value from a file is a calibration by which scores can be read: rising, and within its ranges. */
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

/** Of the add-on that {@link installMiniFasNet} installs, which writes it into the manifest beside the models. */
export const minifasnetCalibration: PassiveCalibration = checked(data);
