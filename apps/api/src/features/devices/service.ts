import { type AddDeviceRequest, isId } from '@svc/protocol';
import { createSecret } from '../../crypto/secrets.ts';
import type { Database } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../paging.ts';
import type { Clock, Random } from '../../ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { DeviceRecord, DeviceStore } from './store.ts';

export interface DeviceService {
  /**
   * The token is shown this once.
   * @throws ServiceError 'not-found', or 'list-ended' when the list's retention deadline has passed
   */
  add(
    caller: AccountCaller,
    listId: string,
    request: AddDeviceRequest,
  ): Promise<{ readonly device: DeviceRecord; readonly token: string }>;
  /** Devices that are not revoked, newest first. @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor */
  page(caller: AccountCaller, listId: string, request: PageRequest): Promise<Page<DeviceRecord>>;
  /** A second revocation changes nothing. @throws ServiceError 'not-found' */
  revoke(caller: AccountCaller, listId: string, deviceId: string): Promise<void>;
}

export function createDeviceService(o: {
  readonly database: Pick<Database, 'transaction'>;
  readonly store: DeviceStore;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
}): DeviceService {
  async function requireList(accountId: string, listId: string): Promise<void> {
    if (!isId('lst', listId) || !(await o.store.listExists(accountId, listId))) throw new ServiceError('not-found');
  }
  return {
    async add(caller, listId, request) {
      if (!isId('lst', listId)) throw new ServiceError('not-found');
      const { secret, sha256 } = createSecret(o.random, 'svcd');
      const deviceId = o.ids.next('dev');
      const device = await o.database.transaction(async (tx) => {
        const list = await o.store.holdList(tx, caller.accountId, listId);
        if (list === null) throw new ServiceError('not-found');
        const now = new Date(o.clock.now());
        if (list.retentionDeadline !== null && list.retentionDeadline <= now) throw new ServiceError('list-ended');
        const record: DeviceRecord = {
          accountId: caller.accountId,
          listId,
          deviceId,
          tokenSha256: sha256,
          name: request.name ?? null,
          createdAt: now,
          expiresAt: list.retentionDeadline,
          lastSyncAt: null,
        };
        await o.store.insert(tx, record);
        return record;
      });
      return { device, token: secret };
    },
    async page(caller, listId, { cursor, limit }) {
      await requireList(caller.accountId, listId);
      const before = decodeCursor(cursor, (key) => isId('dev', key));
      const rows = await o.store.page(caller.accountId, listId, before, limit + 1);
      return toPage(
        rows,
        limit,
        (device) => device.deviceId,
        (device) => device,
      );
    },
    async revoke(caller, listId, deviceId) {
      await requireList(caller.accountId, listId);
      const known =
        isId('dev', deviceId) && (await o.store.revoke(caller.accountId, listId, deviceId, new Date(o.clock.now())));
      if (!known) throw new ServiceError('not-found');
    },
  };
}
