import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import { markdownTable, sectionOf, wrapped } from '../markdown.ts';
import { clopperPearson95, type Rate } from '../rates.ts';
import { type EngineFigures, isPreferred, shortName } from './engine-figures.ts';
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
  return `about **${about < 1 ? 'fewer than one' : whole(about)}** (possibly ${whole(Math.floor(low * thousand))} to ${whole(Math.ceil(high * thousand))})`;
}

function refusedLine(figures: EngineFigures): string {
  const { fnmr, personBootstrap95 } = figures.att.report.atShippedThreshold;
  const which = isPreferred(figures.engine) ? 'the recommended recognition add-on' : 'the built-in recognition';
  return `- with ${which} ${ofThousand(fnmr, personBootstrap95.fnmr)}.`;
}

/** The liveness part's row of cooperative people; null if not measured. */
export function livenessOf(report: string): { lost: number; of: number; high: number } | null {
  const row = /\| a person who does as asked \| (\d+)\/(\d+) \|/.exec(report);
  if (row === null) return null;
  const [lost, of] = [Number(row[1]), Number(row[2])];
  return { lost, of, high: clopperPearson95(lost, of)[1] };
}

function livenessText(report: string): string {
  const liveness = livenessOf(report);
  if (liveness === null) return 'How many real guests that check sends away by mistake was not measured here.';
  const { lost, of, high } = liveness;
  return `In a trial this check sent ${lost === 0 ? 'none' : lost} of ${of} computer-drawn people away by mistake. With so few people, the true figure could be up to ${whole(high * thousand)} in 1,000. One real man, shown to it on two videos, was not sent away.`;
}

/** The table of whole visits with one and three photos, as numbers of visits refused once and twice; '' if not measured. */
export function visitsText(report: string): string {
  const section = sectionOf(report, 'visits') ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (---|.*another’s)/.test(line));
  const [[, ...columns] = [], ...rows] = lines.map((line) => line.slice(2, -2).split(' | '));
  if (columns.length === 0) return '';
  const preferred = shortName(engineRecipes[0].engineId);
  const named = columns.map((own) => own.replace(/^\w+/, (name) => (name === preferred ? 'recommended' : 'built in')));
  const table = rows.map(([label = '', ...cells]) => {
    const numbers = cells.map((cell) => /^(\d+)\/(\d+) .*, (\d+)$/.exec(cell) ?? []);
    return [label, numbers[0]?.[2] ?? '', ...numbers.map(([, once, , twice]) => `${once}, ${twice}`)];
  });
  const isShown = (_: string, i: number) => !named[i - 2]?.endsWith('2 photos');
  return `At the door the camera looks several times, and guests may try again. In the table, “3, 2” means: 3 visits were refused
at the first try, and 2 of these also at the second. On the enrolment page guests send one photo; your own server can
send three. The last row has real people. The others have computer-drawn people: they show what is difficult for the
door, not how often guests are refused.

${markdownTable([['', 'visits', ...named], ...table].map((row) => row.filter(isShown)))}

`;
}

function falseMatchText(figures: EngineFigures): string {
  const { errors, trials } = figures.portraits.shipped.fmr;
  return ` With the standard settings, about 1 in 10,000 strangers who try gets in (${whole(errors)} of ${whole(trials)} pairs of official portraits matched).`;
}

function morphText([first]: readonly MorphFigures[]): string {
  if (first === undefined) return '';
  const { alike, unchosen } = first;
  return `**A photo blended from two people lets both of them in**: in a test, this worked for ${alike.both.errors} of ${alike.both.trials} pairs who look alike, and for ${unchosen.both.errors} of ${unchosen.both.trials} other pairs. If that matters to you, let your staff or the enrolment page's camera take the photo.`;
}

/** The accuracy report for organisers, without statistical terms. */
export function organisersPage({ engines, morphs, missing, report }: OrganisersInput): string {
  const [first] = engines;
  const unknownOrigin = engines.some(({ engine }) => isPreferred(engine))
    ? '\n- **What photos the recognition add-on was trained on.** Its makers do not say. It may have seen our test photos.'
    : '';
  const uninstalled = missing.map(
    ({ engineId }) =>
      `\n- **The ${engineId === engineRecipes[0].engineId ? 'recommended recognition add-on' : 'built-in recognition'}.** It was not installed for this page.`,
  );
  return wrapped(`# How well does it recognise people?

For organisers. Engineers find [every figure](../internals/accuracy.md) in another report. Do not edit this page: a
program writes both (\`npm run svc -- evaluate --report accuracy --out docs/internals/accuracy.md\`).

## What nobody has measured yet

Read this first: it matters more than the numbers.

- **A real door with real guests.** We used small public photo collections.
- **Whether it works equally well for everybody.** Nobody has measured real people by skin colour, age or sex. In a
test, computer-drawn people with dark skin were refused more often than those with lighter skin. If your doors send
some groups of guests to staff more often than others, let staff check everybody's ticket instead, and write to us.
- **Brothers, sisters and twins.** The door may take one for the other. With twins it will.
- **Children.** Their faces change within months. Please do not rely on face recognition for children.${unknownOrigin}${uninstalled.join('')}

## Guests who are not recognised

How many of 1,000 guests are not recognised if the camera looks only once:

${engines.map(refusedLine).join('\n')}

We measured this with small grey photos of forty people; good phone photos are easier. Plan staff for a few guests in a
hundred. These guests have done nothing wrong: staff check their tickets as always.

${visitsText(report)}What you can do:

- **Light the faces, not the backs.**
- **Wipe the lens**, and let guests stand still.
- **Let guests come close.** A face should fill at least an eighth of the picture's width.
- **Ask guests to take off masks, scarves and dark glasses**, or send them to staff.
- **Ask for a photo of this year.** Nobody has measured how much an older photo worsens recognition.

## Strangers with somebody else's ticket

The door never searches for a face. It only checks whether this face belongs to this ticket. So a stranger needs
somebody's ticket, and luck.${first ? falseMatchText(first) : ''} The chance is higher if ticket owner and stranger look alike.

${morphText(morphs)}

## Photos and screens in front of the camera

Before the door lets a guest in, it checks that a living person is there. It judges how the picture looks, and whether
the head turns when asked. ${livenessText(report)}

The check stops photos on paper and most screens. Some videos got through because they showed the right turn in time.
**Keep staff in view of the door**, or choose **No one** under **Who watches the doors** in the list's settings: doors
then make further checks.
`);
}
