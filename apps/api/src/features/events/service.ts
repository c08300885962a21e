import { isDeepStrictEqual } from 'node:util';
import {
  type CreateEventRequest,
  DAY_MS,
  type EventState,
  isId,
  type Organiser,
  type UpdateEventRequest,
} from '@svc/protocol';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import { found, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { ListCountStore, ListCounts } from '../lists/count-store.ts';
import { changedMetadata, type NotedPageRequest } from '../metadata.ts';
import type { Uses } from '../uses.ts';
import type { EventRecord, EventStore } from './store.ts';

/** Latest end whose retention deadline still has a four-digit year. */
const LATEST_END_MS = Date.UTC(9999, 0, 1);
const EVENTS_AT_ONCE = 1_000;

const invalid = (pointer: string, detail: string) =>
  new ServiceError('invalid-request', { errors: [{ pointer, detail }] });

/** Deletion time of faces in an event's list. */
export function retentionDeadlineOf(event: Pick<EventRecord, 'endsAt'>, retainDays: number): Date {
  return new Date(event.endsAt.getTime() + retainDays * DAY_MS);
}

function requireReachable(endsAt: Date): void {
  if (endsAt.getTime() >= LATEST_END_MS) throw invalid('/endsAt', 'must be before the year 9999');
}

/** The changed event. @throws ServiceError 'invalid-request' */
function changed(event: EventRecord, request: UpdateEventRequest): EventRecord {
  const next: EventRecord = {
    ...event,
    name: request.name ?? event.name,
    startsAt: request.startsAt === undefined ? event.startsAt : new Date(request.startsAt),
    endsAt: request.endsAt === undefined ? event.endsAt : new Date(request.endsAt),
    timeZone: request.timeZone === undefined ? event.timeZone : request.timeZone,
    place: request.place === undefined ? event.place : request.place,
    country: request.country === undefined ? event.country : request.country,
    metadata: changedMetadata(event.metadata, request.metadata),
  };
  requireReachable(next.endsAt);
  if (next.endsAt > next.startsAt) return next;
  throw request.endsAt === undefined
    ? invalid('/startsAt', 'must be earlier than endsAt')
    : invalid('/endsAt', 'must be later than startsAt');
}

/** An event with its state and what its list counts. */
export interface EventView extends EventRecord {
  readonly state: EventState;
  /** Null as long as it has no list. */
  readonly counts: ListCounts | null;
}

/** A page of the events, optionally of those in one state or with some metadata. */
export interface EventPageRequest extends NotedPageRequest {
  readonly state?: EventState | undefined;
}

export type EventService = ReturnType<typeof createEventService>;

export function createEventService(
  o: Uses<'database' | 'audit' | 'outbox' | 'ids' | 'clock'> & {
    readonly store: EventStore;
    readonly counts: Pick<ListCountStore, 'ofEvents'>;
  },
) {
  const now = () => new Date(o.clock.now());

  function stateOf({ startsAt, endsAt }: EventRecord, at: Date): EventState {
    if (at < startsAt) return 'upcoming';
    return at < endsAt ? 'running' : 'over';
  }

  async function viewAll(caller: AccountCaller, events: readonly EventRecord[], at: Date, tx?: Transaction) {
    const eventIds = events.map(({ eventId }) => eventId);
    const counts = await o.counts.ofEvents(caller.accountId, eventIds, at, tx);
    return events.map((event) => ({
      ...event,
      state: stateOf(event, at),
      counts: counts.get(event.eventId) ?? null,
    }));
  }

  async function view(caller: AccountCaller, event: EventRecord, tx?: Transaction): Promise<EventView> {
    const [viewed] = await viewAll(caller, [event], now(), tx);
    if (viewed === undefined) throw new Error('one event has one view');
    return viewed;
  }

  const publish = (
    tx: Transaction,
    type: 'event.created' | 'event.updated' | 'event.deleted',
    { accountId, eventId }: EventRecord,
  ) => o.outbox.publish(tx, { type, accountId, data: { eventId } });

  /** The caller holds the event's lock alone. */
  async function write(tx: Transaction, before: EventRecord, next: EventRecord): Promise<void> {
    await o.store.update(tx, next);
    if (!isDeepStrictEqual(before, next)) await publish(tx, 'event.updated', next);
  }

  /** @throws ServiceError 'not-found' */
  async function find(caller: AccountCaller, eventId: string): Promise<EventRecord> {
    return found(isId('evt', eventId) ? await o.store.find(caller.accountId, eventId) : null, 'event');
  }

  async function hold(tx: Transaction, caller: AccountCaller, eventId: string, how: 'shared' | 'alone') {
    return found(isId('evt', eventId) ? await o.store.hold(tx, caller.accountId, eventId, how) : null, 'event');
  }

  /** Locks in the order event, list, tokens. */
  async function moveEnd(tx: Transaction, event: EventRecord): Promise<void> {
    const list = await o.store.lockList(tx, event);
    if (list === null || list.deletingAt !== null) return;
    const now = o.clock.now();
    const deadline = retentionDeadlineOf(event, list.retainDays);
    const past = [list.retentionDeadline, deadline].some((at) => at !== null && at.getTime() <= now);
    if (past) throw new ServiceError('event-ended');
    await o.store.moveDeadline(tx, list, deadline);
    await o.store.shortenTokens(tx, list, event.endsAt);
  }

  return {
    /**
     * @param complete adds what else belongs to it, in its transaction
     * @throws ServiceError 'invalid-request' for an end that is too late, or too much metadata
     */
    async create(
      caller: AccountCaller,
      request: CreateEventRequest & { readonly widget?: Organiser | null },
      remember?: InTransaction<EventView>,
      complete: (tx: Transaction, event: EventView) => Promise<EventView> = async (_tx, event) => event,
    ): Promise<EventView> {
      requireReachable(new Date(request.endsAt));
      const event: EventRecord = {
        accountId: caller.accountId,
        eventId: o.ids.next('evt'),
        name: request.name,
        startsAt: new Date(request.startsAt),
        endsAt: new Date(request.endsAt),
        timeZone: request.timeZone ?? null,
        place: request.place ?? null,
        country: request.country ?? null,
        widget: request.widget ?? null,
        metadata: changedMetadata({}, request.metadata),
        createdAt: new Date(o.clock.now()),
      };
      return o.database.transaction(async (tx) => {
        await o.store.insert(tx, event);
        await o.audit.record(tx, actOf(caller, 'event.create', event.eventId));
        await publish(tx, 'event.created', event);
        const created = await complete(tx, { ...event, state: stateOf(event, now()), counts: null });
        await remember?.(tx, created);
        return created;
      });
    },
    get: find,
    /** As `get`, with state and counts. @throws ServiceError 'not-found' */
    read: async (caller: AccountCaller, eventId: string): Promise<EventView> =>
      view(caller, await find(caller, eventId)),
    /**
     * Changes the given fields. A changed end moves the deadline of the event's list and the expiry of its devices and
     * tokens.
     * @throws ServiceError 'not-found', 'invalid-request' for times out of order or too much metadata, 'event-ended' when the list's old or
     * new deadline has passed
     */
    update: (caller: AccountCaller, eventId: string, request: UpdateEventRequest): Promise<EventView> =>
      o.database.transaction(async (tx) => {
        const event = await hold(tx, caller, eventId, 'alone');
        const next = changed(event, request);
        if (next.endsAt.getTime() !== event.endsAt.getTime()) await moveEnd(tx, next);
        await write(tx, event, next);
        await o.audit.record(tx, actOf(caller, 'event.update', eventId));
        return view(caller, next, tx);
      }),
    /**
     * Sets who the widget says the organiser is.
     * @param remember is called with the event's lock held alone
     * @throws ServiceError 'not-found'
     */
    setWidget: (caller: AccountCaller, eventId: string, organiser: Organiser, remember?: InTransaction<EventView>) =>
      o.database.transaction(async (tx) => {
        const before = await hold(tx, caller, eventId, 'alone');
        const event = { ...before, widget: organiser };
        await write(tx, before, event);
        await o.audit.record(tx, actOf(caller, 'widget-settings.set', eventId));
        const set = await view(caller, event, tx);
        await remember?.(tx, set);
        return set;
      }),
    /** @throws ServiceError 'not-found' or 'event-has-list' */
    delete: (caller: AccountCaller, eventId: string): Promise<void> =>
      o.database.transaction(async (tx) => {
        const event = await hold(tx, caller, eventId, 'alone');
        if ((await o.store.lockList(tx, event)) !== null) throw new ServiceError('event-has-list');
        await o.store.remove(tx, event);
        await o.audit.record(tx, actOf(caller, 'event.delete', eventId));
        await publish(tx, 'event.deleted', event);
      }),
    /** Locks an event until the transaction ends. @throws ServiceError 'not-found' */
    hold: (tx: Transaction, caller: AccountCaller, eventId: string): Promise<EventRecord> =>
      hold(tx, caller, eventId, 'shared'),
    /** Tells of ends that have passed, each once. A job; any number may run at once. */
    async tellEnds(): Promise<void> {
      for (const event of await o.store.withUntoldEnd(now(), EVENTS_AT_ONCE)) {
        const { accountId, eventId, endsAt } = event;
        const data = { eventId, endsAt: endsAt.toISOString() };
        await o.database.transaction(async (tx) => {
          if (await o.store.noteEndTold(tx, event)) {
            await o.outbox.publish(tx, { type: 'event.ended', accountId, data });
          }
        });
      }
    },
    /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page(caller: AccountCaller, { cursor, limit, state, metadata }: EventPageRequest): Promise<Page<EventView>> {
      const before = decodeCursor(cursor, (key) => isId('evt', key));
      const at = now();
      const rows = await o.store.page(caller.accountId, before, limit + 1, { state, at, metadata });
      const { items, nextCursor } = toPage(rows, limit, (event) => event.eventId);
      return { items: await viewAll(caller, items, at), nextCursor };
    },
  };
}
