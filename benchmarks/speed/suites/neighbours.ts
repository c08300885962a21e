import { deepEqual, equal } from 'node:assert/strict';
import type { ListResource } from '@svc/protocol';
import { median } from '../../statistics/summary.ts';
import { createEnrolments, portraits } from '../service/enrolments.ts';
import { createHinderingGuests } from '../service/hindering-guests.ts';
import { RawClient } from '../service/raw-client.ts';
import { startService } from '../service/start-service.ts';
import type { SuiteFactory } from '../suite.ts';

const WORKERS = 2;
/** Enrolments before timing, after which V8 has compiled the code. */
const WARM_UP = 100;
const PNG_PIXELS = 50_000_000;

/** The effect on an organiser's server of slow guests, and of guests who send expensive pictures. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const photos = isFull ? await portraits(6) : [Buffer.from('a face')];
  const people = isFull ? 10 : 2;
  const environment = { SVC_RATE_LIMIT_GUEST_TOKEN: '1000000' };
  const service = await startService({ inference: isFull ? 'models' : 'fake', workers: WORKERS, environment });
  const client = new RawClient(service.url);
  const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Bench', ongoing: true });
  const enrolments = createEnrolments(service, listId, photos);
  const guests = await createHinderingGuests(service, isFull ? PNG_PIXELS : 5_000);
  let turn = 0;
  let quietMs: number[] = [];
  let hinderedMs: number[] = [];

  /** One after another, like an organiser's server. */
  async function enrol(count: number, into: number[]): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      turn += 1;
      const startedAt = performance.now();
      const { status } = await enrolments.send(client, turn);
      into.push(performance.now() - startedAt);
      equal(status, 201);
    }
  }

  async function amongGuests(into: number[]): Promise<void> {
    const end = await guests.begin();
    try {
      await enrol(people, into);
    } finally {
      await end();
    }
  }

  return {
    title: 'Neighbours',
    about: `An organiser's server enrols ${people} people, one after the other, on a quiet service, and while guests of its own event hinder it: five slow connections of one token, nine guests of whom 2 KB a second arrive, three who send a PNG of 1 × ${PNG_PIXELS.toLocaleString('en')} pixels again and again. The real engine, ${WORKERS} workers. By the clock on the wall, and the guests share the cores.`,
    cases: [
      {
        name: 'on a quiet service',
        run: () => enrol(people, quietMs),
        check: () => enrol(isFull ? WARM_UP : people, []),
      },
      {
        name: 'among guests who hinder',
        run: () => amongGuests(hinderedMs),
        check: async () => {
          await amongGuests([]);
          const statuses = [...guests.answers.keys()];
          if (isFull) deepEqual(statuses, [400]);
          // The fake engine accepts any bytes as a face, and a token can enrol once.
          else
            deepEqual(
              statuses.filter((status) => status !== 401),
              [201],
            );
        },
      },
    ],
    ratios: [],
    bars: () => [
      {
        name: 'an enrolment among guests who hinder, by one on a quiet service (medians)',
        value: median(hinderedMs) / median(quietMs),
        atMost: 2,
        unit: '×',
      },
    ],
    spreads: () => [
      { name: 'an enrolment on a quiet service', values: quietMs },
      { name: 'an enrolment among guests who hinder', values: hinderedMs },
    ],
    figures: [
      {
        name: 'answers to the guests with the PNG',
        text: () => [...guests.answers].map(([status, count]) => `${status} × ${count}`).join(', '),
      },
    ],
    rounds: 5,
    clock: 'wall',
    beginMeasuring() {
      [quietMs, hinderedMs] = [[], []];
    },
    async close() {
      client.close();
      await service.close();
    },
  };
};
