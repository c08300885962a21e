import { isDeepStrictEqual } from 'node:util';
import {
  type ConsentVersion,
  type CountedListResource,
  type CreateEventRequest,
  type CreateListRequest,
  consentVersionFor,
  END_UNDO_MS,
  EVENT_RETAIN_DAYS,
  isId,
  type ListQuery,
  type ListState,
  ONGOING_RETAIN_DAYS,
  TEST_LIMITS,
  type UpdateListRequest,
  WIPE_TOMBSTONE_MS,
} from '@svc/protocol';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import { type EngineIdentity, isBuiltIn } from '../../inference/engines.ts';
import { found, missing, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { BrandStore } from '../brand/store.ts';
import { type EventService, type EventView, retentionDeadlineOf } from '../events/service.ts';
import type { EventRecord } from '../events/store.ts';
import { changedMetadata } from '../metadata.ts';
import type { Uses } from '../uses.ts';
import type { ListEndReason } from '../webhooks/outbox.ts';
import { createSigningSecret } from '../webhooks/sender.ts';
import type { ListCountStore } from './count-store.ts';
import type { EpochService } from './epochs.ts';
import type { EpochRecord, ListKey, ListRecord, ListSettings, ListStore } from './store.ts';

/** A list with its accepted consent version and the model of new enrolments. */
export interface ListView extends ListRecord {
  readonly consentVersion: ConsentVersion;
  readonly modelId: string;
}

/** A list as its owner sees it. */
export interface ListSummary extends ListView {
  readonly state: ListState;
  readonly people: number;
  /** Without revoked ones. */
  readonly devices: number;
}

export interface CountedList extends ListSummary {
  /** The model of new enrolments first, then models that people still have. */
  readonly models: CountedListResource['models'];
}

export type ListService = ReturnType<typeof createListService>;

export function consentVersionOf(
  caller: Pick<AccountCaller, 'country' | 'billingCurrency'>,
  list: Pick<ListRecord, 'country'>,
): ConsentVersion {
  return consentVersionFor({
    listCountry: list.country,
    accountCountry: caller.country,
    billingCurrency: caller.billingCurrency,
  });
}

export function createListService(
  o: Uses<'database' | 'audit' | 'outbox' | 'erasures' | 'requests' | 'engines' | 'ids' | 'clock' | 'random'> & {
    readonly store: ListStore;
    readonly counts: Pick<ListCountStore, 'ofLists' | 'impact'>;
    readonly epochs: Pick<EpochService, 'prepare' | 'withEpoch'>;
    readonly events: EventService;
    readonly brands: Pick<BrandStore, 'find' | 'put'>;
    readonly keyRing: KeyRing;
    /** Origins that devices may send check-ins to. */
    readonly checkInOrigins: readonly string[];
  },
) {
  const view = (caller: AccountCaller, list: ListRecord): ListView => ({
    ...list,
    consentVersion: consentVersionOf(caller, list),
    modelId: o.engines.modelIdOf(list.engineId),
  });

  async function summariesOf(caller: AccountCaller, lists: readonly ListRecord[], tx?: Transaction) {
    const now = new Date(o.clock.now());
    const listIds = lists.map(({ listId }) => listId);
    const counts = await o.counts.ofLists(caller.accountId, listIds, now, tx);
    return lists.map((list) => {
      const { people = 0, devices = 0, state = 'ended' } = counts.get(list.listId) ?? {};
      return { ...view(caller, list), state, people, devices };
    });
  }

  async function summaryOf(caller: AccountCaller, list: ListRecord, tx?: Transaction): Promise<ListSummary> {
    const [summary] = await summariesOf(caller, [list], tx);
    if (summary === undefined) throw new Error('one list has one summary');
    return summary;
  }

  const keyOf = (caller: AccountCaller, listId: string): ListKey => {
    if (!isId('lst', listId)) throw missing('list');
    return { accountId: caller.accountId, listId };
  };

  function requireCheckInUrl(url: string | null | undefined): void {
    if (url === null || url === undefined) return;
    if (!URL.canParse(url)) {
      throw new ServiceError('invalid-request', { errors: [{ pointer: '/checkInUrl', detail: 'must be an address' }] });
    }
    if (!o.checkInOrigins.includes(new URL(url).origin)) throw new ServiceError('check-in-origin-not-allowed');
  }

  /** @param event of the list; undefined for an ongoing one */
  function describe(
    caller: AccountCaller,
    request: Omit<CreateListRequest, 'eventId'>,
    event?: Pick<EventRecord, 'eventId' | 'endsAt' | 'country'>,
  ): ListRecord {
    const now = o.clock.now();
    if (request.photoCheck === 'passive' && !o.engines.checksPhotos) throw new ServiceError('model-unavailable');
    requireCheckInUrl(request.checkInUrl);
    const common = {
      accountId: caller.accountId,
      listId: o.ids.next('lst'),
      name: request.name,
      engineId: o.engines.standard.engineId,
      headTurnAlternative: request.headTurnAlternative ?? 'none',
      photoSource: request.photoSource ?? 'any',
      photoCheck: request.photoCheck ?? 'none',
      reEntry: request.reEntry ?? 'off',
      reEntryScope: request.reEntryScope ?? 'device',
      attendance: request.attendance ?? 'staffed',
      arrivals: request.arrivals ?? 'off',
      checkInUrl: request.checkInUrl ?? null,
      enrolmentGoal: request.enrolmentGoal ?? null,
      checkInSecretAt: null,
      metadata: changedMetadata({}, request.metadata),
      listVersion: 1,
      enrollmentClosedAt: null,
      endedAt: null,
      deletingAt: null,
      createdAt: new Date(now),
    } as const;
    requireConsistent(common);
    if (event === undefined) {
      const retainDays = request.retainDays ?? ONGOING_RETAIN_DAYS.default;
      return { ...common, eventId: null, country: request.country ?? null, retainDays, retentionDeadline: null };
    }
    const retainDays = request.retainDays ?? EVENT_RETAIN_DAYS.default;
    const retentionDeadline = retentionDeadlineOf(event, retainDays);
    if (retentionDeadline.getTime() <= now) throw new ServiceError('event-ended');
    const country = request.country === undefined ? event.country : request.country;
    return { ...common, eventId: event.eventId, country, retainDays, retentionDeadline };
  }

  /**
   * Adds a list of which nobody knows yet.
   * @returns false where its event has another one
   * @throws ServiceError 'test-limit-reached'
   */
  async function add(tx: Transaction, caller: AccountCaller, list: ListRecord, epoch: EpochRecord): Promise<boolean> {
    if (caller.mode === 'test' && !(await o.store.hasRoom(tx, caller.accountId, TEST_LIMITS.lists)))
      throw new ServiceError('test-limit-reached');
    if (!(await o.store.insert(tx, list))) return false;
    await o.store.insertEpoch(tx, list, epoch, list.createdAt);
    await o.audit.record(tx, actOf(caller, 'list.create', list.listId));
    const { accountId, listId, eventId } = list;
    await o.outbox.publish(tx, { type: 'list.created', accountId, data: { listId, eventId } });
    return true;
  }

  /**
   * The list with its event's current end, which may have changed since; locks the event until the transaction ends.
   */
  async function timed(tx: Transaction, caller: AccountCaller, list: ListRecord): Promise<ListRecord> {
    if (list.eventId === null) return list;
    const event = await o.events.hold(tx, caller, list.eventId);
    return { ...list, retentionDeadline: retentionDeadlineOf(event, list.retainDays) };
  }

  /**
   * Changes a list's state under its lock and increases its version; does nothing if the list has that state already.
   */
  async function move(
    caller: AccountCaller,
    listId: string,
    act: Move,
    remember?: InTransaction<ListSummary>,
  ): Promise<ListSummary> {
    const key = keyOf(caller, listId);
    return o.database.transaction(async (tx) => {
      const list = found(await o.store.lock(tx, key), 'list');
      const change = changeBy(act, list, o.clock.now());
      if (change === null) return summaryOf(caller, list, tx);
      await o.store.update(tx, key, change);
      const listVersion = await o.store.nextVersion(tx, key);
      await o.audit.record(tx, actOf(caller, act, listId));
      const type = act === 'list.close' ? 'list.closed' : 'list.resumed';
      if (act === 'list.end') await publishEnd(tx, key, 'ended');
      else await o.outbox.publish(tx, { type, accountId: key.accountId, data: { listId } });
      const moved = await summaryOf(caller, { ...list, ...change, listVersion }, tx);
      await remember?.(tx, moved);
      return moved;
    });
  }

  async function find(caller: AccountCaller, listId: string): Promise<ListRecord> {
    return found(await o.store.find(keyOf(caller, listId)), 'list');
  }

  function modelNamed(modelId: string): EngineIdentity {
    const engine = o.engines.ofModel(modelId);
    if (engine !== null) return engine;
    throw new ServiceError('invalid-request', { errors: [{ pointer: '/modelId', detail: 'must name a model' }] });
  }

  const publishEnd = (tx: Transaction, { accountId, listId }: ListKey, reason: ListEndReason) =>
    o.outbox.publish(tx, { type: 'list.ended', accountId, data: { listId, reason } });

  /** Remembered, so that it is also deleted again after a backup is restored. */
  async function finish(key: ListKey): Promise<void> {
    await o.erasures.remember([{ kind: 'list', accountId: key.accountId, listId: key.listId }], o.clock.now());
    await destroy(key);
  }

  async function destroy(key: ListKey): Promise<void> {
    await o.keyRing.shredList(key.listId);
    await o.database.transaction(async (tx) => {
      await o.store.finishDeletion(tx, key);
      // After the rows: the list's guests can cause no further events.
      await o.outbox.forgetList(tx, key);
    });
  }

  return {
    /**
     * @throws ServiceError 'not-found' (the event), 'event-has-list', 'event-ended', 'model-unavailable' (`photoCheck`),
     * 'invalid-request' (`checkInUrl`, `headTurnAlternative`, `metadata`), 'check-in-origin-not-allowed' (`checkInUrl`)
     * or 'test-limit-reached'
     */
    async create(caller: AccountCaller, request: CreateListRequest, remember?: InTransaction<ListSummary>) {
      const { eventId } = request;
      const event = typeof eventId === 'string' ? await o.events.get(caller, eventId) : undefined;
      const described = describe(caller, request, event);
      const epoch = await o.epochs.prepare(described.listId, 1, o.engines.standard);
      const list = await o.database.transaction(async (tx) => {
        const next = await timed(tx, caller, described);
        if (!(await add(tx, caller, next, epoch))) return null;
        const created = await summaryOf(caller, next, tx);
        await remember?.(tx, created);
        return created;
      });
      if (list === null) {
        await o.keyRing.shredList(described.listId);
        throw new ServiceError('event-has-list');
      }
      return list;
    },
    /**
     * A new event with the looks of another one, and a list with the settings of its list.
     * @throws ServiceError as `events.create` and {@link create}; 'insufficient-scope' for a list without that right
     */
    async copyEvent(
      caller: AccountCaller,
      eventId: string,
      asked: CreateEventRequest,
      remember?: InTransaction<EventView>,
    ): Promise<EventView> {
      const source = await o.events.get(caller, eventId);
      const { accountId, timeZone, place, country, metadata, widget } = source;
      const request = { timeZone, place, country, metadata, ...asked, widget };
      const [former] = await o.store.page(accountId, undefined, 1, { eventId, ongoing: false });
      if (former !== undefined && caller.rights.scopes?.includes('lists:write') === false) {
        throw new ServiceError('insufficient-scope', { detail: 'The copy includes a list, which needs lists:write.' });
      }
      const name = former === undefined || former.name === source.name ? asked.name : former.name;
      const to = { eventId: '', endsAt: new Date(asked.endsAt), country: request.country ?? null };
      // What the list has of its event, it has of the copy's.
      const ownCountry = former?.country === source.country ? undefined : former?.country;
      const list = former && describe(caller, { ...former, name, country: ownCountry }, to);
      const epoch = list && (await o.epochs.prepare(list.listId, 1, o.engines.standard));
      const brand = await o.brands.find({ accountId, eventId });
      return o.events.create(caller, request, remember, async (tx, event) => {
        if (brand !== null) await o.brands.put(tx, event, brand);
        if (list === undefined || epoch === undefined) return event;
        await add(tx, caller, { ...list, eventId: event.eventId }, epoch);
        const { eventId: ofCopy } = event;
        return { ...event, counts: { listId: list.listId, eventId: ofCopy, state: 'open', people: 0, devices: 0 } };
      });
    },
    /** @throws ServiceError 'not-found' */
    get: async (caller: AccountCaller, listId: string): Promise<ListView> => view(caller, await find(caller, listId)),
    /** As `get`, with the number of people per model. @throws ServiceError 'not-found' */
    async count(caller: AccountCaller, listId: string): Promise<CountedList> {
      const list = await find(caller, listId);
      const counted = await o.store.countByEngine(list, new Date(o.clock.now()));
      const current = { engineId: list.engineId, people: 0 };
      const own = counted.find(({ engineId }) => engineId === list.engineId) ?? current;
      const others = counted.filter((count) => count !== own);
      const models = [own, ...others].map((count) => ({ modelId: o.engines.modelIdOf(count.engineId), ...count }));
      return { ...(await summaryOf(caller, list)), models };
    },
    /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page(
      caller: AccountCaller,
      { cursor, limit, eventId, ongoing, metadata }: ListQuery,
    ): Promise<Page<ListSummary>> {
      const before = decodeCursor(cursor, (key) => isId('lst', key));
      const only = { eventId, ongoing: ongoing === 'true', metadata };
      const rows = await o.store.page(caller.accountId, before, limit + 1, only);
      const { items, nextCursor } = toPage(rows, limit, (list) => list.listId);
      return { items: await summariesOf(caller, items), nextCursor };
    },
    /** @throws ServiceError 'not-found' */
    async impact(caller: AccountCaller, listId: string) {
      const { people, devices } = await summaryOf(caller, await find(caller, listId));
      return { people, devices, ...(await o.counts.impact(keyOf(caller, listId), new Date(o.clock.now()))) };
    },
    /**
     * Devices get the changes at their next sync.
     * @throws ServiceError 'not-found', 'invalid-request' (`checkInUrl`, `headTurnAlternative`, `metadata`) or
     * 'check-in-origin-not-allowed' (`checkInUrl`)
     */
    async update(caller: AccountCaller, listId: string, changes: UpdateListRequest): Promise<ListSummary> {
      const key = keyOf(caller, listId);
      requireCheckInUrl(changes.checkInUrl);
      return o.database.transaction(async (tx) => {
        const list = found(await o.store.lock(tx, key), 'list');
        const { name, headTurnAlternative, reEntry, reEntryScope, attendance, arrivals, checkInUrl } = list;
        const { enrolmentGoal, metadata } = list;
        const doors = { headTurnAlternative, reEntry, reEntryScope, attendance, arrivals, checkInUrl };
        const before: ListSettings = { name, ...doors, enrolmentGoal, metadata };
        const settings = changed(before, changes);
        requireConsistent(settings);
        if (isDeepStrictEqual(settings, before)) return summaryOf(caller, list, tx);
        await o.store.update(tx, key, settings);
        await o.audit.record(tx, actOf(caller, 'list.update', listId));
        return summaryOf(caller, { ...list, ...settings }, tx);
      });
    },
    /**
     * Makes or replaces the secret that signs check-ins; it is never shown again. Devices have it from their next sync on.
     * @throws ServiceError 'not-found'
     */
    async rotateCheckInSecret(caller: AccountCaller, listId: string, remember?: InTransaction<string>) {
      const key = keyOf(caller, listId);
      await find(caller, listId);
      const { secret, sealed } = await createSigningSecret(o, caller.accountId, (vault, bytes) =>
        vault.sealCheckInSecret(listId, bytes),
      );
      await o.database.transaction(async (tx) => {
        found(await o.store.lock(tx, key), 'list');
        const checkInSecretAt = new Date(o.clock.now());
        await o.store.update(tx, key, { checkInSecretSealed: sealed, checkInSecretAt });
        await o.audit.record(tx, actOf(caller, 'list.rotate-check-in-secret', listId));
        await remember?.(tx, secret);
      });
      return secret;
    },
    /** Permanent; a second call changes nothing. @throws ServiceError 'not-found' */
    closeEnrollment: (
      caller: AccountCaller,
      listId: string,
      remember?: InTransaction<ListSummary>,
    ): Promise<ListSummary> => move(caller, listId, 'list.close', remember),
    /** A second call changes nothing. @throws ServiceError 'not-found' */
    end: (caller: AccountCaller, listId: string, remember?: InTransaction<ListSummary>): Promise<ListSummary> =>
      move(caller, listId, 'list.end', remember),
    /**
     * Takes an end back; a list that was not ended stays as it is.
     * @throws ServiceError 'not-found', or 'list-ended' ten minutes after the end or past the list's deadline
     */
    undoEnd: (caller: AccountCaller, listId: string, remember?: InTransaction<ListSummary>): Promise<ListSummary> =>
      move(caller, listId, 'list.undo-end', remember),
    /**
     * New enrolments use this model; enrolled people keep their records until they enrol again. Does nothing if the list
     * has the model already.
     * @param modelId default: the deployment's default model
     * @throws ServiceError 'invalid-request' for an unknown model, 'model-unavailable', 'not-found', 'list-ended',
     * 'enrolment-closed'
     */
    async changeModel(
      caller: AccountCaller,
      listId: string,
      modelId: string | undefined,
      remember?: InTransaction<ListSummary>,
    ): Promise<ListSummary> {
      const engine = modelId === undefined ? o.engines.standard : modelNamed(modelId);
      const { engineId } = engine;
      const key = keyOf(caller, listId);
      // Checked before a key is created, and again under the list's lock.
      requireOpen(await find(caller, listId), o.clock.now());
      if (!o.engines.isInstalled(engineId)) throw new ServiceError('model-unavailable');
      return o.epochs.withEpoch(key, engine, async (tx, list, { isNew }) => {
        requireOpen(list, o.clock.now());
        if (list.engineId === engineId && !isNew) return summaryOf(caller, list, tx);
        await o.store.update(tx, key, { engineId });
        const listVersion = await o.store.nextVersion(tx, key);
        await o.audit.record(tx, actOf(caller, 'list.change-model', listId));
        const changed = await summaryOf(caller, { ...list, engineId, listVersion }, tx);
        await remember?.(tx, changed);
        return changed;
      });
    },
    /**
     * Gives the standard engine to lists that began with the built-in one before the recommended one was installed,
     * unless somebody could notice: where a person is enrolled, a device has a copy or somebody chose the model, it is
     * left to them.
     * @returns number of lists
     */
    async leaveBuiltIn(): Promise<number> {
      const { standard } = o.engines;
      if (isBuiltIn(standard)) return 0;
      const builtIn = o.engines.known.filter(isBuiltIn).map(({ engineId }) => engineId);
      const find = (one?: ListKey, tx?: Transaction) => o.store.unused(builtIn, new Date(o.clock.now()), one, tx);
      let moved = 0;
      for (const key of await find()) {
        moved += await o.epochs.withEpoch(key, standard, async (tx) => {
          if ((await find(key, tx)).length === 0) return 0;
          await o.store.update(tx, key, { engineId: standard.engineId });
          await o.store.nextVersion(tx, key);
          const act = { actor: { kind: 'system' }, action: 'list.change-model' } as const;
          await o.audit.record(tx, { ...act, accountId: key.accountId, target: key.listId });
          return 1;
        });
      }
      return moved;
    },
    /**
     * Destroys the list's keys, then all its other data. Calling it again completes an interrupted deletion.
     * @throws ServiceError 'not-found'
     */
    async delete(caller: AccountCaller, listId: string): Promise<void> {
      const key = keyOf(caller, listId);
      const now = o.clock.now();
      const until = new Date(now + WIPE_TOMBSTONE_MS);
      await o.database.transaction(async (tx) => {
        const list = await o.store.lock(tx, key);
        const outcome = found(
          await o.store.beginDeletion(tx, key, new Date(now), { reason: 'list-deleted', until }),
          'list',
        );
        await o.requests.forgetList(tx, key);
        if (outcome === 'begun') await o.audit.record(tx, actOf(caller, 'list.delete', listId));
        if (list !== null && list.endedAt === null) await publishEnd(tx, key, 'deleted');
      });
      await finish(key);
    },
    /**
     * Deletes a list with its account, or because a restored backup brought it back; without notifications.
     * @returns false when there was no such list; its keys are destroyed all the same
     */
    async purge(key: ListKey): Promise<boolean> {
      const at = new Date(o.clock.now());
      const until = new Date(at.getTime() + WIPE_TOMBSTONE_MS);
      const outcome = await o.database.transaction(async (tx) => {
        const list = await o.store.lock(tx, key);
        const reason = list?.retentionDeadline && list.retentionDeadline <= at ? 'retention-deadline' : 'list-deleted';
        const begun = await o.store.beginDeletion(tx, key, at, { reason, until });
        await o.requests.forgetList(tx, key);
        return begun;
      });
      await destroy(key);
      return outcome !== null;
    },
    /** Completes deletions that a crash interrupted, independently. @throws the first error, after all were tried */
    async finishDeletions(): Promise<void> {
      const errors: unknown[] = [];
      for (const key of await o.store.inDeletion()) await finish(key).catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** The settings with the given changes; what is undefined stays. */
const changed = (settings: ListSettings, changes: UpdateListRequest): ListSettings => ({
  name: changes.name ?? settings.name,
  headTurnAlternative: changes.headTurnAlternative ?? settings.headTurnAlternative,
  reEntry: changes.reEntry ?? settings.reEntry,
  reEntryScope: changes.reEntryScope ?? settings.reEntryScope,
  attendance: changes.attendance ?? settings.attendance,
  arrivals: changes.arrivals ?? settings.arrivals,
  checkInUrl: changes.checkInUrl === undefined ? settings.checkInUrl : changes.checkInUrl,
  metadata: changedMetadata(settings.metadata, changes.metadata),
  enrolmentGoal: changes.enrolmentGoal === undefined ? settings.enrolmentGoal : changes.enrolmentGoal,
});

/** Where nobody watches, nobody confirms. @throws ServiceError 'invalid-request' */
function requireConsistent({
  attendance,
  headTurnAlternative,
}: Pick<ListSettings, 'attendance' | 'headTurnAlternative'>): void {
  if (attendance === 'staffed' || headTurnAlternative !== 'staff') return;
  const detail = 'must not be staff on an unattended list';
  throw new ServiceError('invalid-request', { errors: [{ pointer: '/headTurnAlternative', detail }] });
}

type Move = 'list.close' | 'list.end' | 'list.undo-end';

/** What a move changes of a list; null for nothing. @throws ServiceError 'list-ended' for an end that is final */
function changeBy(act: Move, list: ListRecord, nowMs: number) {
  if (act === 'list.close') return list.enrollmentClosedAt === null ? { enrollmentClosedAt: new Date(nowMs) } : null;
  if (act === 'list.end') return list.endedAt === null ? { endedAt: new Date(nowMs) } : null;
  const isFinal = list.endedAt !== null && nowMs >= list.endedAt.getTime() + END_UNDO_MS;
  if (isFinal || hasEnded({ ...list, endedAt: null }, nowMs)) throw new ServiceError('list-ended');
  return list.endedAt === null ? null : { endedAt: null };
}

/** @throws ServiceError 'list-ended' or 'enrolment-closed' for a list that takes nobody */
export function requireOpen(
  list: Pick<ListRecord, 'endedAt' | 'retentionDeadline' | 'enrollmentClosedAt'>,
  nowMs: number,
): void {
  if (hasEnded(list, nowMs)) throw new ServiceError('list-ended');
  if (list.enrollmentClosedAt !== null) throw new ServiceError('enrolment-closed');
}

/** True when the list's owner has ended it or its deadline has passed. */
export function hasEnded(list: Pick<ListRecord, 'endedAt' | 'retentionDeadline'>, nowMs: number): boolean {
  return list.endedAt !== null || (list.retentionDeadline !== null && list.retentionDeadline.getTime() <= nowMs);
}
