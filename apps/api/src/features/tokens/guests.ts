import { setImmediate } from 'node:timers/promises';
import { type GuestQuery, type GuestResource, type GuestSummary, guestStates, isId } from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import { ServiceError } from '../../platform/errors.ts';
import { FairTurns, serverShare } from '../../platform/fair-share.ts';
import { decodeCursor, encodeCursor, type Page } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { ListService } from '../lists/service.ts';
import type { ListKey } from '../lists/store.ts';
import type { PersonService } from '../people/service.ts';
import type { Uses } from '../uses.ts';
import type { GuestFilter, GuestKind, GuestPlaces, GuestRecord, GuestStore, GuestTerms } from './guest-store.ts';
import type { EnrolmentLinkService } from './links.ts';
import type { TokenService } from './service.ts';

/** Guests whom one request of a search looks at. */
const SEARCH_ROWS = 4_000;
const ROWS_AT_ONCE = 2_000;
/** Of them, in one turn of the event loop. */
const ROWS_A_TURN = 250;
/** Requests of a node that are worked on; the others wait, of all accounts in turn. Each may keep a connection for seconds. */
const AT_ONCE = 2;
const WAIT_MS = 10_000;
const PLACE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** In their order. */
const KINDS: readonly GuestKind[] = ['linked', 'unlinked'];
const kindOf = (place: string): GuestKind => (place.startsWith('tok_') ? 'linked' : 'unlinked');

/** The guests of a list: who has had a link or has a face, each once. */
export type GuestService = ReturnType<typeof createGuestService>;

export function createGuestService(
  o: Uses<'keyRing' | 'clock' | 'random'> & {
    readonly store: GuestStore;
    readonly tokens: Pick<TokenService, 'view'>;
    readonly lists: Pick<ListService, 'get'>;
    readonly people: Pick<PersonService, 'termsOf'>;
    readonly links: Pick<EnrolmentLinkService, 'fillSome'>;
  },
) {
  const now = () => new Date(o.clock.now());
  const turns = new FairTurns(AT_ONCE);

  /** @throws ServiceError 'overloaded' */
  async function inTurn<T>({ accountId }: AccountCaller, work: (vault: AccountVault) => Promise<T>): Promise<T> {
    const end = await turns.take(serverShare(accountId), new AbortController().signal, WAIT_MS);
    if (end === null) throw new ServiceError('overloaded', { retryAfterSeconds: WAIT_MS / 1_000 });
    return withAccountVault(o, accountId, work).finally(end);
  }

  /** The list, whose people have their tickets, and what decides about its guests. @throws ServiceError 'not-found', 'not-ready' */
  async function open(vault: AccountVault, caller: AccountCaller, listId: string) {
    const list = await o.lists.get(caller, listId);
    if (!(await o.links.fillSome(vault, list))) throw new ServiceError('not-ready');
    const { view, ...terms } = await o.people.termsOf(list);
    return { list, view, terms: { ...terms, now: now() } };
  }

  /** All guests behind a place, those of both kinds. @param o.rows read at once */
  async function* guestsAfter(
    list: ListKey,
    terms: GuestTerms,
    filter: GuestFilter,
    { after: from, rows }: GuestPlaces,
  ) {
    for (const kind of KINDS.slice(from === undefined ? 0 : KINDS.indexOf(kindOf(from)))) {
      let after = from !== undefined && kindOf(from) === kind ? from : undefined;
      for (let found = rows; found === rows; ) {
        const page = await o.store.page(list, kind, terms, filter, { after, rows });
        yield* page;
        after = page.at(-1)?.place;
        found = page.length;
      }
    }
  }

  /** When the ticketId of a token was no longer needed; null where that is not known. */
  function forgottenAt({ state, token }: GuestRecord): string | null {
    if (token === null || state === 'erased' || state === 'exhausted') return null;
    const { declinedAt, revokedAt, expiresAt } = token;
    return (declinedAt ?? revokedAt ?? (expiresAt <= now() ? expiresAt : null))?.toISOString() ?? null;
  }

  return {
    /**
     * A page of a search may be short although there is a next one.
     * @throws ServiceError as {@link summary}, or 'invalid-request' for a foreign cursor
     */
    async page(caller: AccountCaller, listId: string, query: GuestQuery): Promise<Page<GuestResource>> {
      const { cursor, limit, state, ticketIdContains: part } = query;
      const from = decodeCursor(cursor, (key) => isId('tok', key) || PLACE.test(key));
      return inTurn(caller, async (vault) => {
        const { list, view, terms } = await open(vault, caller, listId);
        const search = part === undefined ? undefined : { part, ticketRef: vault.ticketPseudonym(listId, part) };
        const wanted = part?.toLowerCase() ?? '';

        /** The guest as told; null for one who is not searched for. */
        function toGuest(guest: GuestRecord): GuestResource | null {
          const token = guest.token === null ? null : o.tokens.view(vault, guest.token);
          const isNamed = search !== undefined && guest.token?.ticketRef.equals(search.ticketRef) === true;
          const ticketId = guest.person?.personId ?? token?.ticketId ?? (isNamed ? (part ?? null) : null);
          if (!isNamed && search !== undefined && ticketId?.toLowerCase().includes(wanted) !== true) return null;
          return {
            ...{ ticketId, state: guest.state, ticketForgottenAt: ticketId === null ? forgottenAt(guest) : null },
            ...{ token, person: guest.person && view(guest.person) },
          };
        }

        const items: GuestResource[] = [];
        const rows = search === undefined ? limit + 1 : ROWS_AT_ONCE;
        let last = from ?? '';
        let looked = 0;
        for await (const guest of guestsAfter(list, terms, { state, search }, { after: from, rows })) {
          if (items.length === limit || looked === SEARCH_ROWS) return { items, nextCursor: encodeCursor(last) };
          const told = toGuest(guest);
          if (told !== null) items.push(told);
          last = guest.place;
          looked += 1;
          if (looked % ROWS_A_TURN === 0) await setImmediate();
        }
        return { items, nextCursor: null };
      });
    },
    /** @throws ServiceError 'not-found', 'overloaded', or 'not-ready' while people of earlier versions are prepared */
    async summary(caller: AccountCaller, listId: string): Promise<GuestSummary> {
      const states = Object.fromEntries(guestStates.map((state) => [state, 0])) as GuestSummary['states'];
      const summary = { guests: 0, opened: 0, states, days: [] as GuestSummary['days'] };
      const counts = await inTurn(caller, async (vault) => {
        const { list, terms } = await open(vault, caller, listId);
        return o.store.counts(list, terms);
      });
      for (const { state, what, day, count } of counts) {
        if (summary.days.at(-1)?.day !== day) {
          summary.days.push({ day, guests: 0, opened: 0, enrolled: 0, declined: 0 });
        }
        const ofDay = summary.days.at(-1);
        if (ofDay !== undefined) ofDay[what] += count;
        if (what === 'guests') states[state] += count;
        if (what === 'guests' || what === 'opened') summary[what] += count;
      }
      return summary;
    },
  };
}
