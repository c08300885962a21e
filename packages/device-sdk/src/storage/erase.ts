import { FaceError } from '@svc/core';
import type { KeyStore } from './key-store.ts';
import type { PackStore } from './pack-store.ts';

export interface Stores {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
}

/**
 * Deletes the key of the log of admissions and every list key, then every pack and page. They are unreadable without
 * their keys, so keys go first, and the rest only after the keys' deletion was verified. A key that cannot be deleted does
 * not save the others. Idempotent; interrupted at any point, it leaves less than before, and calling it again completes
 * it.
 * @param closePack releases the program's own hold on the pack
 * @param withLog false keeps the log: only the list's own data is bad, and the next sync brings it again
 * @throws FaceError `storage-failed` if a key, pack or page survives its deletion
 */
export async function eraseKeysThenPacks(
  { keyStore, packStore }: Stores,
  options: {
    readonly withDeviceKey: boolean;
    readonly withLog: boolean;
    readonly closePack: () => Promise<void>;
  },
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = (deletion: Promise<void>) => deletion.catch((error: unknown) => void failures.push(error));
  if (options.withLog) await attempt(keyStore.deleteAdmissionKey());
  for (const generation of await keyStore.listKeyGenerations()) await attempt(keyStore.deleteListKeys(generation));
  if (options.withDeviceKey) await attempt(keyStore.deleteDeviceKey());
  if (failures.length > 0) throw failures[0];
  const keysLeft =
    (await keyStore.listKeyGenerations()).length > 0 ||
    (options.withDeviceKey && (await keyStore.hasDeviceKey())) ||
    (options.withLog && (await keyStore.hasAdmissionKey()));
  if (keysLeft) throw new FaceError('storage-failed', 'a key survived its deletion', { retryable: true });
  await options.closePack();
  for (const generation of await packStore.listPacks()) await packStore.deletePack(generation);
  if (options.withLog) for (const page of await packStore.listPages()) await packStore.deletePage(page);
  if ((await packStore.listPacks()).length > 0 || (options.withLog && (await packStore.listPages()).length > 0)) {
    throw new FaceError('storage-failed', 'a pack or page survived its deletion', { retryable: true });
  }
}

/** Deletes other generations that a crash left behind, keys first. `keep` null: all. */
export async function collectGarbage({ keyStore, packStore }: Stores, keep: number | null): Promise<void> {
  for (const generation of await keyStore.listKeyGenerations()) {
    if (generation !== keep) await keyStore.deleteListKeys(generation);
  }
  for (const generation of await packStore.listPacks()) {
    if (generation !== keep) await packStore.deletePack(generation);
  }
}
