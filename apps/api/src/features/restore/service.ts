import { DAY_MS } from '@svc/protocol';
import type { Erasure, ErasureMemory } from '../../crypto/erasure-memory.ts';
import type { KeyStorage } from '../../crypto/key-storage.ts';
import { KeyStoreError } from '../../crypto/key-store.ts';
import type { Clock } from '../../platform/ports.ts';
import type { AccountDeletion } from '../accounts/deletion.ts';
import type { ListService } from '../lists/service.ts';
import type { ListKey } from '../lists/store.ts';
import type { PersonExpiry } from '../people/expiry.ts';
import type { EraseAgain } from './erase-again.ts';
import type { ErasedFace, KeyStoreLink, RestoreStore } from './store.ts';

/** The erasures that a replay repeated. All zero except after a restore, or after a crash during an erasure. */
export interface ReplayReport {
  readonly faces: number;
  readonly lists: number;
  readonly accounts: number;
  readonly devices: number;
  readonly apiKeys: number;
  readonly webhooks: number;
  /** Users, passkeys, and sessions with links. */
  readonly signIns: number;
  /** Lists whose version was below what devices have seen. */
  readonly lifted: number;
}

export type RestoreService = ReturnType<typeof createRestoreService>;

type Of<Kind extends Erasure['kind']> = Extract<Erasure, { kind: Kind }>;

const BATCH = 1_000;
/** A backup's age is counted from its end, and the mark in it may be some hours older. */
const MARGIN_MS = 2 * DAY_MS;

function ofKind<Kind extends Erasure['kind']>(erasures: readonly Erasure[], kind: Kind): Of<Kind>[] {
  return erasures.filter((each): each is Of<Kind> => each.kind === kind);
}

export function createRestoreService(o: {
  readonly store: RestoreStore;
  readonly storage: Pick<KeyStorage, 'storeId' | 'keys'>;
  readonly erasures: ErasureMemory;
  readonly again: EraseAgain;
  readonly lists: Pick<ListService, 'purge'>;
  readonly accounts: Pick<AccountDeletion, 'purge'>;
  readonly expiry: Pick<PersonExpiry, 'removeExpired'>;
  readonly clock: Clock;
  readonly backupRetentionDays: number;
}) {
  const now = () => new Date(o.clock.now());
  /** The database may lack erasures that are forgotten; deleted lists still show by their missing keys. */
  let isTooOld = false;

  async function requireLink(): Promise<KeyStoreLink> {
    const link = await o.store.link();
    if (link === null) throw new KeyStoreError('the database was not attached to a key store');
    return link;
  }

  /**
   * Raises the lists' versions above their erased faces, so that a face enrolled from now on is not mistaken for one of
   * them.
   */
  function liftAbove(erasures: readonly Of<'face'>[]): Promise<number> {
    const highest = new Map<string, Of<'face'>>();
    for (const face of erasures) {
      if ((highest.get(face.listId)?.version ?? -1) < face.version) highest.set(face.listId, face);
    }
    return o.store.liftVersions([...highest.values()]);
  }

  async function replayFaces(erasures: readonly Of<'face'>[]): Promise<number> {
    const byList = new Map<string, { list: ListKey; faces: ErasedFace[] }>();
    for (const { accountId, listId, epoch, tag, version, reason = 'erased' } of erasures) {
      const entry = byList.get(listId) ?? { list: { accountId, listId }, faces: [] };
      entry.faces.push({ epoch, tag: Buffer.from(tag, 'base64url'), version, reason });
      byList.set(listId, entry);
    }
    let removed = 0;
    for (const { list, faces } of byList.values()) removed += await o.again.faces(list, faces);
    return removed;
  }

  async function count<T>(all: readonly T[], again: (each: T) => Promise<boolean>): Promise<number> {
    let done = 0;
    for (const each of all) if (await again(each)) done += 1;
    return done;
  }

  async function purgeKeyless(): Promise<number> {
    let purged = 0;
    for (let after = ''; ; ) {
      const epochs = await o.store.listEpochs(after, BATCH);
      const lists = new Map(epochs.map(({ accountId, listId }) => [listId, { accountId, listId }]));
      for (const { listId, epoch } of epochs) {
        if ((await o.storage.keys.get({ ownerId: listId, epoch })) !== null) lists.delete(listId);
      }
      purged += await count([...lists.values()], (list) => o.lists.purge(list));
      after = epochs.at(-1)?.listId ?? '';
      if (after === '') return purged;
    }
  }

  async function liftVersions(): Promise<number> {
    let lifted = 0;
    for (let after = ''; ; ) {
      const seen = await o.erasures.seenVersions(after, BATCH);
      if (seen.length === 0) return lifted;
      lifted += await o.store.liftVersions(seen);
      after = seen.at(-1)?.listId ?? after;
    }
  }

  return {
    /**
     * Checks that this database and this key store belong together.
     * @throws KeyStoreError when they do not, or when the database is older than the key store's memory
     */
    async attach({ acceptOldBackup }: { readonly acceptOldBackup: boolean }): Promise<void> {
      const { storeId } = o.storage;
      const leftovers = await o.store.holdsKeys();
      const known = await o.store.link();
      if (known === null && leftovers) {
        throw new KeyStoreError('the keys lie in the main database: move them first, by “svc keys move” of 0.2.0');
      }
      const link = known ?? (await o.store.claim({ storeId, replayedThrough: 0, replayedAt: now() }));
      if (link.storeId !== storeId) {
        throw new KeyStoreError(
          'this database’s keys lie in another key store: look at SVC_KEY_DATABASE_URL, SVC_KEY_STORE_DIR and SVC_DATA_DIR; an edition before 0.1.0 kept them in this database, from where “svc keys move” of 0.2.0 moves them',
        );
      }
      // Keys from a backup made before they were moved; unused here.
      if (leftovers) await o.store.dropKeys();
      const forgottenBefore = await o.erasures.forgottenBefore();
      isTooOld = forgottenBefore !== null && link.replayedAt.getTime() < forgottenBefore;
      if (isTooOld && !acceptOldBackup) {
        throw new KeyStoreError(
          'this database is a backup older than SVC_BACKUP_RETENTION_DAYS: erasures since then are forgotten, and starting would bring people back; SVC_ACCEPT_OLD_BACKUP=yes starts all the same',
        );
      }
    },
    /** Repeats remembered erasures that this database lacks. Call it before serving; harmless while nodes run. */
    async replay(): Promise<ReplayReport> {
      const lifted = await liftVersions();
      const report = { faces: 0, lists: 0, accounts: 0, devices: 0, apiKeys: 0, webhooks: 0, signIns: 0, lifted };
      const at = now();
      const through = await o.erasures.last();
      for (let { replayedThrough: after } = await requireLink(); after < through; ) {
        const remembered = await o.erasures.after(after, BATCH);
        const erasures = remembered.map((each) => each.erasure);
        report.accounts += await count(ofKind(erasures, 'account'), ({ accountId }) => o.accounts.purge(accountId));
        // Before anything that would notify a webhook.
        report.webhooks += await o.store.deleteWebhooks(ofKind(erasures, 'webhook'));
        report.lists += await count(ofKind(erasures, 'list'), (list) => o.lists.purge(list));
        report.lifted += await liftAbove(ofKind(erasures, 'face'));
        report.faces += await replayFaces(ofKind(erasures, 'face'));
        report.devices += await o.again.devices(ofKind(erasures, 'device'));
        report.apiKeys += await o.store.revokeApiKeys(ofKind(erasures, 'api-key'), at);
        report.signIns += await o.store.removeUsers(ofKind(erasures, 'user'));
        report.signIns += await o.store.removePasskeys(ofKind(erasures, 'passkey'));
        report.signIns += await o.store.endSessions(ofKind(erasures, 'user-sessions'));
        after = remembered.at(-1)?.seq ?? through;
      }
      if (isTooOld) report.lists += await purgeKeyless();
      isTooOld = false;
      await o.store.setReplayed(through, at);
      // People who expired while no node ran are not in the memory; their deadlines show it.
      await o.expiry.removeExpired();
      return report;
    },
    /** Forgets erasures that every backup still in use contains. */
    async forgetOld(): Promise<void> {
      const { replayedThrough } = await requireLink();
      await o.erasures.forget(o.clock.now() - o.backupRetentionDays * DAY_MS - MARGIN_MS, replayedThrough);
    },
  };
}
