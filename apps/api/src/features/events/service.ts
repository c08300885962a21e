import { type CreateEventRequest, DAY_MS, isId, type Organiser, type UpdateEventRequest } from '@svc/protocol';
import type { Database, InTransaction, Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { Clock, Ids } from '../../platform/ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { type AuditAction, type AuditLog, actorOf } from '../audit/service.ts';
import type { EndStore } from './end-store.ts';
import type { EventRecord, EventStore } from './store.ts';

/** Latest end whose retention deadline still has a four-digit year. */
const LATEST_END_MS = Date.UTC(9999, 0, 1);

const invalid = (pointer: string, detail: string) =>
  new ServiceError('invalid-request', { errors: [{ pointer, detail }] });

/** Deletion time of faces in an event's list. */
export function retentionDeadlineOf(event: Pick<EventRecord, 'endsAt'>, retainDays: number): Date {
  return new Date(event.endsAt.getTime() + retainDays * DAY_MS);
}

function requireReachable(endsAt: Date): void {
  if (endsAt.getTime() >= LATEST_END_MS) throw invalid('/endsAt', 'must lie before the year 9999');
}

/** The changed event. @throws ServiceError 'invalid-request' */
function changed(event: EventRecord, request: UpdateEventRequest): EventRecord {
  const next: EventRecord = {
    ...event,
    name: request.name ?? event.name,
    startsAt: request.startsAt === undefined ? event.startsAt : new Date(request.startsAt),
    endsAt: request.endsAt === undefined ? event.endsAt : new Date(request.endsAt),
    country: request.country === undefined ? event.country : request.country,
  };
  requireReachable(next.endsAt);
  if (next.endsAt > next.startsAt) return next;
  throw request.endsAt === undefined
    ? invalid('/startsAt', 'must be earlier than endsAt')
    : invalid('/endsAt', 'must be later than startsAt');
}

export interface EventService {
  /** @throws ServiceError 'invalid-request' for an end that is too late */
  create(
    caller: AccountCaller,
    request: CreateEventRequest,
    remember?: InTransaction<EventRecord>,
  ): Promise<EventRecord>;
  /** @throws ServiceError 'not-found' */
  get(caller: AccountCaller, eventId: string): Promise<EventRecord>;
  /**
   * Changes the given fields. A changed end moves the deadline of the event's list and the expiry of its devices and
   * tokens.
   * @throws ServiceError 'not-found', 'invalid-request' for times out of order, 'event-ended' when the list's old or
   * new deadline has passed
   */
  update(caller: AccountCaller, eventId: string, request: UpdateEventRequest): Promise<EventRecord>;
  /**
   * Sets who the widget says the organiser is.
   * @param remember is called with the event's lock held alone
   * @throws ServiceError 'not-found'
   */
  setWidget(
    caller: AccountCaller,
    eventId: string,
    organiser: Organiser,
    remember?: InTransaction<EventRecord>,
  ): Promise<EventRecord>;
  /** @throws ServiceError 'not-found' or 'event-has-list' */
  delete(caller: AccountCaller, eventId: string): Promise<void>;
  /** Locks an event until the transaction ends. @throws ServiceError 'not-found' */
  hold(tx: Transaction, caller: AccountCaller, eventId: string): Promise<EventRecord>;
  /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
  page(caller: AccountCaller, request: PageRequest): Promise<Page<EventRecord>>;
}

export function createEventService(o: {
  readonly store: EventStore;
  readonly ends: EndStore;
  readonly database: Pick<Database, 'transaction'>;
  readonly audit: AuditLog;
  readonly ids: Ids;
  readonly clock: Clock;
}): EventService {
  async function hold(tx: Transaction, caller: AccountCaller, eventId: string, how: 'shared' | 'alone') {
    const event = isId('evt', eventId) ? await o.store.hold(tx, caller.accountId, eventId, how) : null;
    if (event === null) throw new ServiceError('not-found');
    return event;
  }

  const record = (tx: Transaction, caller: AccountCaller, action: AuditAction, eventId: string) =>
    o.audit.record(tx, { accountId: caller.accountId, actor: actorOf(caller), action, target: eventId });

  /** Locks in the order event, list, tokens. */
  async function moveEnd(tx: Transaction, event: EventRecord): Promise<void> {
    const list = await o.ends.lockList(tx, event);
    if (list === null || list.deletingAt !== null) return;
    const now = o.clock.now();
    const deadline = retentionDeadlineOf(event, list.retainDays);
    const past = [list.retentionDeadline, deadline].some((at) => at !== null && at.getTime() <= now);
    if (past) throw new ServiceError('event-ended');
    await o.ends.moveDeadline(tx, list, deadline);
    await o.ends.shortenTokens(tx, list, event.endsAt);
  }

  return {
    async create(caller, request, remember) {
      requireReachable(new Date(request.endsAt));
      const event: EventRecord = {
        accountId: caller.accountId,
        eventId: o.ids.next('evt'),
        name: request.name,
        startsAt: new Date(request.startsAt),
        endsAt: new Date(request.endsAt),
        country: request.country ?? null,
        widget: null,
        createdAt: new Date(o.clock.now()),
      };
      await o.database.transaction(async (tx) => {
        await o.store.insert(tx, event);
        await record(tx, caller, 'event.create', event.eventId);
        await remember?.(tx, event);
      });
      return event;
    },
    async get(caller, eventId) {
      const event = isId('evt', eventId) ? await o.store.find(caller.accountId, eventId) : null;
      if (event === null) throw new ServiceError('not-found');
      return event;
    },
    update: (caller, eventId, request) =>
      o.database.transaction(async (tx) => {
        const event = await hold(tx, caller, eventId, 'alone');
        const next = changed(event, request);
        if (next.endsAt.getTime() !== event.endsAt.getTime()) await moveEnd(tx, next);
        await o.store.update(tx, next);
        await record(tx, caller, 'event.update', eventId);
        return next;
      }),
    setWidget: (caller, eventId, organiser, remember) =>
      o.database.transaction(async (tx) => {
        const event = { ...(await hold(tx, caller, eventId, 'alone')), widget: organiser };
        await o.store.update(tx, event);
        await record(tx, caller, 'widget-settings.set', eventId);
        await remember?.(tx, event);
        return event;
      }),
    delete: (caller, eventId) =>
      o.database.transaction(async (tx) => {
        const event = await hold(tx, caller, eventId, 'alone');
        if ((await o.ends.lockList(tx, event)) !== null) throw new ServiceError('event-has-list');
        await o.store.remove(tx, event);
        await record(tx, caller, 'event.delete', eventId);
      }),
    hold: (tx, caller, eventId) => hold(tx, caller, eventId, 'shared'),
    async page(caller, { cursor, limit }) {
      const before = decodeCursor(cursor, (key) => isId('evt', key));
      const rows = await o.store.page(caller.accountId, before, limit + 1);
      return toPage(
        rows,
        limit,
        (event) => event.eventId,
        (event) => event,
      );
    },
  };
}
