import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import { sectionOf } from '../markdown.ts';
import { clopperPearson95, type Rate } from '../rates.ts';
import { type EngineFigures, isPreferred } from './engine-figures.ts';
import type { MorphFigures } from './morphs.ts';

/** Input of the page. */
export interface OrganisersInput {
  /** Preferred one first. */
  readonly engines: readonly EngineFigures[];
  readonly morphs: readonly MorphFigures[];
  readonly missing: readonly EngineRecipe[];
  /** The whole accuracy report, from which the liveness part is read. */
  readonly report: string;
}

const thousand = 1000;
const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Per thousand, with the wider end of every interval. */
function ofThousand(rate: Rate, people: readonly [number, number] | null): string {
  const intervals = [rate.interval95, people].filter((interval) => interval !== null);
  const low = Math.min(...intervals.map(([least]) => least));
  const high = Math.max(...intervals.map(([, most]) => most));
  const about = (rate.rate ?? 0) * thousand;
  return `about **${about < 1 ? 'fewer than one' : whole(about)}** will be sent to staff because the camera did not recognise them (anything from ${whole(Math.floor(low * thousand))} to ${whole(Math.ceil(high * thousand))} fits what was measured)`;
}

function refusedLine(figures: EngineFigures): string {
  const { fnmr, personBootstrap95 } = figures.att.report.atShippedThreshold;
  const which = isPreferred(figures.engine)
    ? 'With the recommended recognition add-on'
    : 'With the recognition that is built in';
  return `- ${which}: of 1,000 guests ${ofThousand(fnmr, personBootstrap95.fnmr)}.`;
}

/** The liveness part's row of cooperative people; null if not measured. */
export function livenessOf(report: string): { lost: number; of: number; high: number } | null {
  const row = /\| a person who does as asked \| (\d+) of (\d+) \|/.exec(report);
  if (row === null) return null;
  const [lost, of] = [Number(row[1]), Number(row[2])];
  return { lost, of, high: clopperPearson95(lost, of)[1] };
}

function livenessText(report: string): string {
  const liveness = livenessOf(report);
  if (liveness === null) return 'How many real guests that check sends away by mistake was not measured here.';
  const { lost, of, high } = liveness;
  return `In a trial with ${of} drawn people it sent ${lost === 0 ? 'none' : lost} away by mistake; with so few, up to ${whole(high * thousand)} in 1,000 would still fit. Real guests before real cameras were not counted yet, but for two recordings of one man, who was never refused.`;
}

/** The table of whole visits, each cell as «refused of so many, twice»; [] if not measured. */
export function visitsText(report: string): string[] {
  const section = sectionOf(report, 'visits') ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|') && !line.includes('another’s'));
  if (rows.length === 0) return [];
  const plain = rows.map((row) => row.replaceAll(/\S+ \((\d+ of \d+);[^)]*\); twice (\d+)/g, '$1, $2'));
  const named = plain.join('\n').replaceAll(`\`${engineRecipes[0].engineId}\``, 'recommended');
  return [
    'At the door the camera looks several times, and whoever is refused tries again. The table counts the visits refused at the first try, of how many, and after the comma those that',
    'the second try refused too: these guests go to staff. Two or three photos are what your own server may send; guests who use the page send one. All but the last row are drawn',
    'people, who show what is hard and not how often it happens; skin and age leave out the masks. The last row is small grey photos of forty real people.',
    '',
    named.replaceAll(/`[^`]*`/g, 'built in'),
    '',
  ];
}

function falseMatchText(figures: EngineFigures): string {
  const { errors, trials } = figures.portraits.shipped.fmr;
  return `With the setting as delivered this happens to about 1 in 10,000 strangers who try it (measured with official portraits: ${whole(errors)} of ${whole(trials)} pairs of two people).`;
}

function morphText(morphs: readonly MorphFigures[]): string {
  const [first] = morphs;
  if (first === undefined) return '';
  const { alike, unchosen } = first;
  return `- **A mixed picture of two people opens for both.** Of ${alike.both.trials} such pictures of people who look alike ${alike.both.errors} did, and of ${unchosen.both.trials} of people whom nobody chose ${unchosen.both.errors}. Where that matters, have the photo taken by the page’s camera or by staff, instead of taking in files.`;
}

/** The accuracy report for organisers, without statistical terms. */
export function organisersPage({ engines, morphs, missing, report }: OrganisersInput): string {
  const [first] = engines;
  return [
    '# How well does it recognise people?',
    '',
    'For organisers. Written by `npm run svc -- evaluate --report accuracy --out docs/accuracy.md`; do not edit. [accuracy.md](accuracy.md) has every figure and how it was found.',
    '',
    '## What nobody has measured yet',
    '',
    'Please read this first: it matters more than the numbers below.',
    '',
    '- **A real door with real guests.** The numbers come from small public photo collections.',
    '- **Whether it works equally well for everybody.** Nothing was measured of real people by skin colour, age or sex; of drawn people some with dark skin were refused where others were not (the table below). If you see that some guests are sent to staff more often than others, that is worth',
    '  more than our numbers: change to staff for everybody, and tell us.',
    '- **Brothers, sisters and twins.** They can be taken for each other. Twins will be.',
    '- **Children.** Their faces change within months. Do not rely on it for them.',
    ...(engines.some(({ engine }) => isPreferred(engine))
      ? [
          '- **What the recommended recognition was trained on.** Its makers do not say. It may know some of the public photos, and then looks better here than at your door.',
        ]
      : []),
    ...missing.map(
      ({ engineId }) =>
        `- **The ${engineId === engineRecipes[0].engineId ? 'recommended recognition add-on' : `recognition \`${engineId}\``}.** It was not installed where these numbers were made.`,
    ),
    '',
    '## Guests who are not recognised',
    '',
    ...engines.map(refusedLine),
    '',
    'That is one look of the camera at small grey photos of forty people, which is harder than a good phone photo. Plan staff for a few guests in a hundred, and be glad when fewer come. A guest who is not recognised has done nothing wrong: staff check the',
    'ticket as they always did.',
    '',
    ...visitsText(report),
    'What makes it more:',
    '',
    '- **Darkness and strong light from behind.** Light the faces, not the backs.',
    '- **Blur.** Wipe the lens; let guests stand still for a second.',
    '- **Standing too far away.** The face should take up at least an eighth of the picture’s width.',
    '- **Masks, scarves, dark glasses.** A covered face is often not recognised: ask guests to take them off, or send them to staff.',
    '- **Old photos.** The photo should be of this year. How much each year costs was not measured.',
    '',
    '## Strangers who are taken for somebody',
    '',
    `A false match is a stranger who holds somebody else’s ticket and is let in as that guest. ${first ? falseMatchText(first) : ''} It is never a search: the`,
    'camera only asks whether this face belongs to this ticket. Somebody who looks for a guest resembling himself does better than chance.',
    '',
    morphText(morphs),
    '',
    '## Photos and screens held before the camera',
    '',
    'Before it says yes, the device checks that a person is there: how the picture looks, and whether the head turns when it is asked to. A guest who is too close, too far away or in the dark is told so.',
    `${livenessText(report)}`,
    '',
    'The check stops photos on paper and most screens. It does not stop everything: a video that shows the right turn at the right moment got through in some trials. **Keep staff in view of the door**, or say in the list’s settings that nobody watches it: the door then asks for more.',
    '',
  ].join('\n');
}
