import { rankQuantile, shareAbove } from '@svc/benchmarks/statistics/summary';
import { type EngineRecipe, engineRecipes, enginesIn, type FaceLimits } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { CliError, exitCodes } from '../cli-error.ts';
import { withEngine } from '../engine.ts';
import { comparing, enrolForEngines, enrolmentsOf } from '../evaluation/enrol-for-engines.ts';
import { wipeEnrolments } from '../evaluation/enrolment.ts';
import { table } from '../output.ts';
import { attPeople } from './att-faces.ts';
import { type DegradationName, type DegradedPicture, degradations, measureDegraded } from './degraded.ts';
import { colourPeople, pathsOf } from './genuine.ts';
import { portraitReport, portraitsIn } from './impostors.ts';
import { requireData } from './photo-sets.ts';
import {
  isLeastLimit,
  limitOf,
  limitRule,
  qualityBins,
  thresholdRule,
  turnedMarginRule,
  turnedShare,
  undegraded,
} from './quality-bins.ts';
import { comparedTurns, measureTurned, type PoseScores, type TurnedFaces } from './turned-faces.ts';

/** One number of a recipe: shipped value, measured value, and whether the shipped one meets its rule. */
export interface CalibratedNumber {
  readonly name: string;
  readonly shipped: number;
  /** Null if nothing can be measured. */
  readonly measured: number | null;
  readonly meets: boolean;
  readonly note: string;
}

/** Scores of faces turned by one angle. */
export interface TurnedRow {
  readonly angleDeg: number;
  readonly comparisons: number;
  readonly notFound: number;
  readonly least: number;
  /** The 1 % quantile of the genuine cosines. */
  readonly onePercent: number;
  readonly matchedShipped: number;
  readonly matchedMeasured: number;
  /**
   * Rates of other people at or above the threshold: without a margin, with the shipped one, and with the measured one.
   */
  readonly othersFrontal: number;
  readonly othersShipped: number;
  readonly othersMeasured: number;
}

export interface CalibrationReport {
  readonly kind: 'calibration';
  readonly engineId: string;
  readonly numbers: readonly CalibratedNumber[];
  readonly turned: readonly TurnedRow[];
  readonly holds: boolean;
}

/** The recipe of an installed engine. @throws CliError that says how to install it */
async function recipeAtHand(engineId: string): Promise<EngineRecipe> {
  const { manifest } = await openModelBundle();
  const recipe = enginesIn(manifest).find((one) => one.engineId === engineId);
  if (recipe) return recipe;
  const missing = engineRecipes.find((one) => one.engineId === engineId)?.model ?? '';
  throw new CliError(`${engineId} is not installed: npm run svc -- models add ${missing}`, exitCodes.environment);
}

/**
 * Every measurable number of a recipe, beside the shipped value.
 * @param data folder of the photo sets; default: the one beside the repository
 * @throws CliError if the engine or a set is missing
 */
export async function calibrate(engineId: string, data: string | undefined): Promise<CalibrationReport> {
  const folder = requireData(data, ['congress', 'whitehouse', 'compreface', 'att']);
  const recipe = await recipeAtHand(engineId);
  return withEngine(
    async ({ engine }) => {
      const [portraits, colour] = [await portraitsIn(folder), await colourPeople(folder)];
      const photos = [...portraits, ...pathsOf(colour), ...attPeople(folder).flatMap((paths) => paths.slice(0, 5))];
      const enrolments = await enrolForEngines(engine, photos, [recipe]);
      const own = enrolmentsOf(enrolments, recipe);
      try {
        const ofPortraits = new Map([...own].filter(([path]) => portraits.includes(path)));
        const { split, allThreshold } = portraitReport(comparing(engine, recipe), portraits, ofPortraits);
        const degraded = await measureDegraded({ engine, recipes: [recipe], data: folder, colour, enrolments });
        const turned = await measureTurned(engine, recipe);
        const margin = turnedMargin(recipe, turned);
        const numbers = [
          threshold(recipe, split.threshold, allThreshold),
          margin,
          ...qualityLimits(recipe, degraded.get(engineId) ?? []),
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
    },
    { engineId, passiveModel: null },
  );
}

function threshold({ matchThreshold }: EngineRecipe, onOdd: number, onAll: number): CalibratedNumber {
  const measured = thresholdRule(onOdd, onAll);
  return {
    name: 'matchThreshold',
    shipped: matchThreshold,
    measured,
    meets: matchThreshold === measured,
    note: `fmr 1e-4: ${onOdd.toFixed(4)} on the odd-numbered portraits, ${onAll.toFixed(4)} on all`,
  };
}

const atComparedTurn = ({ axis, angleDeg }: PoseScores): boolean =>
  axis === 'yaw' && comparedTurns.some((turn) => turn === angleDeg);

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
  note: 'not measured: it stands for what hides a face, whichever engine (docs/face-engine.md)',
});

function turnedRows({ matchThreshold, turnedMargin: shipped }: EngineRecipe, { poses }: TurnedFaces, measured: number) {
  return poses.filter(atComparedTurn).map(
    ({ angleDeg, genuine, impostor, notFound }): TurnedRow => ({
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
    }),
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Format for the terminal. */
export function describeCalibration({ engineId, numbers, turned, holds }: CalibrationReport): string {
  const value = (number: number | null) => (number === null ? '–' : String(Number(number.toFixed(4))));
  return [
    `engine ${engineId}`,
    '',
    table([
      ['number', 'shipped', 'by the rule', 'meets it', ''],
      ...numbers.map(({ name, shipped, measured, meets, note }) => [
        name,
        value(shipped),
        value(measured),
        measured === null && meets ? '–' : meets ? 'yes' : 'NO',
        note,
      ]),
    ]),
    '',
    'What the margin of a turned face costs: rendered people, frontal references, shares at or above the threshold less a margin.',
    '',
    table([
      ['yaw', 'same person', 'least', '1 %', 'shipped', 'by the rule', 'others: no margin', 'shipped', 'by the rule'],
      ...turned.map((row) => [
        `±${row.angleDeg}°`,
        String(row.comparisons),
        row.least.toFixed(4),
        row.onePercent.toFixed(4),
        percent(row.matchedShipped),
        percent(row.matchedMeasured),
        percent(row.othersFrontal),
        percent(row.othersShipped),
        percent(row.othersMeasured),
      ]),
    ]),
    '',
    holds ? 'The shipped numbers meet the rules.' : 'Not every shipped number meets its rule.',
  ].join('\n');
}
