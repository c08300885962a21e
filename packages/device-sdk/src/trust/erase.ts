import { FaceError } from '@svc/core';
import type { KeyStore } from '../ports/key-store.ts';
import type { PackStore } from '../ports/pack-store.ts';

export interface Stores {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
}

/**
 * Deletes every list key, then every pack. A pack is unreadable without its key, so keys go first, and packs only after
 * the keys' deletion was verified. Idempotent; interrupted at any point, it leaves less than before, and calling it
 * again completes it.
 * @param closePack releases the program's own hold on the pack
 * @throws FaceError `storage-failed` if a key or pack survives its deletion
 */
export async function eraseKeysThenPacks(
  { keyStore, packStore }: Stores,
  options: { readonly withDeviceKey: boolean; readonly closePack: () => Promise<void> },
): Promise<void> {
  for (const generation of await keyStore.listKeyGenerations()) await keyStore.deleteListKeys(generation);
  if (options.withDeviceKey) await keyStore.deleteDeviceKey();
  const keysLeft =
    (await keyStore.listKeyGenerations()).length > 0 || (options.withDeviceKey && (await keyStore.hasDeviceKey()));
  if (keysLeft) throw new FaceError('storage-failed', 'a key survived its deletion', { retryable: true });
  await options.closePack();
  for (const generation of await packStore.listPacks()) await packStore.deletePack(generation);
  if ((await packStore.listPacks()).length > 0) {
    throw new FaceError('storage-failed', 'a pack survived its deletion', { retryable: true });
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
