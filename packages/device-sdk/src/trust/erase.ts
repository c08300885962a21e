import { FaceError } from '@svc/core';
import type { KeyStore } from '../ports/key-store.ts';
import type { PackStore } from '../ports/pack-store.ts';

export interface Stores {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
}

/**
 * Deletes every list key, then every pack: without its key a pack is noise, so the key goes first, and the packs only
 * once the keys are seen to be gone. Idempotent; a kill anywhere in it leaves less than before, and calling it again
 * finishes.
 * @param closePack lets go of what the program itself holds of the pack
 * @throws FaceError `storage-failed` when a key or pack survives its deletion
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

/** Deletes what a crash left behind of other generations, keys first. `keep` null: all of them. */
export async function collectGarbage({ keyStore, packStore }: Stores, keep: number | null): Promise<void> {
  for (const generation of await keyStore.listKeyGenerations()) {
    if (generation !== keep) await keyStore.deleteListKeys(generation);
  }
  for (const generation of await packStore.listPacks()) {
    if (generation !== keep) await packStore.deletePack(generation);
  }
}
