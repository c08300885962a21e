import type { FaceEngine } from '@svc/face-engine';
import type { EngineRecipe, FaceLimits } from '@svc/face-models';
import { identitySeed } from '@svc/synthetic-faces';
import { rankQuantile, shareAbove } from '../../inputs/summary.ts';
import { againstFrontal, embedIdentities, type Pose, toEitherSide } from '../synthetic/identities.ts';
import { attPairs, attPeople } from './att-faces.ts';
import { type EngineFigures, measureEngine } from './engine-figures.ts';
import { comparing, enrolAll, wipeEnrolments } from './enrolment.ts';
import { colourPeople } from './genuine.ts';
import { portraitsIn } from './portraits.ts';
import {
  type DegradationName,
  type DegradedPicture,
  degradations,
  isLeastLimit,
  limitOf,
  limitRule,
  measureDegraded,
  qualityBins,
  undegraded,
} from './quality.ts';

/** The rules by which a recipe's numbers are calculated; docs/reference/cli.md sums them up. */

/** Rounds up to three decimals. A value that already has three stays, despite floating-point error. */
export const upAtThirdDecimal = (value: number): number => Math.ceil(value * 1000 - 1e-6) / 1000;

/** The largest of the thresholds that reach the target rate on each calibration set. */
export const thresholdRule = (...onSets: readonly number[]): number => upAtThirdDecimal(Math.max(...onSets));

/** The share of genuine comparisons of a turned face that must match. */
export const turnedShare = 0.99;

/**
 * The smallest margin, at least 0, below the threshold at which that share matches.
 * @param genuine cosines of turned faces to their own frontal references
 * @throws RangeError for an empty list
 */
export function turnedMarginRule(genuine: readonly number[], threshold: number): number {
  const sorted = [...genuine].sort((a, b) => a - b);
  // 1e-9 corrects products just below a whole number.
  const needed = sorted[Math.floor((1 - turnedShare) * sorted.length + 1e-9)];
  if (needed === undefined) throw new RangeError('there are no comparisons');
  return Math.max(0, upAtThirdDecimal(threshold - needed));
}

/** One number of a recipe: shipped value, measured value, and whether the shipped one meets its rule. */
export interface CalibratedNumber {
  readonly name: string;
  readonly shipped: number;
  /** Null if nothing can be measured. */
  readonly measured: number | null;
  readonly meets: boolean;
  readonly note: string;
}

export interface CalibrationReport {
  readonly kind: 'calibration';
  readonly engineId: string;
  readonly numbers: readonly CalibratedNumber[];
  readonly turned: ReturnType<typeof turnedRows>;
  readonly holds: boolean;
}

/** Yaw angles at which the device compares a face, degrees to either side. */
const comparedTurns: readonly number[] = [10, 15, 20, 27];
/** Further poses, for the limits of enrolment. */
const further = { yaw: [30, 35, 40], pitch: [10, 20, 30, 40] } as const;

/** Cosines of rendered people at one angle, to either side, to frontal references. */
interface PoseScores extends ReturnType<typeof againstFrontal> {
  readonly axis: 'yaw' | 'pitch';
  readonly angleDeg: number;
}

interface TurnedFaces {
  readonly people: number;
  readonly notEnrolled: number;
  readonly poses: readonly PoseScores[];
}

/** Rendered people, turned and tilted: 60 at the angles that the device compares, half of them beyond. */
async function measureTurned(engine: FaceEngine, { engineId }: EngineRecipe): Promise<TurnedFaces> {
  const scores = async (
    people: number,
    angles: { readonly yaw: readonly number[]; readonly pitch: readonly number[] },
  ) => {
    const seeds = Array.from({ length: people }, (_, i) => identitySeed(i));
    const poses = [{}, ...toEitherSide('yawDeg', angles.yaw), ...toEitherSide('pitchDeg', angles.pitch)];
    const set = await embedIdentities(engine, seeds, poses, engineId);
    const found = (['yaw', 'pitch'] as const).flatMap((axis) =>
      angles[axis].map((angleDeg): PoseScores => {
        const isChosen = (pose: Pose) => Math.abs(pose[`${axis}Deg`] ?? 0) === angleDeg;
        return { axis, angleDeg, ...againstFrontal(set, isChosen) };
      }),
    );
    return { found, notEnrolled: set.notEnrolled.length };
  };
  const near = await scores(60, { yaw: comparedTurns, pitch: [] });
  const far = await scores(30, further);
  return { people: 60, notEnrolled: near.notEnrolled, poses: [...near.found, ...far.found] };
}

/**
 * Every measurable number of a recipe, beside the shipped value.
 * @param data folder of the photo sets
 */
export async function calibrate(engine: FaceEngine, recipe: EngineRecipe, data: string): Promise<CalibrationReport> {
  const { engineId } = recipe;
  const [portraits, colour] = [await portraitsIn(data), await colourPeople(data)];
  const files = [...portraits, ...colour.flat(), ...attPeople(data).flat()];
  const own = await enrolAll(engine, files, 'one', engineId);
  try {
    const photos = { portraits, colour, attPairs: attPairs(data), enrolments: own };
    const figures = measureEngine(comparing(engine, recipe), photos);
    const enrolments = new Map([[engineId, own]]);
    const [degraded] = await measureDegraded({ engine, recipes: [recipe], data, colour, enrolments });
    const turned = await measureTurned(engine, recipe);
    const margin = turnedMargin(recipe, turned);
    const numbers = [
      threshold(recipe, figures),
      margin,
      ...qualityLimits(recipe, degraded?.pictures ?? []),
      ...poseLimits(recipe, turned),
      unmeasuredCoverage(recipe),
    ];
    return {
      kind: 'calibration',
      engineId,
      numbers,
      turned: turnedRows(recipe, turned, margin.measured ?? 0),
      holds: numbers.every(({ meets }) => meets),
    };
  } finally {
    wipeEnrolments(own.values());
  }
}

function threshold({ matchThreshold }: EngineRecipe, { portraits, att }: EngineFigures): CalibratedNumber {
  const { split, allThreshold } = portraits;
  const onSets = [split.threshold, allThreshold, att.report.atFmr['1e-4']?.threshold ?? Number.NaN];
  const measured = thresholdRule(...onSets);
  const [onOdd, onAll, onAtt] = onSets.map((one) => one.toFixed(4));
  return {
    name: 'matchThreshold',
    shipped: matchThreshold,
    measured,
    meets: matchThreshold === measured,
    note: `fmr 1e-4: ${onOdd} on the odd-numbered portraits, ${onAll} on all, ${onAtt} on the AT&T faces`,
  };
}

const atComparedTurn = ({ axis, angleDeg }: PoseScores): boolean => axis === 'yaw' && comparedTurns.includes(angleDeg);

function turnedMargin({ matchThreshold, turnedMargin: shipped }: EngineRecipe, turned: TurnedFaces): CalibratedNumber {
  const poses = turned.poses.filter(atComparedTurn);
  const genuine = poses.flatMap((pose) => pose.genuine);
  const measured = turnedMarginRule(genuine, matchThreshold);
  const lost = poses.reduce((sum, { notFound }) => sum + notFound, 0);
  return {
    name: 'turnedMargin',
    shipped,
    measured,
    meets: shipped >= measured,
    note: `${100 * turnedShare} % of ${genuine.length} rendered comparisons match; no face found in ${lost} pictures, ${turned.notEnrolled} of ${turned.people} people not enrolled`,
  };
}

function qualityLimits({ enrolmentLimits }: EngineRecipe, pictures: readonly DegradedPicture[]): CalibratedNumber[] {
  const base = undegraded(pictures);
  return (['small', 'blurred', 'dimmed', 'overexposed'] as const).map((degradation: DegradationName & string) => {
    const name = degradations[degradation].measure?.name ?? 'sharpness';
    const isLeast = isLeastLimit(name);
    const bins = qualityBins(pictures, degradation);
    const measured = limitOf(bins, base.rate ?? Number.NaN, isLeast);
    const shipped = enrolmentLimits[name];
    const edge = isLeast ? bins[0]?.from : bins.at(-1)?.to;
    return {
      name: `enrolmentLimits.${name}`,
      shipped,
      measured,
      meets: measured !== null && (isLeast ? shipped >= measured : shipped <= measured),
      note: `${isLeast ? 'least' : 'most'} that costs at most ${100 * limitRule.fall} points of ${percent(base.rate ?? Number.NaN)}${measured === edge ? ', nothing worse was measured' : ''}`,
    };
  });
}

function poseLimits({ enrolmentLimits, matchThreshold }: EngineRecipe, { poses }: TurnedFaces): CalibratedNumber[] {
  return (['yaw', 'pitch'] as const).map((axis) => {
    const name = `${axis}Deg` as const satisfies keyof FaceLimits;
    const ofAxis = poses.filter((pose) => pose.axis === axis).sort((a, b) => a.angleDeg - b.angleDeg);
    const matched = ofAxis.map(({ angleDeg, genuine }) => ({ angleDeg, share: shareAbove(genuine, matchThreshold) }));
    const firstBad = matched.findIndex(({ share }) => share < 1 - limitRule.fall);
    const measured = matched[(firstBad < 0 ? matched.length : firstBad) - 1]?.angleDeg ?? null;
    return {
      name: `enrolmentLimits.${name}`,
      shipped: enrolmentLimits[name],
      measured,
      meets: measured !== null && enrolmentLimits[name] <= measured,
      note: `rendered people, matched at the threshold: ${matched.map(({ angleDeg, share }) => `${angleDeg}° ${percent(share)}`).join(', ')}`,
    };
  });
}

const unmeasuredCoverage = ({ enrolmentLimits }: EngineRecipe): CalibratedNumber => ({
  name: 'enrolmentLimits.coverage',
  shipped: enrolmentLimits.coverage,
  measured: null,
  meets: true,
  note: 'not measured: it stands for what hides a face, whichever engine (docs/internals/face-engine.md)',
});

/** For each angle, the genuine cosines, and the shares at or above the threshold less a margin. */
function turnedRows({ matchThreshold, turnedMargin: shipped }: EngineRecipe, { poses }: TurnedFaces, measured: number) {
  return poses.filter(atComparedTurn).map(({ angleDeg, genuine, impostor, notFound }) => ({
    angleDeg,
    comparisons: genuine.length,
    notFound,
    least: rankQuantile(genuine, 0),
    onePercent: rankQuantile(genuine, 0.01),
    matchedShipped: shareAbove(genuine, matchThreshold - shipped),
    matchedMeasured: shareAbove(genuine, matchThreshold - measured),
    othersFrontal: shareAbove(impostor, matchThreshold),
    othersShipped: shareAbove(impostor, matchThreshold - shipped),
    othersMeasured: shareAbove(impostor, matchThreshold - measured),
  }));
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
