import { setImmediate } from 'node:timers/promises';
import {
  type BatchOmission,
  type CreatedEnrolmentToken,
  type CreatedEnrolmentTokenBatch,
  type CreateEnrolmentTokenBatchRequest,
  type CreateEnrolmentTokenRequest,
  DAY_MS,
  type EnrolmentTokenQuery,
  type EnrolmentTokenResource,
  type EnrolmentTokenState,
  type EnrolmentTokenSummary,
  HOUR_MS,
  isId,
  personIdSchema,
  TOKEN_VALIDITY_MS,
} from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import { found, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, encodeCursor, type Page, toPage } from '../../platform/paging.ts';
import { type AccountCaller, isStale } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { EventService } from '../events/service.ts';
import type { ListKey } from '../lists/store.ts';
import type { MailingStore } from '../mailings/store.ts';
import type { Uses } from '../uses.ts';
import { attemptsLeftOf, DECLINE_UNDO_MS, type OpenList, type TokenIssuer, tokenStateOf } from './issuer.ts';
import type { LinkStore, TokenKey, TokenRecord, TokenStore } from './store.ts';

/** How long an expired token's state can be read. */
const KEPT_AFTER_EXPIRY_MS = 30 * DAY_MS;
/** Tokens whose ticketIds one request of a search opens. */
const SEARCH_ROWS = 4_000;
const SEARCH_ROWS_A_TURN = 250;
/** Tickets of a batch that are looked at in one turn of the event loop. */
const TICKETS_A_TURN = 500;

export type TokenService = ReturnType<typeof createTokenService>;

export function createTokenService(
  o: Uses<'database' | 'audit' | 'keyRing' | 'clock' | 'random'> & {
    readonly store: TokenStore;
    readonly links: Pick<LinkStore, 'linked'>;
    readonly mailings: Pick<MailingStore, 'enrolled'>;
    readonly events: Pick<EventService, 'get'>;
    readonly issuer: TokenIssuer;
  },
) {
  function view(vault: AccountVault, token: TokenRecord): EnrolmentTokenResource {
    const { tokenId, ticketIdSealed, declinedAt, guestLink, createdAt, expiresAt } = token;
    // Kept for an undone decline only.
    const isKept = ticketIdSealed !== null && declinedAt === null;
    return {
      tokenId,
      ticketId: isKept ? vault.openTicketId(tokenId, ticketIdSealed) : null,
      state: tokenStateOf(token, o.clock.now()),
      attemptsLeft: attemptsLeftOf(token),
      guestLink,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    };
  }

  /** @throws ServiceError 'reauthentication-required' where an old session's links could replace a face */
  async function refuseReplacing(tx: Transaction, caller: AccountCaller, list: ListKey, ticketIds: readonly string[]) {
    const now = new Date(o.clock.now());
    if (isStale(caller, now) && (await o.mailings.enrolled(list, ticketIds, now, tx)).size > 0) {
      throw new ServiceError('reauthentication-required');
    }
  }

  /** The tickets of a batch that get a link, under the list's lock. */
  async function chooseTickets(
    tx: Transaction,
    vault: AccountVault,
    { list }: OpenList,
    { ticketIds, ifLinked }: CreateEnrolmentTokenBatchRequest,
  ) {
    const omitted: { index: number; reason: BatchOmission }[] = [];
    const places = new Map<string, number>();
    for (const [index, ticketId] of ticketIds.entries()) {
      if (!personIdSchema.safeParse(ticketId).success) omitted.push({ index, reason: 'invalid' });
      else if (places.has(ticketId)) omitted.push({ index, reason: 'repeated' });
      else places.set(ticketId, index);
    }
    const refs = new Map<string, Buffer>();
    for (const ticketId of places.keys()) {
      if (refs.size % TICKETS_A_TURN === 0) await setImmediate();
      refs.set(ticketId, vault.ticketPseudonym(list.listId, ticketId));
    }
    const now = new Date(o.clock.now());
    if (ifLinked === 'replace') {
      await o.store.revokeLinks(tx, list, [...refs.values()], now);
      return { wanted: [...places.keys()], omitted };
    }
    const linked = await o.links.linked(list, [...refs.values()], now, tx);
    const isLinked = (ticketId: string) => linked.has(refs.get(ticketId)?.toString('hex') ?? '');
    for (const [ticketId, index] of places) if (isLinked(ticketId)) omitted.push({ index, reason: 'linked' });
    const wanted = [...places.keys()].filter((ticketId) => !isLinked(ticketId));
    return { wanted, omitted: omitted.sort((a, b) => a.index - b.index) };
  }

  /** Opens ticketIds in the order of the tokens, until the page is full or enough of them were opened. */
  async function search(
    vault: AccountVault,
    list: ListKey,
    prefix: string,
    before: string | undefined,
    limit: number,
    filter: { readonly state: EnrolmentTokenState; readonly now: Date } | undefined,
  ): Promise<Page<EnrolmentTokenResource>> {
    const ticketRef = vault.ticketPseudonym(list.listId, prefix);
    const found: EnrolmentTokenResource[] = [];
    let last = before;
    for (let opened = 0; opened < SEARCH_ROWS; opened += SEARCH_ROWS_A_TURN) {
      const rows = await o.store.page(list, last, SEARCH_ROWS_A_TURN, filter);
      for (const token of rows) {
        const seen = view(vault, token);
        last = token.tokenId;
        if (seen.ticketId?.startsWith(prefix) !== true && !token.ticketRef.equals(ticketRef)) continue;
        if (found.push(seen) === limit) return { items: found, nextCursor: encodeCursor(last) };
      }
      if (rows.length < SEARCH_ROWS_A_TURN) return { items: found, nextCursor: null };
    }
    return { items: found, nextCursor: last === undefined ? null : encodeCursor(last) };
  }

  async function keyOf(caller: AccountCaller, eventId: string, tokenId: string): Promise<TokenKey> {
    await o.events.get(caller, eventId);
    const list = found(
      isId('tok', tokenId) ? await o.store.findList(caller.accountId, eventId) : null,
      'enrolment token',
    );
    return { ...list, tokenId };
  }

  return {
    view,
    /**
     * Creates a token for one ticket of the event's list, never valid past the event's end.
     * @throws ServiceError in this order: 'not-found', 'widget-settings-missing', 'event-without-list', 'list-ended',
     * 'enrolment-closed', 'event-ended', 'reauthentication-required'
     */
    create: (
      caller: AccountCaller,
      eventId: string,
      { ticketId, validForHours }: CreateEnrolmentTokenRequest,
      remember?: InTransaction<CreatedEnrolmentToken>,
    ): Promise<CreatedEnrolmentToken> =>
      withAccountVault(o, caller.accountId, (vault) =>
        o.database.transaction(async (tx) => {
          const open = await o.issuer.open(tx, caller, eventId);
          await refuseReplacing(tx, caller, open.list, [ticketId]);
          const guestLink = validForHours !== undefined;
          const validityMs = guestLink ? validForHours * HOUR_MS : TOKEN_VALIDITY_MS;
          const issued = await o.issuer.issue(tx, vault, open, { ticketId, validityMs, guestLink });
          const { tokenId, expiresAt, secret } = issued;
          await o.audit.record(tx, actOf(caller, 'enrolment-token.create', tokenId));
          const link = guestLink ? { url: o.issuer.linkOf(secret) } : {};
          const created = { tokenId, token: secret, ticketId, expiresAt: expiresAt.toISOString(), ...link };
          await remember?.(tx, created);
          return created;
        }),
      ),
    /** Creates guest links for many tickets: all or none. @throws ServiceError as `create` */
    createBatch: (
      caller: AccountCaller,
      eventId: string,
      request: CreateEnrolmentTokenBatchRequest,
      remember?: InTransaction<CreatedEnrolmentTokenBatch>,
    ): Promise<CreatedEnrolmentTokenBatch> =>
      withAccountVault(o, caller.accountId, (vault) =>
        o.database.transaction(async (tx) => {
          const open = await o.issuer.open(tx, caller, eventId);
          const { wanted, omitted } = await chooseTickets(tx, vault, open, request);
          await refuseReplacing(tx, caller, open.list, wanted);
          const validityMs = request.validForHours * HOUR_MS;
          const links = wanted.map((ticketId) => ({ ticketId, validityMs, guestLink: true }));
          const issued = await o.issuer.issueAll(tx, vault, open, links);
          const items = issued.map(({ tokenId, expiresAt, secret }, i) => ({
            ...{ ticketId: wanted[i] ?? '', tokenId, token: secret, url: o.issuer.linkOf(secret) },
            expiresAt: expiresAt.toISOString(),
          }));
          if (items.length > 0) await o.audit.record(tx, actOf(caller, 'enrolment-token.create-batch', eventId));
          const created = { items, omitted };
          await remember?.(tx, created);
          return created;
        }),
      ),
    /** @throws ServiceError 'not-found' */
    async summary(caller: AccountCaller, eventId: string): Promise<EnrolmentTokenSummary> {
      await o.events.get(caller, eventId);
      const list = (await o.store.findList(caller.accountId, eventId)) ?? { accountId: caller.accountId, listId: '' };
      return o.store.summary(list, new Date(o.clock.now()));
    },
    /** @throws ServiceError 'not-found' */
    async get(caller: AccountCaller, eventId: string, tokenId: string): Promise<EnrolmentTokenResource> {
      const token = found(await o.store.find(await keyOf(caller, eventId, tokenId)), 'enrolment token');
      return withAccountVault(o, caller.accountId, (vault) => view(vault, token));
    },
    /**
     * Newest first. A page of a search may be short although there is a next one.
     * @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor
     */
    async page(caller: AccountCaller, eventId: string, { cursor, limit, state, ticketIdPrefix }: EnrolmentTokenQuery) {
      await o.events.get(caller, eventId);
      const before = decodeCursor(cursor, (key) => isId('tok', key));
      const list: ListKey | null = await o.store.findList(caller.accountId, eventId);
      const filter = state === undefined ? undefined : { state, now: new Date(o.clock.now()) };
      return withAccountVault(o, caller.accountId, async (vault) => {
        const idOf = (token: TokenRecord) => token.tokenId;
        const viewOf = (token: TokenRecord) => view(vault, token);
        if (list === null) return toPage([], limit, idOf, viewOf);
        if (ticketIdPrefix === undefined) {
          return toPage(await o.store.page(list, before, limit + 1, filter), limit, idOf, viewOf);
        }
        return search(vault, list, ticketIdPrefix, before, limit, filter);
      });
    },
    /**
     * Revoking again, or revoking a used token, changes nothing; a declined one stays so, and that cannot be undone any
     * more.
     * @throws ServiceError 'not-found'
     */
    async revoke(caller: AccountCaller, eventId: string, tokenId: string): Promise<void> {
      const key = await keyOf(caller, eventId, tokenId);
      await o.database.transaction(async (tx) => {
        const revoked = found(await o.store.revoke(tx, key, new Date(o.clock.now())), 'enrolment token');
        if (revoked) await o.audit.record(tx, actOf(caller, 'enrolment-token.revoke', tokenId));
      });
    },
    /** Removes the ticketIds of expired tokens, and tokens that expired long ago. A job; any number may run at once. */
    async sweep(): Promise<void> {
      const now = o.clock.now();
      await o.store.forgetTickets(new Date(now), new Date(now - DECLINE_UNDO_MS));
      await o.store.removeExpired(new Date(now - KEPT_AFTER_EXPIRY_MS));
    },
  };
}
