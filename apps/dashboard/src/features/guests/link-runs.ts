import { Listeners, newUuid } from '@svc/page-kit';
import type { BatchOmission } from '@svc/protocol';
import { api, cache } from '../../api/client.ts';
import { hasCode } from '../../api/errors.ts';
import { isChangedBy } from '../../api/live.ts';
import { type Guest, type GuestTable, type MadeLink, omittedOf } from './guest-table.ts';

/** Guests in one request, so that progress is seen and a lost answer loses few links. */
export const GUESTS_A_REQUEST = 500;

export interface OmittedGuest extends Guest {
  readonly reason: BatchOmission;
}

/** Links that are being made or were made in this tab. They are shown once: nothing else has them. */
export interface LinkRun {
  readonly table: GuestTable;
  readonly guests: readonly Guest[];
  readonly validForHours: number;
  /** Guests whose links were not asked for, or not answered. */
  readonly waiting: readonly Guest[];
  /** Links that guests have already are replaced: those of the next request, or of all. */
  readonly replaces: 'none' | 'next' | 'all';
  readonly links: readonly MadeLink[];
  readonly omitted: readonly OmittedGuest[];
  /** `lost`: the service made links, and the answer with them did not arrive. */
  readonly state: 'running' | 'stopped' | 'lost' | 'done';
  readonly error: unknown;
  readonly isDownloaded: boolean;
}

/** By event. A page that is left and entered again finds its run here. */
const runs = new Map<string, LinkRun>();
const changed = new Listeners<void>();
/** Of the request that comes next; a repeat has the same. */
const keys = new Map<string, string>();

export const linkRunOf = (eventId: string): LinkRun | null => runs.get(eventId) ?? null;

export const watchLinkRuns = (listener: () => void): (() => void) => changed.add(listener);

const holdsLinks = ({ links, isDownloaded, state }: LinkRun) =>
  state === 'running' || (links.length > 0 && !isDownloaded);

/** A browser asks before it closes a tab with links that exist nowhere else. */
function keepTab(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function set(eventId: string, run: LinkRun | null): void {
  if (run === null) runs.delete(eventId);
  else runs.set(eventId, run);
  if (typeof window !== 'undefined') {
    window.removeEventListener('beforeunload', keepTab);
    if ([...runs.values()].some(holdsLinks)) window.addEventListener('beforeunload', keepTab);
  }
  changed.tell();
}

const change = (eventId: string, changes: Partial<LinkRun>) => {
  const run = runs.get(eventId);
  if (run !== undefined) set(eventId, { ...run, ...changes });
};

export const markDownloaded = (eventId: string) => change(eventId, { isDownloaded: true });

export const forgetLinks = (eventId: string) => set(eventId, null);

export function makeLinks(eventId: string, o: Pick<LinkRun, 'table' | 'guests' | 'validForHours'>): Promise<void> {
  const nothing = { links: [], omitted: [], error: null, isDownloaded: false };
  set(eventId, { ...o, ...nothing, waiting: o.guests, replaces: 'none', state: 'running' });
  keys.delete(eventId);
  return goOn(eventId);
}

/**
 * Makes other links in place of those that were lost with their answer; for an omitted guest, in place of the one that
 * he has. The former ones work no longer.
 */
export function replaceLinks(eventId: string, which: 'lost' | 'linked'): Promise<void> {
  const run = runs.get(eventId);
  if (run === undefined) return Promise.resolve();
  keys.delete(eventId);
  if (which === 'lost') change(eventId, { replaces: 'next' });
  else {
    const linked = run.omitted.filter(({ reason }) => reason === 'linked');
    const omitted = run.omitted.filter(({ reason }) => reason !== 'linked');
    change(eventId, { waiting: [...run.waiting, ...linked], omitted, replaces: 'all' });
  }
  return goOn(eventId);
}

/** Goes on where a run stopped. The request that failed is sent again with its key, so nothing is made twice. */
export async function goOn(eventId: string): Promise<void> {
  change(eventId, { state: 'running', error: null });
  for (;;) {
    const run = runs.get(eventId);
    if (run === undefined) return;
    const guests = run.waiting.slice(0, GUESTS_A_REQUEST);
    if (guests.length === 0) return change(eventId, { state: 'done', replaces: 'none' });
    const key = keys.get(eventId) ?? newUuid();
    keys.set(eventId, key);
    try {
      const made = await api.call('createEnrolmentTokenBatch', {
        params: { eventId },
        body: {
          ticketIds: guests.map(({ ticketId }) => ticketId),
          validForHours: run.validForHours,
          ...(run.replaces === 'none' ? {} : { ifLinked: 'replace' as const }),
        },
        idempotencyKey: key,
      });
      keys.delete(eventId);
      change(eventId, {
        waiting: run.waiting.slice(guests.length),
        links: [...run.links, ...made.items],
        omitted: [...run.omitted, ...omittedOf(guests, made.omitted)],
        replaces: run.replaces === 'all' ? 'all' : 'none',
        isDownloaded: false,
      });
      void cache.invalidateQueries({ predicate: (query) => isChangedBy(query, { topic: 'guests', eventId }) });
    } catch (error) {
      return change(eventId, { state: hasCode(error, 'secret-already-issued') ? 'lost' : 'stopped', error });
    }
  }
}
