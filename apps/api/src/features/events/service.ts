import { type CreateEventRequest, isId } from '@svc/protocol';
import type { Database } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../paging.ts';
import type { Clock } from '../../ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actorOf } from '../audit/actor.ts';
import type { AuditLog } from '../audit/service.ts';
import type { EventRecord, EventStore } from './store.ts';

/** Leaves room for a retention deadline after it that still has a year of four digits. */
const LATEST_END_MS = Date.UTC(9999, 0, 1);

export interface EventService {
  /** @throws ServiceError 'invalid-request' for an end that no calendar here reaches */
  create(caller: AccountCaller, request: CreateEventRequest): Promise<EventRecord>;
  /** @throws ServiceError 'not-found' */
  get(caller: AccountCaller, eventId: string): Promise<EventRecord>;
  /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
  page(caller: AccountCaller, request: PageRequest): Promise<Page<EventRecord>>;
}

export function createEventService(o: {
  readonly store: EventStore;
  readonly database: Pick<Database, 'transaction'>;
  readonly audit: AuditLog;
  readonly ids: Ids;
  readonly clock: Clock;
}): EventService {
  return {
    async create(caller, request) {
      if (Date.parse(request.endsAt) >= LATEST_END_MS) {
        const errors = [{ pointer: '/endsAt', detail: 'must lie before the year 9999' }];
        throw new ServiceError('invalid-request', { errors });
      }
      const event: EventRecord = {
        accountId: caller.accountId,
        eventId: o.ids.next('evt'),
        name: request.name,
        startsAt: new Date(request.startsAt),
        endsAt: new Date(request.endsAt),
        country: request.country ?? null,
        createdAt: new Date(o.clock.now()),
      };
      const { accountId, eventId } = event;
      await o.database.transaction(async (tx) => {
        await o.store.insert(tx, event);
        await o.audit.record(tx, { accountId, actor: actorOf(caller), action: 'event.create', target: eventId });
      });
      return event;
    },
    async get(caller, eventId) {
      const event = isId('evt', eventId) ? await o.store.find(caller.accountId, eventId) : null;
      if (event === null) throw new ServiceError('not-found');
      return event;
    },
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
