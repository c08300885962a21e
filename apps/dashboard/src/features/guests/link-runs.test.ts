import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api, cache } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { readKey } from '../../api/operations.ts';
import { checkRows, guessMapping, readTable } from './guest-table.ts';
import {
  forgetLinks,
  GUESTS_A_REQUEST,
  goOn,
  linkRunOf,
  makeLinks,
  markDownloaded,
  replaceLinks,
} from './link-runs.ts';

interface Sent {
  readonly body: { readonly ticketIds: readonly string[]; readonly ifLinked?: string };
  readonly idempotencyKey: string;
}

let sent: Sent[];
/** What the next requests are answered; then links. */
let answers: (ApiError | readonly string[])[];

/** Has a link, and is left out unless that is replaced. */
const LINKED = 'T-1';

async function answer(_id: string, input: Sent) {
  sent.push(input);
  const next = answers.shift();
  if (next instanceof ApiError) throw next;
  const isOmitted = (ticketId: string) => ticketId === LINKED && input.body.ifLinked !== 'replace';
  return {
    items: input.body.ticketIds
      .filter((ticketId) => !isOmitted(ticketId))
      .map((ticketId) => ({ ticketId, tokenId: 'tok', url: `https://w/#${ticketId}`, expiresAt: '2026-06-04' })),
    omitted: input.body.ticketIds.flatMap((ticketId, index) =>
      isOmitted(ticketId) ? [{ index, reason: 'linked' }] : [],
    ),
  };
}

const EVENT = 'evt_1';
const run = () => {
  const found = linkRunOf(EVENT);
  if (found === null) throw new Error('no run');
  return found;
};
const tickets = (count: number, prefix = 'A') => {
  const table = readTable(Array.from({ length: count }, (_, nth) => `${prefix}-${nth}`).join('\n'));
  const { guests } = checkRows(table, guessMapping(table), { needsEmail: false, linked: new Set() });
  return { table, guests, validForHours: 24 };
};
const offline = () => new ApiError('no-connection', { status: 0 });
const issued = () => new ApiError('secret-already-issued', { status: 409 });

beforeEach(() => {
  sent = [];
  answers = [];
  forgetLinks(EVENT);
  vi.spyOn(api, 'call').mockImplementation(answer as unknown as typeof api.call);
});

describe('links in bulk', () => {
  it('are made some at a time, in the order of the guests, each request with a key of its own', async () => {
    await makeLinks(EVENT, tickets(GUESTS_A_REQUEST * 2 + 1));
    expect(sent.map(({ body }) => body.ticketIds.length)).toEqual([GUESTS_A_REQUEST, GUESTS_A_REQUEST, 1]);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
    expect([run().state, run().links.length, run().links.at(-1)?.ticketId]).toEqual(['done', 1001, 'A-1000']);
  });

  it('are told to what counts guests, at once', async () => {
    const told = vi.spyOn(cache, 'invalidateQueries').mockResolvedValue();
    await makeLinks(EVENT, tickets(GUESTS_A_REQUEST + 1));
    const queryKey = readKey('getGuestSummary', { params: { listId: 'lst_1' } });
    expect(told.mock.calls.map(([filters]) => filters?.predicate?.({ queryKey } as never))).toEqual([true, true]);
  });

  it('go on where the connection broke, by the same key', async () => {
    answers = [[], offline()];
    await makeLinks(EVENT, tickets(GUESTS_A_REQUEST * 2));
    expect([run().state, run().links.length, run().waiting.length]).toEqual(['stopped', 500, 500]);
    await goOn(EVENT);
    expect([run().state, run().links.length]).toEqual(['done', 1000]);
    expect(sent[2]?.idempotencyKey).toBe(sent[1]?.idempotencyKey);
    expect(sent[2]?.body).toEqual(sent[1]?.body);
  });

  it('whose answer was lost are replaced when asked to, those alone', async () => {
    answers = [offline(), issued()];
    await makeLinks(EVENT, tickets(GUESTS_A_REQUEST + 1));
    await goOn(EVENT);
    expect([run().state, run().links.length]).toEqual(['lost', 0]);
    await replaceLinks(EVENT, 'lost');
    expect(sent.map(({ body }) => body.ifLinked)).toEqual([undefined, undefined, 'replace', undefined]);
    expect(sent[2]?.idempotencyKey).not.toBe(sent[1]?.idempotencyKey);
    expect([run().state, run().links.length]).toEqual(['done', 501]);
  });

  it('of guests who have one are made when asked to, and take their place in the file', async () => {
    await makeLinks(EVENT, tickets(3, 'T'));
    expect(run().omitted.map(({ ticketId, reason }) => [ticketId, reason])).toEqual([['T-1', 'linked']]);
    await replaceLinks(EVENT, 'linked');
    expect(sent[1]?.body).toMatchObject({ ticketIds: ['T-1'], ifLinked: 'replace' });
    expect([run().omitted, run().links.length, run().guests.length]).toEqual([[], 3, 3]);
  });

  it('are known as downloaded until there are more', async () => {
    await makeLinks(EVENT, tickets(2, 'T'));
    markDownloaded(EVENT);
    expect(run().isDownloaded).toBe(true);
    await replaceLinks(EVENT, 'linked');
    expect(run().isDownloaded).toBe(false);
  });
});
