import {
  type ConsentVersion,
  type CreateListRequest,
  consentVersionFor,
  EVENT_RETAIN_DAYS,
  isId,
  ONGOING_RETAIN_DAYS,
  WIPE_TOMBSTONE_MS,
} from '@svc/protocol';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../paging.ts';
import type { Clock } from '../../ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actorOf } from '../audit/actor.ts';
import type { AuditAction, AuditLog } from '../audit/service.ts';
import type { EventService } from '../events/service.ts';
import type { ListEndReason } from '../webhooks/domain-events.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { EpochService } from './epochs.ts';
import type { ListKey, ListRecord, ListStore } from './store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A list, and the one consent version that it accepts at the moment. */
export interface ListView extends ListRecord {
  readonly consentVersion: ConsentVersion;
}

export interface ListService {
  /** @throws ServiceError 'not-found' (the event), 'event-has-list' or 'event-ended' */
  create(caller: AccountCaller, request: CreateListRequest): Promise<ListView>;
  /** @throws ServiceError 'not-found' */
  get(caller: AccountCaller, listId: string): Promise<ListView>;
  /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
  page(caller: AccountCaller, request: PageRequest): Promise<Page<ListView>>;
  /** Permanent; a second call changes nothing. @throws ServiceError 'not-found' */
  closeEnrollment(caller: AccountCaller, listId: string): Promise<ListView>;
  /** Permanent; a second call changes nothing. @throws ServiceError 'not-found' */
  end(caller: AccountCaller, listId: string): Promise<ListView>;
  /** Destroys the list's keys, then everything else of it. What was begun is finished by calling it again. @throws ServiceError 'not-found' */
  delete(caller: AccountCaller, listId: string): Promise<void>;
  /** Finishes the deletions that a crash interrupted, each on its own. @throws the first error, after all were tried */
  finishDeletions(): Promise<void>;
}

export function consentVersionOf(caller: AccountCaller, list: ListRecord): ConsentVersion {
  return consentVersionFor({
    listCountry: list.country,
    accountCountry: caller.country,
    billingCurrency: caller.billingCurrency,
  });
}

/** True once nobody may be enrolled because the list is over: ended by its owner, or past its deadline. */
export function hasEnded(list: ListRecord, nowMs: number): boolean {
  return list.endedAt !== null || (list.retentionDeadline !== null && list.retentionDeadline.getTime() <= nowMs);
}

export function createListService(o: {
  readonly store: ListStore;
  readonly database: Database;
  readonly epochs: EpochService;
  readonly events: EventService;
  readonly keyRing: KeyRing;
  readonly audit: AuditLog;
  readonly outbox: Outbox;
  readonly ids: Ids;
  readonly clock: Clock;
}): ListService {
  const view = (caller: AccountCaller, list: ListRecord): ListView => ({
    ...list,
    consentVersion: consentVersionOf(caller, list),
  });
  const keyOf = (caller: AccountCaller, listId: string): ListKey => {
    if (!isId('lst', listId)) throw new ServiceError('not-found');
    return { accountId: caller.accountId, listId };
  };

  const record = (tx: Transaction, caller: AccountCaller, action: AuditAction, listId: string) =>
    o.audit.record(tx, { accountId: caller.accountId, actor: actorOf(caller), action, target: listId });

  async function describe(caller: AccountCaller, request: CreateListRequest): Promise<ListRecord> {
    const now = o.clock.now();
    const common = {
      accountId: caller.accountId,
      listId: o.ids.next('lst'),
      name: request.name,
      listVersion: 1,
      enrollmentClosedAt: null,
      endedAt: null,
      deletingAt: null,
      createdAt: new Date(now),
    };
    if (request.eventId === undefined) {
      const retainDays = request.retainDays ?? ONGOING_RETAIN_DAYS.default;
      return { ...common, eventId: null, country: request.country ?? null, retainDays, retentionDeadline: null };
    }
    const event = await o.events.get(caller, request.eventId);
    const retainDays = request.retainDays ?? EVENT_RETAIN_DAYS.default;
    const retentionDeadline = new Date(event.endsAt.getTime() + retainDays * DAY_MS);
    if (retentionDeadline.getTime() <= now) throw new ServiceError('event-ended');
    const country = request.country ?? event.country;
    return { ...common, eventId: event.eventId, country, retainDays, retentionDeadline };
  }

  /** Changes a list's state under its lock, and gives the change a version; a list that is in the state already is left alone. */
  async function move(
    caller: AccountCaller,
    listId: string,
    field: 'enrollmentClosedAt' | 'endedAt',
  ): Promise<ListView> {
    const key = keyOf(caller, listId);
    return o.database.transaction(async (tx) => {
      const list = await o.store.lock(tx, key);
      if (list === null) throw new ServiceError('not-found');
      if (list[field] !== null) return view(caller, list);
      const at = new Date(o.clock.now());
      if (field === 'endedAt') await o.store.setEnded(tx, key, at);
      else await o.store.setEnrollmentClosed(tx, key, at);
      const listVersion = await o.store.nextVersion(tx, key);
      await record(tx, caller, field === 'endedAt' ? 'list.end' : 'list.close', listId);
      if (field === 'endedAt') await publishEnd(tx, key, 'ended');
      else await o.outbox.publish(tx, { type: 'list.closed', accountId: key.accountId, data: { listId } });
      return view(caller, { ...list, [field]: at, listVersion });
    });
  }

  const publishEnd = (tx: Transaction, { accountId, listId }: ListKey, reason: ListEndReason) =>
    o.outbox.publish(tx, { type: 'list.ended', accountId, data: { listId, reason } });

  async function finish(key: ListKey): Promise<void> {
    await o.keyRing.shredList(key.listId);
    await o.database.transaction((tx) => o.store.finishDeletion(tx, key));
  }

  return {
    async create(caller, request) {
      const list = await describe(caller, request);
      const epoch = await o.epochs.prepare(list.listId, 1);
      const inserted = await o.database.transaction(async (tx) => {
        if (!(await o.store.insert(tx, list))) return false;
        await o.store.insertEpoch(tx, list, epoch, list.createdAt);
        await record(tx, caller, 'list.create', list.listId);
        return true;
      });
      if (!inserted) {
        await o.keyRing.shredList(list.listId);
        throw new ServiceError('event-has-list');
      }
      return view(caller, list);
    },
    async get(caller, listId) {
      const list = await o.store.find(keyOf(caller, listId));
      if (list === null) throw new ServiceError('not-found');
      return view(caller, list);
    },
    async page(caller, { cursor, limit }) {
      const before = decodeCursor(cursor, (key) => isId('lst', key));
      const rows = await o.store.page(caller.accountId, before, limit + 1);
      return toPage(
        rows,
        limit,
        (list) => list.listId,
        (list) => view(caller, list),
      );
    },
    closeEnrollment: (caller, listId) => move(caller, listId, 'enrollmentClosedAt'),
    end: (caller, listId) => move(caller, listId, 'endedAt'),
    async delete(caller, listId) {
      const key = keyOf(caller, listId);
      const now = o.clock.now();
      const until = new Date(now + WIPE_TOMBSTONE_MS);
      await o.database.transaction(async (tx) => {
        const list = await o.store.lock(tx, key);
        const outcome = await o.store.beginDeletion(tx, key, new Date(now), { reason: 'list-deleted', until });
        if (outcome === null) throw new ServiceError('not-found');
        if (outcome === 'begun') await record(tx, caller, 'list.delete', listId);
        if (list !== null && list.endedAt === null) await publishEnd(tx, key, 'deleted');
      });
      await finish(key);
    },
    async finishDeletions() {
      const errors: unknown[] = [];
      for (const key of await o.store.inDeletion()) await finish(key).catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors[0];
    },
  };
}
