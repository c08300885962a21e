/** Errors at the door by whole visits: of rendered guests in every condition, and of the AT&T faces. */
import { probeWeight } from '@svc/device-sdk/evaluation';
import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import type { OpenEngine } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { peopleBootstrap95, peopleCells } from '../bootstrap.ts';
import { kept } from '../kept.ts';
import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { describeRate, rateOf } from '../rates.ts';
import { attPeople } from './att-faces.ts';
import { enrolAll, wipeEnrolments } from './enrolment.ts';
import { ages, conditions, guests, photoCounts, skins, visitsOf } from './rendered-guests.ts';
import { attempts, type Look, type Visit, type VisitEnd } from './visit.ts';

const ownTicket = 'AT&T, the own ticket';
const others = 'AT&T, another’s ticket: let in, of two attempts';

/**
 * Each person enrols with one to three photos in a row, starting at each of the ten, and comes twice: before four of the
 * seven photos left, and three. Strangers come with every fifth of these tickets.
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

/** Share of the visits; intervals exact, and by resampling people where they come often. */
function share(visits: readonly Visit[], isError: (ends: readonly VisitEnd[]) => boolean): string {
  const numbers = [...new Set(visits.flatMap(({ people }) => people))];
  const seen = came(visits).map(({ people: [ticket, visitor], ends }) => ({
    people: [numbers.indexOf(ticket), numbers.indexOf(visitor)] as const,
    isError: isError(ends),
  }));
  const cells = peopleCells(seen);
  const errors = seen.filter((one) => one.isError).length;
  return describeRate(rateOf(errors, seen.length), cells.length < seen.length ? peopleBootstrap95(cells) : null);
}

const refused = (visits: readonly Visit[]): string =>
  `${share(visits, isRefused)}; twice ${came(visits).filter(({ ends }) => !isLetIn(ends)).length}`;

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
    ['', ...columns.map(({ engineId, photos }) => `\`${engineId}\`, ${photos} photo${photos > 1 ? 's' : ''}`)],
    ...rows.map((label) => row(label)),
    row(others, (seen) => share(seen, isLetIn)),
  ]);
}

const markdown = (visits: readonly Visit[], each: number, from: number): string => `## Whole visits

Written by \`npm run evaluate:visits -- --out ../docs/accuracy.md\` in \`benchmarks\`; do not edit. A visit is what the device compares in one attempt
([liveness.md](liveness.md)): the mean of up to five frames in front, at most eight times until it matches; three turned frames, each alone; a new mean, at most three times until it
matches again. Liveness is taken as passed; [below](#liveness) is what it loses. The share of people refused at the first visit, and «twice»: at the second attempt too, a step further back.
Several photos at enrolment count as the API keeps them, by their mean ([api.md](api.md#enrolment), \`additionalImagesBase64\`).

${each * skins.length * ages.length} rendered people, ${each} of each skin and age, seeds from ${from} on, as varied as real people and chosen by nothing else; ${visits.filter(({ ends }) => ends === null).length} visits without an enrolled photo.
The first photo looks ahead, the others 12° aside in other light; the door has another camera and other light, from up to 60° aside. Rows by skin and age are all visits but the masked, six a person.
Then 40 real people, the AT&T faces: photos in a row, starting at each of the ten; the first visit is before four of the seven left, the second before three, without a turn; strangers come with
every fifth of these tickets. The other sets have too few photos a person. Intervals are exact, and where people come several times also by resampling them.

${table(visits)}

**Rendered people show** which covering, which light and whose skin these networks find hard, not how often: one program draws them, without pores, reflections in glasses, a smile or
another year, and with one kind of mask. Where the rows by skin differ
by more than their intervals, light the faces and watch whom a door refuses. The AT&T photos are small, grey, before one wall, and of most people of one sitting.`;

/** `keep` names a folder from which an interrupted run goes on. */
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
    return { markdown: markdown(visits, each, from) };
  },
};
