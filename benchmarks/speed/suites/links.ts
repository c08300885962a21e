import { equal, ok } from 'node:assert/strict';
import {
  type CreatedEnrolmentTokenBatch,
  DAY_MS,
  type EnrolmentTokenSummary,
  type EventResource,
  type ListResource,
} from '@svc/protocol';
import { addDevice, type BenchDevice } from '../service/device.ts';
import { createEnrolments } from '../service/enrolments.ts';
import { at, atRate } from '../service/pace.ts';
import { RawClient } from '../service/raw-client.ts';
import { startService } from '../service/start-service.ts';
import type { SuiteFactory } from '../suite.ts';

const LINKS = 10_000;
const BAR_MS = 60_000;
const DEVICES = 32;
const SYNCS_PER_SECOND = 20;
/** A guest enrols at every so manieth sync, so that devices have changes to fetch. */
const ENROLS_EVERY = 10;

interface Door {
  readonly device: BenchDevice;
  since: number;
  /** One sync at a time, as the SDK does. */
  isBusy: boolean;
}

/** The largest batch of guest links while devices of the same account sync. */
export const createSuite: SuiteFactory = async (scale) => {
  const links = scale === 'full' ? LINKS : 40;
  const service = await startService({ inference: 'fake', workers: 1 });
  const client = new RawClient(service.url);
  const times = [0, 2].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
  const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Door', ongoing: true });
  const enrolments = createEnrolments(service, listId, [Buffer.from('a face')]);
  const doors: Door[] = [];
  for (let i = 0; i < (scale === 'full' ? DEVICES : 2); i += 1)
    doors.push({ device: await addDevice(service, listId), since: 0, isBusy: false });
  for (let i = 0; i < 5; i += 1) equal((await enrolments.send(client, i)).status, 201);

  const syncMs: number[] = [];
  let failed = 0;
  let batches = 0;

  /** Verified as a device does. One that waits for an answer sits its turn out, as the SDK does. */
  async function sync(door: Door): Promise<void> {
    if (door.isBusy) return;
    door.isBusy = true;
    const { bytes, nonce } = door.device.request(door.since);
    const startedAt = performance.now();
    try {
      const { status, body } = await client.send(bytes);
      syncMs.push(performance.now() - startedAt);
      equal(status, 200);
      door.since = (await door.device.verify(body, nonce)).manifest.toVersion;
    } catch {
      failed += 1;
    }
    door.isBusy = false;
  }

  const load = (isOver: () => boolean): Promise<void> =>
    atRate(SYNCS_PER_SECOND, isOver, async (turn) => {
      if (turn % ENROLS_EVERY === 0) await enrolments.send(client, turn);
      await sync(at(doors, turn));
    });

  /** Everybody's first link, for an event of its own. @returns the event */
  async function batch(): Promise<string> {
    batches += 1;
    const [startsAt, endsAt] = times;
    const event = await service.call<EventResource>('POST', '/v1/events', { name: 'Fair', startsAt, endsAt });
    const { eventId } = event;
    const settings = { organiserName: 'Fair', privacyNoticeUrl: 'https://fair.example/privacy' };
    await service.call('POST', `/v1/events/${eventId}/widget`, settings);
    await service.call('POST', '/v1/lists', { name: 'Fair', eventId });
    let isOver = false;
    const syncing = load(() => isOver);
    const ticketIds = Array.from({ length: links }, (_, i) => `T-${batches}-${String(i).padStart(12, '0')}`);
    const path = `/v1/events/${eventId}/enrolment-tokens/batch`;
    const made = await service
      .call<CreatedEnrolmentTokenBatch>('POST', path, { ticketIds, validForHours: 24 })
      .finally(() => {
        isOver = true;
      });
    await syncing;
    if (made.items.length !== links || new Set(made.items.map(({ url }) => url)).size !== links)
      throw new Error('not every ticket has a link of its own');
    if (failed > 0) throw new Error(`${failed} syncs failed`);
    return eventId;
  }

  const name = `${links} guest links in one batch`;
  return {
    title: 'Guest links in one batch',
    about: `One request for ${links} guest links, while ${doors.length} devices of the account sync, ${SYNCS_PER_SECOND} times a second in all, with a guest enrolling at every ${ENROLS_EVERY}th. Every sync has to be answered with 200, and its answer is verified as a device does; a failed one ends the suite. PostgreSQL, API and the load share this machine's cores. By the clock on the wall, the event's creation included.`,
    cases: [
      {
        name,
        run: batch,
        check: async () => {
          const eventId = await batch();
          const { tokens, tickets } = await service.call<EnrolmentTokenSummary>(
            'GET',
            `/v1/events/${eventId}/enrolment-tokens/summary`,
          );
          equal(tokens.valid, links);
          equal(tickets.invited, links);
          ok(syncMs.length > 0);
        },
      },
    ],
    ratios: [],
    beginMeasuring() {
      syncMs.length = 0;
    },
    spreads: () => [{ name: 'a sync beside the batch', values: [...syncMs] }],
    bars: (medianMs) => [{ name: `${links} links in one batch`, value: medianMs(name), atMost: BAR_MS, unit: 'ms' }],
    rounds: 3,
    clock: 'wall',
    async close() {
      client.close();
      await service.close();
    },
  };
};
