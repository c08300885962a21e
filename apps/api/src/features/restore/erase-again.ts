import { type AccountVault, openAccountVault } from '../../crypto/account-vault.ts';
import { KeyShreddedError } from '../../crypto/key-ring.ts';
import type { Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AdmissionService } from '../admissions/service.ts';
import type { ConsentService } from '../consents/service.ts';
import type { EpochService } from '../lists/epochs.ts';
import type { ListKey, ListStore } from '../lists/store.ts';
import type { MailingStore } from '../mailings/store.ts';
import type { PersonStore } from '../people/store.ts';
import type { Uses } from '../uses.ts';
import type { DeviceKey, ErasedFace, RestoreStore, RevivedFace } from './store.ts';

/**
 * Repeats remembered erasures that this database lacks, because a backup was restored or a crash came before the
 * commit. The original caller may never repeat the request, so this also does everything related: ledger, notification,
 * stored answers.
 */
export type EraseAgain = ReturnType<typeof createEraseAgain>;

export function createEraseAgain(
  o: Uses<'database' | 'outbox' | 'keyRing' | 'requests' | 'clock' | 'random'> & {
    readonly store: Pick<RestoreStore, 'revived' | 'removePerson' | 'revokeDevices'>;
    readonly listStore: Pick<ListStore, 'lock' | 'nextVersion'>;
    readonly epochs: Pick<EpochService, 'withNextEpoch'>;
    readonly people: Pick<PersonStore, 'removeFace'>;
    readonly consents: Pick<ConsentService, 'recordWithdrawn'>;
    readonly mailings: Pick<MailingStore, 'forgetTickets'>;
    readonly admissions: Pick<AdmissionService, 'forget'>;
  },
) {
  const now = () => new Date(o.clock.now());

  /** Null for an account without its key, about which nothing can be notified any more. */
  async function openVault(accountId: string): Promise<AccountVault | null> {
    try {
      return await openAccountVault(o.keyRing, o.random, accountId);
    } catch (error) {
      if (error instanceof KeyShreddedError) return null;
      throw error;
    }
  }

  async function remove(tx: Transaction, vault: AccountVault | null, list: ListKey, face: RevivedFace): Promise<void> {
    const person = await o.store.removePerson(tx, list, face);
    await o.people.removeFace(tx, list, face, await o.listStore.nextVersion(tx, list), now());
    if (person === null || vault === null) return;
    const { accountId, listId } = list;
    const { personId, deleteAfter } = person;
    const { reason } = face;
    await o.requests.forgetPeople(tx, vault, { accountId, listId }, [personId]);
    await o.admissions.forget(tx, vault, list, [personId]);
    await o.mailings.forgetTickets(tx, list, [vault.ticketPseudonym(listId, personId)], 'erased');
    if (reason === 'consent-withdrawn') {
      await o.consents.recordWithdrawn(tx, vault, { accountId, listId, personId }, deleteAfter);
    }
    await o.outbox.publishAboutPeople(tx, vault, [
      { type: 'person.deleted', accountId, data: { listId, personId, reason } },
    ]);
  }

  /** Revokes devices of one list. The restored database lacks the epoch that followed the original revocation. */
  async function revoke(devices: readonly DeviceKey[]): Promise<number> {
    const [first] = devices;
    if (first === undefined) return 0;
    try {
      return await o.epochs.withNextEpoch(first, async (tx, openNext) => {
        const revoked = await o.store.revokeDevices(tx, devices, now());
        for (const { accountId, listId, deviceId } of revoked) {
          await o.outbox.publish(tx, { type: 'device.revoked', accountId, data: { listId, deviceId } });
        }
        if (revoked.length > 0) await openNext();
        return revoked.length;
      });
    } catch (error) {
      // The list was deleted, with its devices.
      if (error instanceof ServiceError && error.code === 'not-found') return 0;
      throw error;
    }
  }

  return {
    /** @returns number of faces erased */
    async faces(list: ListKey, faces: readonly ErasedFace[]): Promise<number> {
      if ((await o.store.revived(list, faces)).length === 0) return 0;
      const vault = await openVault(list.accountId);
      try {
        return await o.database.transaction(async (tx) => {
          if ((await o.listStore.lock(tx, list)) === null) return 0;
          const revived = await o.store.revived(list, faces, tx);
          for (const face of revived) await remove(tx, vault, list, face);
          return revived.length;
        });
      } finally {
        vault?.close();
      }
    },
    /** @returns number of devices revoked */
    async devices(devices: readonly DeviceKey[]): Promise<number> {
      const byList = new Map<string, DeviceKey[]>();
      for (const device of devices) byList.set(device.listId, [...(byList.get(device.listId) ?? []), device]);
      let count = 0;
      for (const ofList of byList.values()) count += await revoke(ofList);
      return count;
    },
  };
}
