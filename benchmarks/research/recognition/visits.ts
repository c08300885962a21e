/** Errors at the door by whole visits: of rendered guests in every condition, and of the AT&T faces. */
import { probeWeight } from '@svc/device-sdk/evaluation';
import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import type { OpenEngine } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { peopleBootstrap95, peopleCells } from '../bootstrap.ts';
import { kept } from '../kept.ts';
import type { Evaluation } from '../main.ts';
import { markdownTable, wrapped } from '../markdown.ts';
import { describeRate, rateOf } from '../rates.ts';
import { attPeople } from './att-faces.ts';
import { shortName } from './engine-figures.ts';
import { enrolAll, wipeEnrolments } from './enrolment.ts';
import { ages, conditions, guests, photoCounts, skins, visitsOf } from './rendered-guests.ts';
import { attempts, type Look, type Visit, type VisitEnd } from './visit.ts';

const ownTicket = 'real people';
const others = 'real people, another’s ticket: let in';

/**
 * Each person enrols with one to three photos in a row, starting at each of the ten, and comes twice: before four of
 * the seven photos left, and three. Strangers come with every fifth of these tickets.
 */
async function attVisits({ engine }: OpenEngine, recipe: EngineRecipe, data: string): Promise<Visit[]> {
  const { engineId } = recipe;
  const people = attPeople(data);
  const enrolments = await enrolAll(engine, people.flat(), 'one', engineId);
  /** A person's photos from one on, round to the one before. */
  const from = (person: number, first: number): (Look | null)[] => {
    const paths = people[person] ?? [];
    return [...paths.slice(first), ...paths.slice(0, first)].map((path) => {
      const one = enrolments.get(path);
      return one?.ok ? { templates: { [engineId]: one.reference }, weight: probeWeight(one.analysis) } : null;
    });
  };
  const visits: Visit[] = [];
  for (const [ticket, own] of people.entries()) {
    for (const [first, photos] of own.flatMap((_, i) => photoCounts.map((count) => [i, count] as const))) {
      const sent = from(ticket, first).map((look) => look?.templates[engineId] ?? null);
      for (const visitor of people.keys()) {
        if (visitor !== ticket && first % 5 !== 0) continue;
        const ends = await attempts({ ...recipe, core: engine.core }, sent.slice(0, photos), (attempt) => {
          const left = from(visitor, first).slice(...(attempt === 0 ? [3, 7] : [7]));
          return (stage) => Promise.resolve(stage === 'turned' ? null : (left.shift() ?? null));
        });
        const labels = [visitor === ticket ? ownTicket : others];
        visits.push({ labels, people: [ticket, visitor], engineId, photos, ends });
      }
    }
  }
  wipeEnrolments(enrolments.values());
  return visits;
}

const isRefused = ([first]: readonly VisitEnd[]) => first !== 'match';
const isLetIn = (ends: readonly VisitEnd[]) => ends.includes('match');
const came = (visits: readonly Visit[]) => visits.flatMap(({ ends, people }) => (ends ? [{ ends, people }] : []));

/** Number of the visits; intervals exact, and by resampling people where they come often. */
function share(visits: readonly Visit[], isError: (ends: readonly VisitEnd[]) => boolean): string {
  const numbers = [...new Set(visits.flatMap(({ people }) => people))];
  const seen = came(visits).map(({ people: [ticket, visitor], ends }) => ({
    people: [numbers.indexOf(ticket), numbers.indexOf(visitor)] as const,
    isError: isError(ends),
  }));
  const cells = peopleCells(seen);
  const errors = seen.filter((one) => one.isError).length;
  const rate = describeRate(rateOf(errors, seen.length), cells.length < seen.length ? peopleBootstrap95(cells) : null);
  return rate.replace(/^\S+ \((\d+\/\d+); /, '$1 (');
}

const refused = (visits: readonly Visit[]): string =>
  `${share(visits, isRefused)}, ${came(visits).filter(({ ends }) => !isLetIn(ends)).length}`;

const rows = [...conditions.map(({ name }) => name), ...skins, ...ages, ownTicket];

/** A row for each kind of visit, with a column for each engine and number of photos. */
function table(visits: readonly Visit[]): string {
  const columns = engineRecipes.flatMap(({ engineId }) => photoCounts.map((photos) => ({ engineId, photos })));
  const isOf = (column: (typeof columns)[number]) => (one: Visit) =>
    one.engineId === column.engineId && one.photos === column.photos;
  const row = (label: string, cell = refused) => {
    const own = visits.filter(({ labels }) => labels.includes(label));
    return [label, ...columns.map((column) => cell(own.filter(isOf(column))))];
  };
  return markdownTable([
    ['', ...columns.map(({ engineId, photos }) => `${shortName(engineId)}, ${photos} photo${photos > 1 ? 's' : ''}`)],
    ...rows.map((label) => row(label)),
    row(others, (seen) => share(seen, isLetIn)),
  ]);
}

function markdown(visits: readonly Visit[], each: number): string {
  const unseen = visits.filter(({ ends }) => ends === null).length;
  return wrapped(`## Whole visits

Written by \`npm run evaluate:visits -- --out ../docs/internals/accuracy.md\` in \`benchmarks\`; do not edit. A visit is
one or two attempts. Each attempt compares as [the device](liveness.md) does, and all must match: the mean of up to five frontal frames, three turned frames one by one, and a new frontal mean. [Liveness](#liveness) is taken as
passed. Enrolment photos are averaged, as in [the API](../build/api.md#enrolment). Cells:
\`refused at the first attempt/visits (interval), refused at both attempts\`.

- **Rendered**: ${each * skins.length * ages.length} people, ${each} for each skin tone and age, as varied as real
people. The first photo is frontal. The others are turned by 12°, in other light. The door has another camera, and
light from up to 60° to the side. The second attempt is a step farther
back.${unseen > 0 ? ` Visits without an enrolled photo: ${unseen}.` : ''} Rows by skin and age leave out the visits
with a mask.
- **Real**: the 40 AT&T people, mostly photographed in one session each. Each person enrols ten times, each time starting at another of the ten photos. Of those left, the first attempt compares four, the second three. There is no turn. On
every fifth enrolment, the 39 other people try to get in.

${table(visits)}

**Rendered people show** what is hard, not how often it happens. One program draws them, without pores, reflections in
glasses, smiles or ageing, and with one kind of mask. Rates can differ by skin tone: light the faces well, and watch whom you
refuse.`);
}

/** `keep` names a folder from which an interrupted run resumes. */
export const evaluation: Evaluation = {
  options: { each: '4', from: '26001', keep: '' },
  addOns: ['minifasnet', 'face-reidentification-retail-0095'],
  needsAddOns: true,
  section: 'visits',
  async run(node, options) {
    const [each, from, keep] = [Number(options.each), Number(options.from), options.keep || null];
    const visits: Visit[] = [];
    for (const recipe of node.engine.recipes)
      visits.push(...(await kept(keep, recipe.model, () => attVisits(node, recipe, sharedData('data') ?? ''))));
    for (const [i, [seed, groups]] of [...guests(each, from)].entries()) {
      visits.push(...(await kept(keep, `guest-${seed}`, () => visitsOf(node, seed, i, groups))));
      process.stderr.write(`guest ${i + 1}\n`);
    }
    return { markdown: markdown(visits, each) };
  },
};
