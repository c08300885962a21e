import { setImmediate } from 'node:timers/promises';
import { type GuestQuery, type GuestResource, type GuestSummary, guestStates, isId } from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import { decodeCursor, encodeCursor, type Page } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { ListService } from '../lists/service.ts';
import type { ListKey } from '../lists/store.ts';
import type { PersonService } from '../people/service.ts';
import type { Uses } from '../uses.ts';
import type { GuestFilter, GuestKind, GuestPlaces, GuestRecord, GuestStore, GuestTerms } from './guest-store.ts';
import type { TokenService } from './service.ts';
import type { LinkStore } from './store.ts';

/** Guests whom one request of a search looks at. */
const SEARCH_ROWS = 4_000;
const ROWS_AT_ONCE = 2_000;
/** Of them, in one turn of the event loop. */
const ROWS_A_TURN = 250;
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
    readonly linkStore: Pick<LinkStore, 'fillTickets'>;
  },
) {
  const now = () => new Date(o.clock.now());

  /** The list, whose people have their tickets, and what decides about its guests. @throws ServiceError 'not-found' */
  async function open(vault: AccountVault, caller: AccountCaller, listId: string) {
    const list = await o.lists.get(caller, listId);
    await o.linkStore.fillTickets(list, (personId) => vault.ticketPseudonym(listId, personId));
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
     * @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor
     */
    async page(caller: AccountCaller, listId: string, query: GuestQuery): Promise<Page<GuestResource>> {
      const { cursor, limit, state, ticketIdContains: part } = query;
      const from = decodeCursor(cursor, (key) => isId('tok', key) || PLACE.test(key));
      return withAccountVault(o, caller.accountId, async (vault) => {
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
    /** @throws ServiceError 'not-found' */
    async summary(caller: AccountCaller, listId: string): Promise<GuestSummary> {
      const states = Object.fromEntries(guestStates.map((state) => [state, 0])) as GuestSummary['states'];
      const summary = { guests: 0, opened: 0, states, days: [] as GuestSummary['days'] };
      const { list, terms } = await withAccountVault(o, caller.accountId, (vault) => open(vault, caller, listId));
      for (const { state, what, day, count } of await o.store.counts(list, terms)) {
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
