import { isNumber, isShare, isString, oneOf, shaped } from './checks.ts';
import { ModelError } from './model-error.ts';
import type { ModelManifest, ModelName } from './types.ts';

/** Passive-liveness models by their names in calibrations, results and options; there is one. */
export const passiveModelNames = ['minifasnet'] as const;
/** Name of a passive-liveness model. */
export type PassiveModelName = (typeof passiveModelNames)[number];

/** The networks of the passive model, whose add-on brings them. */
export const passiveNetworks = ['minifasnet-v2', 'minifasnet-v1se'] as const satisfies readonly ModelName[];

/** The passive model whose networks are all in the bundle; null if there is none, and no passive check runs. */
export const passiveModelIn = ({ models }: ModelManifest): PassiveModelName | null =>
  passiveNetworks.every((network) => models[network] !== undefined) ? 'minifasnet' : null;

/**
 * The manifest with or without the networks and the calibration of the passive model.
 * @param name null for no passive model
 * @throws ModelError `model-missing` if the bundle lacks one of the model's networks
 */
export function manifestOfPassiveModel(manifest: ModelManifest, name: PassiveModelName | null): ModelManifest {
  if (name !== null && passiveModelIn(manifest) !== name) {
    throw new ModelError('model-missing', `the bundle lacks networks of ${name}`);
  }
  if (name !== null) return manifest;
  const { passiveLiveness: _, models, ...rest } = manifest;
  const others = Object.entries(models).filter(([network]) => !passiveNetworks.some((passive) => passive === network));
  return { ...rest, models: Object.fromEntries(others) };
}

/**
 * How to interpret the scores of the passive model. Stored in the manifest with the model, since it holds for that
 * model only; docs/internals/liveness.md gives the source of each number.
 */
export interface PassiveCalibration {
  /** Name and version; any changed number needs a new id. */
  readonly id: string;
  /** The passive model that it calibrates. */
  readonly model: PassiveModelName;
  /** [score, outward score]: strictly increasing in the first, never decreasing in the second, both 0 to 1. */
  readonly points: readonly (readonly [number, number])[];
  /** A frame whose score is at or below this ends an attempt as an attack. 0 to 1. */
  readonly attackFrameAtMost: number;
  /** Minimum score of an enrolment photo, 0 to 1. Null if it was not measured: photos are then not checked. */
  readonly photoAtLeast: number | null;
  /** The room around a face for which it was measured. */
  readonly room: MeasuredRoom;
  /** Limits within which frames are scored; beyond them the scores were not measured. */
  readonly scorable: ScorableLimits;
  /** How a witness reads a frame at a device that nobody watches. Null in a calibration of 0.2 and earlier: staffed only. */
  readonly evidence: EvidenceFit | null;
}

/**
 * Inputs of the evidence's logistic regression: log odds of both networks' live probabilities, and both again times the
 * nearness of the face.
 */
export type EvidenceFeature = 'v2' | 'v1se' | 'v2Near' | 'v1seNear';

/** The regression, and how its probability is read. */
export interface EvidenceFit {
  readonly bias: number;
  readonly weights: Readonly<Record<EvidenceFeature, number>>;
  /** From this mean of an attempt's last 3 s on, its frames are surely of a live face. 0 to 1. */
  readonly surelyLive: number;
  /** At or below this mean, they are surely of an attack. 0 to 1, below `surelyLive`. */
  readonly surelyAttack: number;
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

/** Whether a parsed value is a valid calibration: increasing, and within its ranges. */
export const isPassiveCalibration = (value: unknown): value is PassiveCalibration =>
  hasMembers(value) && value.scorable.contextScale >= value.room.from;

const hasMembers = shaped<PassiveCalibration>({
  id: isString,
  model: oneOf(...passiveModelNames),
  points: isRising,
  attackFrameAtMost: isShare,
  photoAtLeast: (value) => value === null || isShare(value),
  room: (value) => isRoom(value) && value.from >= 1 && value.comfortableFrom >= value.from,
  scorable: shaped<ScorableLimits>({
    contextScale: isNumber,
    interEyePx: isNumber,
    brightness: isShare,
    overexposed: isShare,
    sharpness: isShare,
  }),
  evidence: (value) => value === null || (isEvidenceFit(value) && value.surelyAttack < value.surelyLive),
});

const isEvidenceFit = shaped<EvidenceFit>({
  bias: isNumber,
  weights: shaped<EvidenceFit['weights']>({
    v2: isNumber,
    v1se: isNumber,
    v2Near: isNumber,
    v1seNear: isNumber,
  }),
  surelyLive: isShare,
  surelyAttack: isShare,
});

const isRoom = shaped<MeasuredRoom>({ from: isNumber, comfortableFrom: isNumber });

function isRising(points: unknown): boolean {
  if (!Array.isArray(points) || points.length < 2) return false;
  return points.every((point: unknown, i) => {
    if (!Array.isArray(point) || point.length !== 2 || !point.every(isShare)) return false;
    const [before, at] = [points[i - 1] as [number, number] | undefined, point as [number, number]];
    return before === undefined || (at[0] > before[0] && at[1] >= before[1]);
  });
}

/** Calibration of the MiniFASNet add-on; its installation writes it into the manifest. */
export const minifasnetCalibration: PassiveCalibration = {
  id: 'minifasnet-fused/4',
  model: 'minifasnet',
  points: [
    [0, 0],
    [0.6, 0.9],
    [1, 1],
  ],
  attackFrameAtMost: 0.1,
  photoAtLeast: 0.5,
  room: { from: 1.3, comfortableFrom: 2 },
  scorable: { contextScale: 1.3, interEyePx: 36, brightness: 0.08, overexposed: 0.4, sharpness: 0.15 },
  evidence: {
    bias: -1.46,
    weights: { v2: 0.49, v1se: 0.56, v2Near: -0.25, v1seNear: -0.55 },
    surelyLive: 0.86,
    surelyAttack: 0.12,
  },
};
