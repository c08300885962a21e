import { setImmediate } from 'node:timers/promises';
import {
  type CreateMailingReminderRequest,
  type CreateMailingRequest,
  isEmail,
  isId,
  isPersonId,
  languageTagSchema,
  MAX_MAILINGS,
  type RecipientOmission,
  type RecipientState,
} from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { EventService } from '../events/service.ts';
import type { ListKey } from '../lists/store.ts';
import type { TokenIssuer } from '../tokens/issuer.ts';
import type { TokenStore } from '../tokens/store.ts';
import type { Uses } from '../uses.ts';
import {
  type CountedMailing,
  type MailingKey,
  type MailingRecord,
  type MailingStore,
  type NewRecipient,
  noRecipients,
  type RecipientRecord,
} from './store.ts';

const FALLBACK_LANGUAGE = 'en';
const FALLBACK_TIME_ZONE = 'UTC';
/** Recipients that are sealed in one turn of the event loop. */
const ROWS_A_TURN = 100;

/** A guest's address, as it is sealed. */
export interface Address {
  readonly email: string;
  /** BCP 47; null: the mailing's. */
  readonly language: string | null;
}

/** What a recipient's ticketId and address are sealed for. */
export const recipientId = (mailingId: string, position: number) => `${mailingId}/${position}`;

export interface NewMailing {
  readonly mailing: CountedMailing;
  readonly omitted: readonly { readonly index: number; readonly reason: RecipientOmission }[];
}

/** A recipient as its organiser sees it, without the address. */
export interface RecipientView extends Omit<RecipientRecord, 'ticketIdSealed'> {
  /** Null once it is no longer needed. */
  readonly ticketId: string | null;
}

export type MailingService = ReturnType<typeof createMailingService>;

export function createMailingService(
  o: Uses<'database' | 'audit' | 'keyRing' | 'ids' | 'clock' | 'random'> & {
    readonly store: MailingStore;
    readonly tokenStore: Pick<TokenStore, 'findList'>;
    readonly events: Pick<EventService, 'get'>;
    readonly issuer: Pick<TokenIssuer, 'open'>;
    /** Whether the deployment can send mail. */
    readonly canSend: boolean;
  },
) {
  async function keyOf(caller: AccountCaller, eventId: string, mailingId: string): Promise<MailingKey> {
    await o.events.get(caller, eventId);
    const list = isId('mlg', mailingId) ? await o.tokenStore.findList(caller.accountId, eventId) : null;
    if (list === null) throw missing('mailing');
    return { ...list, mailingId };
  }

  async function find(key: MailingKey, tx?: Transaction): Promise<CountedMailing> {
    const mailing = await o.store.find(key, tx);
    if (mailing === null) throw missing('mailing');
    return mailing;
  }

  function seal(
    vault: AccountVault,
    { listId }: ListKey,
    mailingId: string,
    { position, ticketId, address }: { position: number; ticketId: string; address: Address },
  ): NewRecipient {
    const id = recipientId(mailingId, position);
    return {
      position,
      ticketRef: vault.ticketPseudonym(listId, ticketId),
      ticketIdSealed: vault.sealTicketId(id, ticketId),
      addressSealed: vault.sealAddress(id, JSON.stringify(address)),
    };
  }

  /** Rows with a ticket, an address and a language, each ticket once. */
  function readRows(rows: CreateMailingRequest['recipients']) {
    const omitted: { index: number; reason: RecipientOmission }[] = [];
    const read = new Map<string, { position: number; ticketId: string; address: Address }>();
    for (const [index, { ticketId, email, language }] of rows.entries()) {
      const reason = reasonToOmit(ticketId, email.trim(), language);
      if (reason !== null) omitted.push({ index, reason });
      else if (read.has(ticketId)) omitted.push({ index, reason: 'repeated' });
      else
        read.set(ticketId, { position: index, ticketId, address: { email: email.trim(), language: language || null } });
    }
    return { read, omitted };
  }

  /** Seals what a mailing needs, outside of the transaction that holds the list. */
  async function sealAll(
    vault: AccountVault,
    list: ListKey,
    mailingId: string,
    rows: Iterable<{ position: number; ticketId: string; address: Address }>,
  ) {
    const sealed = new Map<string, NewRecipient>();
    for (const row of rows) {
      if (sealed.size % ROWS_A_TURN === 0) await setImmediate();
      sealed.set(row.ticketId, seal(vault, list, mailingId, row));
    }
    return sealed;
  }

  async function requireRoom(tx: Transaction, list: ListKey): Promise<void> {
    if ((await o.store.count(tx, list)) >= MAX_MAILINGS) throw new ServiceError('mailing-limit-reached');
  }

  const settingsOf = (
    { validForHours, defaultLanguage, timeZone, replyTo, texts }: CreateMailingReminderRequest,
    former?: MailingRecord,
  ) => ({
    validForHours,
    texts: Object.fromEntries((texts ?? []).map(({ language, subject, text }) => [language, { subject, text }])),
    defaultLanguage: defaultLanguage ?? former?.defaultLanguage ?? FALLBACK_LANGUAGE,
    timeZone: timeZone ?? former?.timeZone ?? FALLBACK_TIME_ZONE,
    replyTo: replyTo === undefined ? (former?.replyTo ?? null) : replyTo,
  });

  const begin = (list: ListKey, mailingId: string, more: Pick<MailingRecord, 'remindsMailingId'>) => ({
    accountId: list.accountId,
    listId: list.listId,
    mailingId,
    ...more,
    cancelledAt: null,
    createdAt: new Date(o.clock.now()),
  });

  async function requireMail(caller: AccountCaller, eventId: string): Promise<void> {
    await o.events.get(caller, eventId);
    if (!o.canSend || caller.mode === 'test') throw new ServiceError('mail-not-configured');
  }

  return {
    /**
     * Accepts a mailing; a job sends it.
     * @throws ServiceError in this order: 'not-found', 'mail-not-configured', 'widget-settings-missing',
     * 'event-without-list', 'list-ended', 'enrolment-closed', 'event-ended', 'mailing-limit-reached'
     */
    async create(
      caller: AccountCaller,
      eventId: string,
      request: CreateMailingRequest,
      remember?: InTransaction<NewMailing>,
    ): Promise<NewMailing> {
      await requireMail(caller, eventId);
      const { read, omitted } = readRows(request.recipients);
      const mailingId = o.ids.next('mlg');
      return withAccountVault(o, caller.accountId, async (vault) => {
        const known = await o.tokenStore.findList(caller.accountId, eventId);
        const sealed = known === null ? new Map() : await sealAll(vault, known, mailingId, read.values());
        return o.database.transaction(async (tx) => {
          const { list } = await o.issuer.open(tx, caller, eventId);
          await requireRoom(tx, list);
          // The list was made, or replaced by another one, in between.
          const all: ReadonlyMap<string, NewRecipient> =
            list.listId === known?.listId ? sealed : await sealAll(vault, list, mailingId, read.values());
          const now = new Date(o.clock.now());
          const enrolled = await o.store.enrolled(list, [...all.keys()], now, tx);
          const refs = [...all.values()].map(({ ticketRef }) => ticketRef);
          const declined = await o.store.declined(list, refs, tx);
          const left: typeof omitted = [];
          const recipients: NewRecipient[] = [];
          for (const [ticketId, recipient] of all) {
            const index = recipient.position;
            if (enrolled.has(ticketId)) left.push({ index, reason: 'enrolled' });
            else if (declined.has(recipient.ticketRef.toString('hex'))) left.push({ index, reason: 'declined' });
            else recipients.push(recipient);
          }
          const mailing = { ...begin(list, mailingId, { remindsMailingId: null }), ...settingsOf(request) };
          await o.store.insert(tx, mailing, recipients);
          await o.audit.record(tx, actOf(caller, 'mailing.create', mailingId));
          const created: NewMailing = {
            mailing: { ...mailing, recipients: { ...noRecipients, waiting: recipients.length } },
            omitted: [...omitted, ...left].sort((a, b) => a.index - b.index),
          };
          await remember?.(tx, created);
          return created;
        });
      });
    },
    /**
     * Accepts a mailing to those who were sent another one and have not decided. What the request leaves out is as in that
     * mailing, except its texts.
     * @throws ServiceError as `create`
     */
    async remind(
      caller: AccountCaller,
      eventId: string,
      formerId: string,
      request: CreateMailingReminderRequest,
      remember?: InTransaction<CountedMailing>,
    ): Promise<CountedMailing> {
      await keyOf(caller, eventId, formerId).then((key) => find(key));
      await requireMail(caller, eventId);
      const mailingId = o.ids.next('mlg');
      return withAccountVault(o, caller.accountId, (vault) =>
        o.database.transaction(async (tx) => {
          const { list } = await o.issuer.open(tx, caller, eventId);
          const former = await find({ accountId: list.accountId, listId: list.listId, mailingId: formerId }, tx);
          await requireRoom(tx, list);
          const rows = openRows(vault, formerId, await o.store.reminded(tx, former));
          const ticketIds = rows.map(({ ticketId }) => ticketId);
          const enrolled = await o.store.enrolled(list, ticketIds, new Date(o.clock.now()), tx);
          const undecided = rows.filter(({ ticketId }) => !enrolled.has(ticketId));
          const recipients = [...(await sealAll(vault, list, mailingId, undecided)).values()];
          const mailing = { ...begin(list, mailingId, { remindsMailingId: formerId }), ...settingsOf(request, former) };
          await o.store.insert(tx, mailing, recipients);
          await o.audit.record(tx, actOf(caller, 'mailing.remind', mailingId));
          const created = { ...mailing, recipients: { ...noRecipients, waiting: recipients.length } };
          await remember?.(tx, created);
          return created;
        }),
      );
    },
    /** @throws ServiceError 'not-found' */
    get: async (caller: AccountCaller, eventId: string, mailingId: string): Promise<CountedMailing> =>
      find(await keyOf(caller, eventId, mailingId)),
    /** Newest first. @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor */
    async page(caller: AccountCaller, eventId: string, { cursor, limit }: PageRequest): Promise<Page<CountedMailing>> {
      await o.events.get(caller, eventId);
      const before = decodeCursor(cursor, (key) => isId('mlg', key));
      const list = await o.tokenStore.findList(caller.accountId, eventId);
      const rows = list === null ? [] : await o.store.page(list, before, limit + 1);
      return toPage(rows, limit, (mailing) => mailing.mailingId);
    },
    /** In the order of the request. @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor */
    async recipients(
      caller: AccountCaller,
      eventId: string,
      mailingId: string,
      { cursor, limit, state }: PageRequest & { readonly state?: RecipientState | undefined },
    ): Promise<Page<RecipientView>> {
      const key = await keyOf(caller, eventId, mailingId);
      await find(key);
      const after = decodeCursor(cursor, (position) => /^\d{1,5}$/.test(position));
      const rows = await o.store.recipients(key, state, after === undefined ? undefined : Number(after), limit + 1);
      return withAccountVault(o, caller.accountId, (vault) =>
        Promise.resolve(
          toPage(
            rows,
            limit,
            ({ position }) => String(position),
            ({ ticketIdSealed, ...row }) => ({
              ...row,
              ticketId: ticketIdSealed && vault.openTicketId(recipientId(mailingId, row.position), ticketIdSealed),
            }),
          ),
        ),
      );
    },
    /** Mails that are being sent at this moment go out. A second call changes nothing. @throws ServiceError 'not-found' */
    async cancel(caller: AccountCaller, eventId: string, mailingId: string, remember?: InTransaction<CountedMailing>) {
      const key = await keyOf(caller, eventId, mailingId);
      return o.database.transaction(async (tx) => {
        await find(key, tx);
        const isCancelled = await o.store.cancel(tx, key, new Date(o.clock.now()));
        if (isCancelled) await o.audit.record(tx, actOf(caller, 'mailing.cancel', mailingId));
        const mailing = await find(key, tx);
        if (isCancelled) await remember?.(tx, mailing);
        return mailing;
      });
    },
    /** Erases addresses and ticketIds of events that are over. A job; any number may run at once. */
    sweep: () => o.store.forgetOver(new Date(o.clock.now())),
  };
}

function reasonToOmit(ticketId: string, email: string, language: string | undefined): RecipientOmission | null {
  if (!isPersonId(ticketId)) return 'invalid-ticket';
  if (!isEmail(email)) return 'invalid-email';
  return language === undefined || language === '' || languageTagSchema.safeParse(language).success
    ? null
    : 'invalid-language';
}

/** @throws Error when a box was not sealed for its recipient */
function openRows(vault: AccountVault, mailingId: string, rows: readonly NewRecipient[]) {
  return rows.map(({ position, ticketIdSealed, addressSealed }) => {
    const id = recipientId(mailingId, position);
    const ticketId = vault.openTicketId(id, ticketIdSealed);
    const address = vault.openAddress(id, addressSealed);
    if (ticketId === null || address === null) throw new Error('a sealed recipient cannot be opened');
    return { position, ticketId, address: JSON.parse(address) as Address };
  });
}
