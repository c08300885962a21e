import { setImmediate } from 'node:timers/promises';
import { type EnrolmentTokenState, MAX_PHOTO_ATTEMPTS, MINUTE_MS } from '@svc/protocol';
import type { AccountVault } from '../../crypto/account-vault.ts';
import { createSecret } from '../../crypto/secrets.ts';
import type { Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { EventService } from '../events/service.ts';
import { requireOpen } from '../lists/service.ts';
import type { ListKey, ListRecord, ListStore } from '../lists/store.ts';
import type { Uses } from '../uses.ts';
import type { TokenMarks, TokenRecord, TokenStore } from './store.ts';

/** How long a decline can be undone; the ticketId is kept for as long. */
export const DECLINE_UNDO_MS = 30 * MINUTE_MS;

/** A list that accepts people, locked until the transaction ends. */
export interface OpenList {
  readonly list: ListRecord;
  /** End of the event: no token is valid longer. */
  readonly endsAt: Date;
}

export interface IssuedToken {
  readonly tokenId: string;
  readonly expiresAt: Date;
  /** Shown only once. */
  readonly secret: string;
}

export interface WantedToken {
  readonly ticketId: string;
  readonly validityMs: number;
  readonly guestLink: boolean;
}

/** Tokens made in one turn of the event loop. */
const TOKENS_A_TURN = 200;

/** Creates enrolment tokens, single or in bulk. */
export type TokenIssuer = ReturnType<typeof createTokenIssuer>;

export function createTokenIssuer(
  o: Uses<'ids' | 'clock' | 'random'> & {
    readonly store: Pick<TokenStore, 'findList' | 'insert'>;
    readonly events: Pick<EventService, 'hold'>;
    readonly listStore: Pick<ListStore, 'lock'>;
    /** URL of the widget. */
    readonly widgetUrl: string;
  },
) {
  function make(
    vault: AccountVault,
    { list, endsAt }: OpenList,
    { ticketId, validityMs, guestLink }: WantedToken,
    tokenId: string,
  ) {
    const { secret, sha256 } = createSecret(o.random, 'svce');
    const now = o.clock.now();
    const token: TokenRecord = {
      accountId: list.accountId,
      listId: list.listId,
      tokenId,
      ticketRef: vault.ticketPseudonym(list.listId, ticketId),
      ticketIdSealed: vault.sealTicketId(tokenId, ticketId),
      guestLink,
      attempts: 0,
      examinationUntil: null,
      usedAt: null,
      declinedAt: null,
      revokedAt: null,
      createdAt: new Date(now),
      expiresAt: new Date(Math.min(now + validityMs, endsAt.getTime())),
    };
    return { token, sha256, issued: { tokenId, expiresAt: token.expiresAt, secret } };
  }

  return {
    /**
     * @throws ServiceError in this order: 'not-found', 'widget-settings-missing', 'event-without-list', 'list-ended',
     * 'enrolment-closed', 'event-ended'
     */
    async open(tx: Transaction, caller: AccountCaller, eventId: string): Promise<OpenList> {
      const event = await o.events.hold(tx, caller, eventId);
      if (event.widget === null) throw new ServiceError('widget-settings-missing');
      const key: ListKey | null = await o.store.findList(caller.accountId, eventId, tx);
      const list = key === null ? null : await o.listStore.lock(tx, key);
      if (list === null) throw new ServiceError('event-without-list');
      const now = o.clock.now();
      requireOpen(list, now);
      if (event.endsAt.getTime() <= now) throw new ServiceError('event-ended');
      return { list, endsAt: event.endsAt };
    },
    async issue(tx: Transaction, vault: AccountVault, open: OpenList, wanted: WantedToken): Promise<IssuedToken> {
      const made = make(vault, open, wanted, o.ids.next('tok'));
      await o.store.insert(tx, [made]);
      return made.issued;
    },
    /** Issues many tokens, in their order; other work of this process goes on in between. */
    async issueAll(tx: Transaction, vault: AccountVault, open: OpenList, wanted: readonly WantedToken[]) {
      const made: ReturnType<typeof make>[] = [];
      // Those of one millisecond are in no order.
      const tokenIds = wanted.map(() => o.ids.next('tok')).sort();
      for (const [place, tokenId] of tokenIds.entries()) {
        if (place % TOKENS_A_TURN === 0) await setImmediate();
        made.push(make(vault, open, wanted[place] as WantedToken, tokenId));
      }
      await o.store.insert(tx, made);
      return made.map(({ issued }) => issued);
    },
    /** The guest link of a token, which is in the fragment: browsers do not send it to servers. */
    linkOf: (secret: string): string => `${o.widgetUrl}#${secret}`,
  };
}

/** True while a photo of the token is being processed. */
export function isExamined(token: Pick<TokenMarks, 'examinationUntil'>, nowMs: number): boolean {
  return token.examinationUntil !== null && token.examinationUntil.getTime() > nowMs;
}

/** A token's state; actions take precedence over expiry. It is expired at exactly `expiresAt`. */
export function tokenStateOf(token: TokenMarks, nowMs: number): EnrolmentTokenState {
  if (token.usedAt !== null) return 'used';
  if (token.declinedAt !== null) return 'declined';
  if (token.revokedAt !== null) return 'revoked';
  if (token.attempts >= MAX_PHOTO_ATTEMPTS && !isExamined(token, nowMs)) return 'exhausted';
  return token.expiresAt.getTime() <= nowMs ? 'expired' : 'valid';
}

/** How many more photos may turn out unusable. */
export function attemptsLeftOf(token: Pick<TokenMarks, 'attempts'>): number {
  return Math.max(0, MAX_PHOTO_ATTEMPTS - token.attempts);
}
