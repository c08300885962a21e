import type { Rate } from '@svc/benchmarks/statistics/interval';
import { markdownTable } from '@svc/benchmarks/statistics/markdown';
import type { EngineRecipe } from '@svc/face-engine';
import {
  type Degradation,
  type DegradationName,
  type DegradedPicture,
  degradationNames,
  degradations,
} from './degraded.ts';
import { isLeastLimit, matchedShare, type QualityBin, qualityBins, undegraded } from './quality-bins.ts';

/** An engine's results for degraded pictures. */
export interface DegradedFigures {
  readonly recipe: EngineRecipe;
  readonly pictures: readonly DegradedPicture[];
}

const measureTitles = {
  interEyePx: 'pixels between the eyes',
  sharpness: 'sharpness',
  brightness: 'mean luma',
  overexposed: 'share burnt out',
} as const;

/** `94.4 % (336 of 356; 95 %: 91.5 – 96.5)` */
function percentOf({ errors, trials, rate, interval95 }: Rate): string {
  if (rate === null || interval95 === null) return '–';
  const [low, high] = interval95.map((share) => (100 * share).toFixed(1));
  return `${(100 * rate).toFixed(1)} % (${errors} of ${trials}; 95 %: ${low} – ${high})`;
}

function remarkOf(name: DegradationName, { from, to }: QualityBin, { enrolmentLimits }: EngineRecipe): string {
  const { measure }: Degradation = degradations[name];
  if (measure === null) return '';
  const limit = enrolmentLimits[measure.name];
  if (from < limit && limit < to) return `, in part refused (limit ${limit})`;
  const isRefused = isLeastLimit(measure.name) ? to <= limit : from >= limit;
  return isRefused ? ', refused' : '';
}

function degradationTable(name: DegradationName, engines: readonly DegradedFigures[]): string[] {
  const { title, measure, steps }: Degradation = degradations[name];
  const head = (first: string) => [first, ...engines.map(({ recipe: { engineId } }) => `\`${engineId}\``)];
  const own = (pictures: readonly DegradedPicture[]) => pictures.filter(({ degradation }) => degradation === name);
  const [first] = engines;
  const lost = own(first?.pictures ?? []).filter(({ quality }) => quality === null).length;
  if (measure === null) {
    return [
      `### ${title}`,
      '',
      markdownTable([
        head('deviation, of 255'),
        ...steps.map((step) => [
          String(step),
          ...engines.map(({ pictures }) =>
            percentOf(matchedShare(own(pictures).filter((picture) => picture.step === step))),
          ),
        ]),
      ]),
      '',
      `No limit of enrolment is about noise. No face was found in ${lost} of ${own(first?.pictures ?? []).length} pictures.`,
      '',
    ];
  }
  const binned = engines.map(({ recipe, pictures }) => ({ recipe, bins: qualityBins(pictures, name) }));
  const rows = binned[0]?.bins ?? [];
  return [
    `### ${title}`,
    '',
    markdownTable([
      head(measureTitles[measure.name]),
      ...rows.map(({ from, to }) => [
        `${from} – ${to}`,
        ...binned.map(({ recipe, bins }) => {
          const bin = bins.find((one) => one.from === from);
          return bin ? `${percentOf(bin.matched)}${remarkOf(name, bin, recipe)}` : '–';
        }),
      ]),
    ]),
    '',
    `No face was found in ${lost} of ${own(first?.pictures ?? []).length} pictures.`,
    '',
  ];
}

/** The share of genuine pairs that match, by degradation of one photo. */
export function qualitySection(engines: readonly DegradedFigures[]): string {
  return [
    '## Quality against recognition',
    '',
    'Genuine pairs of the AT&T faces (40 people, the first two of each one’s photos against the first five) and of the White House and CompreFace sets. One photo of each pair is',
    'made worse step by step, and compared although enrolment might refuse it; the other is left as it is. The share that matches at the shipped threshold, by what is',
    'measured of the worse photo. «Refused» is what the limits of enrolment do not let in. The intervals are exact and take comparisons for independent, which those of one',
    'person are not. Drawn blur, darkness and noise are not a camera’s.',
    '',
    `As they are: ${engines.map(({ recipe, pictures }) => `\`${recipe.engineId}\` ${percentOf(undegraded(pictures))}`).join('; ')}.`,
    '',
    ...degradationNames.flatMap((name) => degradationTable(name, engines)),
  ]
    .join('\n')
    .trimEnd();
}
