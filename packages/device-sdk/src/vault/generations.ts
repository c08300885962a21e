import { FaceError } from '@svc/core';
import { indexPack, type PackContent, type PackIndex, packParts, readPackContent } from '@svc/core/pack';
import type { DevicePorts } from '../config.ts';
import { toBase64Url } from '../platform/bytes.ts';
import type { ListKeys } from '../storage/key-store.ts';
import type { HeldPack, PackReader } from '../storage/pack-store.ts';
import type { HeldList } from '../trust/trust-state.ts';

type GenerationPorts = Pick<DevicePorts, 'keyStore' | 'packStore' | 'sha256'>;

/** The generations of packs and list keys in the stores, and the one that is active. */
export class Generations {
  readonly #ports: GenerationPorts;
  #held: HeldPack | null = null;
  /** Keys and packs that no state names may be in the stores, from an interrupted sync or from before the last one. */
  #isLittered = false;

  constructor(ports: GenerationPorts) {
    this.#ports = ports;
  }

  /** The active list, whose pack the next change may close; null for none. */
  get held(): HeldPack | null {
    return this.#held;
  }

  get isLittered(): boolean {
    return this.#isLittered;
  }

  /** Activates a stored list, if its keys are there and its pack is the one that it names. */
  async activate(list: HeldList): Promise<boolean> {
    const keys = await this.#ports.keyStore.listKeys(list.generation);
    keys?.wipe();
    const reader = keys === null ? null : await this.#ports.packStore.openPack(list.generation);
    const index = reader === null ? null : await this.#intactIndex(reader, list);
    if (reader === null || index === null) {
      await reader?.close();
      return false;
    }
    this.#held = { list, index, reader };
    return true;
  }

  /**
   * Stores keys and pack of a generation that no state names yet, above every generation that the store knows, so that a
   * half-written one is never taken for a new one.
   */
  async put(after: number, keys: ListKeys, content: PackContent): Promise<number> {
    const { packStore } = this.#ports;
    const generation = Math.max(after, ...(await packStore.listPacks())) + 1;
    this.#isLittered = true;
    await keys.keepAs(generation);
    await packStore.writePack(generation, packParts(content));
    return generation;
  }

  /** Opens the pack that was just written: one that cannot be read back is not used. */
  async openWritten(generation: number, index: PackIndex): Promise<PackReader> {
    const reader = await this.#ports.packStore.openPack(generation);
    if (reader !== null && reader.byteLength === index.byteLength) return reader;
    await reader?.close();
    throw new FaceError('storage-failed', 'the store did not keep the pack', { retryable: true });
  }

  async hold(next: HeldPack): Promise<void> {
    await this.close();
    this.#held = next;
  }

  renew(list: HeldList): void {
    if (this.#held !== null) this.#held = { ...this.#held, list };
  }

  /** Closes the active pack. No records of it are in memory; the reader must not outlive the pack. */
  async close(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.reader.close().catch(() => undefined);
  }

  /**
   * Deletes every list key and, if asked to, the key of the log of admissions and the device's own, then every pack, and
   * the log's pages with its key. They are unreadable without their keys, so keys go first, and the rest only after the
   * keys' deletion was verified. A key that cannot be deleted does not save the others. Idempotent; interrupted at any
   * point, it leaves less than before, and calling it again completes it.
   * @throws FaceError `storage-failed` if a key, pack or page survives its deletion
   */
  async eraseAll(options: { readonly withDeviceKey: boolean; readonly withLog: boolean }): Promise<void> {
    const { keyStore, packStore } = this.#ports;
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
    await this.close();
    for (const generation of await packStore.listPacks()) await packStore.deletePack(generation);
    if (options.withLog) for (const page of await packStore.listPages()) await packStore.deletePage(page);
    if ((await packStore.listPacks()).length > 0 || (options.withLog && (await packStore.listPages()).length > 0)) {
      throw new FaceError('storage-failed', 'a pack or page survived its deletion', { retryable: true });
    }
  }

  /** Deletes every other generation, keys first: it must not outlive its deadline. @param keep null: deletes all */
  async deleteOthers(keep: number | null): Promise<void> {
    const { keyStore, packStore } = this.#ports;
    for (const generation of await keyStore.listKeyGenerations()) {
      if (generation !== keep) await keyStore.deleteListKeys(generation);
    }
    for (const generation of await packStore.listPacks()) {
      if (generation !== keep) await packStore.deletePack(generation);
    }
    this.#isLittered = false;
  }

  /** The index of the pack if it is the one that the state names, else null. */
  async #intactIndex(reader: PackReader, list: HeldList): Promise<PackIndex | null> {
    try {
      const index = await indexPack(await readPackContent(reader), { stateHash: false, sha256: this.#ports.sha256 });
      return toBase64Url(index.digest) === list.packDigest ? index : null;
    } catch (error) {
      if (FaceError.is(error)) return null;
      await reader.close();
      throw error;
    }
  }
}

/** The same content, read into memory once. */
export async function inMemory(content: PackContent): Promise<PackContent> {
  const epochs = [];
  for (const epoch of content.epochs) {
    const kept: Uint8Array[] = [];
    for await (const batch of epoch.batches()) kept.push(batch);
    epochs.push({
      ...epoch,
      batches: async function* () {
        yield* kept;
      },
    });
  }
  return { ...content, epochs };
}
