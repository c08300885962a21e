import { isDeepStrictEqual } from 'node:util';
import {
  type AddDeviceRequest,
  type DeviceState,
  FULL_WIPE_MS,
  isId,
  LEASE_MS,
  LEASE_WARNING_MS,
  SYNC_DUE_MS,
  TEST_LIMITS,
  type UpdateDeviceRequest,
} from '@svc/protocol';
import { createSecret } from '../../crypto/secrets.ts';
import type { InTransaction } from '../../db/connection.ts';
import { found, missing, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { EpochService } from '../lists/epochs.ts';
import { hasEnded, type ListService } from '../lists/service.ts';
import type { ListStore } from '../lists/store.ts';
import { changedMetadata, type NotedPageRequest } from '../metadata.ts';
import type { Uses } from '../uses.ts';
import { type DeviceRecord, type DeviceStore, NEVER_SYNCED } from './store.ts';

type Facts = Pick<DeviceRecord, 'lastSyncAt' | 'revokedAt' | 'copiedAt' | 'wipeTold' | 'expiresAt'>;

/** When the device stops verifying unless it syncs before; null before the first sync. */
export function leaseEndOf({ lastSyncAt, expiresAt }: Pick<Facts, 'lastSyncAt' | 'expiresAt'>): Date | null {
  if (lastSyncAt === null) return null;
  const leaseEnd = new Date(lastSyncAt.getTime() + LEASE_MS);
  return expiresAt !== null && expiresAt < leaseEnd ? expiresAt : leaseEnd;
}

const isUnsuited = (told: Facts['wipeTold']): boolean =>
  told === 'unattended-unsupported' || told === 'device-unsuited';

/** Whether the device holds nothing: it was told so, or it deletes everything by its own clock, offline too. */
function hasWiped({ lastSyncAt, wipeTold, expiresAt }: Facts, nowMs: number): boolean {
  if (lastSyncAt === null) return false;
  const isOver = expiresAt !== null && expiresAt.getTime() <= nowMs;
  const isTold = wipeTold !== null && !isUnsuited(wipeTold);
  return isTold || isOver || lastSyncAt.getTime() + FULL_WIPE_MS <= nowMs;
}

/** What the service knows of a device at a time. Of several states the most serious: the first that applies below. */
export function deviceStateOf(device: Facts, nowMs: number): DeviceState {
  const { lastSyncAt, revokedAt, copiedAt, wipeTold, expiresAt } = device;
  if (hasWiped(device, nowMs)) return 'wiped';
  if (revokedAt !== null) return lastSyncAt === null ? 'wiped' : 'revoked';
  if (copiedAt !== null) return 'copied';
  if (isUnsuited(wipeTold)) return 'unsuited';
  // Its token is dead.
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return 'expired';
  if (lastSyncAt === null) return 'never-synced';
  const ageMs = nowMs - lastSyncAt.getTime();
  if (ageMs >= LEASE_MS) return 'expired';
  if (ageMs >= LEASE_MS - LEASE_WARNING_MS) return 'lease-running-out';
  return ageMs >= SYNC_DUE_MS ? 'due' : 'fresh';
}

export interface AddedDevice {
  readonly device: DeviceRecord;
  /** Never shown again. */
  readonly token: string;
  /** Opens the kiosk's page with the token in the fragment; null if the page's address is not known. */
  readonly pairingUrl: string | null;
}

export type DeviceService = ReturnType<typeof createDeviceService>;

export function createDeviceService(
  o: Uses<'database' | 'audit' | 'outbox' | 'erasures' | 'ids' | 'clock' | 'random'> & {
    readonly store: DeviceStore;
    readonly lists: Pick<ListService, 'get'>;
    readonly listStore: Pick<ListStore, 'lock'>;
    readonly epochs: Pick<EpochService, 'withNextEpoch'>;
    /** URL of the kiosk's page; null if not known. */
    readonly kioskUrl: string | null;
  },
) {
  /** @throws ServiceError 'not-found' */
  async function keyOf(caller: AccountCaller, listId: string, deviceId: string) {
    const { accountId } = await o.lists.get(caller, listId);
    if (!isId('dev', deviceId)) throw missing('device');
    return { accountId, listId, deviceId };
  }

  return {
    /**
     * The token is never shown again.
     * @throws ServiceError 'not-found', 'list-ended', 'test-limit-reached', or 'invalid-request' for too much metadata
     */
    async add(caller: AccountCaller, listId: string, request: AddDeviceRequest, remember?: InTransaction<AddedDevice>) {
      const list = await o.lists.get(caller, listId);
      const { secret, sha256 } = createSecret(o.random, 'svcd');
      const deviceId = o.ids.next('dev');
      return o.database.transaction(async (tx) => {
        // Locked, so that no device is added while a deletion turns the list's devices into tombstones.
        const held = found(await o.listStore.lock(tx, list), 'list');
        if (caller.mode === 'test' && (await o.store.count(tx, held)) >= TEST_LIMITS.devicesOfList)
          throw new ServiceError('test-limit-reached');
        const now = new Date(o.clock.now());
        if (hasEnded(held, now.getTime())) throw new ServiceError('list-ended');
        const record: DeviceRecord = {
          accountId: caller.accountId,
          listId,
          deviceId,
          tokenSha256: sha256,
          name: request.name ?? null,
          createdAt: now,
          expiresAt: held.retentionDeadline,
          ...NEVER_SYNCED,
          metadata: changedMetadata({}, request.metadata),
        };
        await o.store.insert(tx, record);
        const { accountId } = caller;
        await o.audit.record(tx, actOf(caller, 'device.add', deviceId));
        await o.outbox.publish(tx, { type: 'device.added', accountId, data: { listId, deviceId } });
        const pairingUrl = o.kioskUrl === null ? null : `${o.kioskUrl}#${secret}`;
        const added = { device: record, token: secret, pairingUrl };
        await remember?.(tx, added);
        return added;
      });
    },
    /**
     * Newest first: devices that are not revoked, or those that are.
     * @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor
     */
    async page(
      caller: AccountCaller,
      listId: string,
      { cursor, limit, revoked, metadata }: NotedPageRequest & { readonly revoked: boolean },
    ): Promise<Page<DeviceRecord>> {
      const list = await o.lists.get(caller, listId);
      const before = decodeCursor(cursor, (key) => isId('dev', key));
      const rows = await o.store.page(list, { revoked, metadata }, before, limit + 1);
      return toPage(rows, limit, (device) => device.deviceId);
    },
    /** A revoked device is not found. @throws ServiceError 'not-found' */
    async get(caller: AccountCaller, listId: string, deviceId: string): Promise<DeviceRecord> {
      return found(await o.store.find(await keyOf(caller, listId, deviceId)), 'device');
    },
    /**
     * The device has its new name from its next sync on.
     * @throws ServiceError 'not-found', or 'invalid-request' for too much metadata
     */
    async update(caller: AccountCaller, listId: string, deviceId: string, changes: UpdateDeviceRequest) {
      const key = await keyOf(caller, listId, deviceId);
      return o.database.transaction(async (tx) => {
        const device = found(await o.store.lock(tx, key), 'device');
        const next = {
          ...device,
          name: changes.name === undefined ? device.name : changes.name,
          metadata: changedMetadata(device.metadata, changes.metadata),
        };
        if (isDeepStrictEqual(next, device)) return device;
        await o.store.update(tx, next);
        await o.audit.record(tx, actOf(caller, 'device.update', deviceId));
        return next;
      });
    },
    /**
     * No enrolment after the answer uses a key that the device has. A second revocation changes nothing.
     * @throws ServiceError 'not-found'
     */
    async revoke(caller: AccountCaller, listId: string, deviceId: string): Promise<void> {
      const list = await o.lists.get(caller, listId);
      if (!isId('dev', deviceId)) throw missing('device');
      const { accountId } = caller;
      await o.epochs.withNextEpoch(list, async (tx, openNext) => {
        const outcome = found(
          await o.store.revoke(tx, { accountId, listId, deviceId }, new Date(o.clock.now())),
          'device',
        );
        if (outcome === 'unchanged') return;
        if (outcome === 'revoked') await openNext();
        await o.erasures.remember([{ kind: 'device', accountId, listId, deviceId }], o.clock.now());
        await o.audit.record(tx, actOf(caller, 'device.revoke', deviceId));
        await o.outbox.publish(tx, { type: 'device.revoked', accountId, data: { listId, deviceId } });
      });
    },
  };
}
