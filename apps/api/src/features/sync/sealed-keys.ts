import { LRUCache } from 'lru-cache';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { type SealedListKey, sealListKey } from './list-key-sealer.ts';

/** For which device which key is sealed. */
export interface SealingContext {
  readonly listId: string;
  readonly deviceId: string;
  readonly epoch: number;
}

interface Kept {
  readonly wrapped: Uint8Array;
  readonly sealed: SealedListKey;
}

/** A device's sealings take about 500 bytes. */
const MAX_KEPT = 20_000;

/**
 * Seals list keys to devices, and keeps what it sealed: to a device whose key is the same as the last time nothing new would be said by sealing
 * it again. The key store is asked every time, so that a key that was destroyed, by whichever node, is served to nobody.
 */
export class SealedKeys {
  readonly #keyRing: Pick<KeyRing, 'findListKey'>;
  readonly #kept: LRUCache<string, Kept>;

  constructor(keyRing: Pick<KeyRing, 'findListKey'>, limit = MAX_KEPT) {
    this.#keyRing = keyRing;
    this.#kept = new LRUCache({ max: limit });
  }

  /**
   * @param deviceKey uncompressed P-256 point that was seen to be on the curve
   * @throws KeyShreddedError when the list has no such key any more
   */
  async seal(deviceKey: Buffer, context: SealingContext): Promise<SealedListKey> {
    const { listId, deviceId, epoch } = context;
    const stored = await this.#keyRing.findListKey(listId, epoch);
    const name = `${listId} ${deviceId} ${epoch} ${deviceKey.toString('base64')}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && Buffer.compare(kept.wrapped, stored.wrapped) === 0) return kept.sealed;
    const listKey = await stored.unwrap();
    try {
      const sealed = await sealListKey(deviceKey, context, listKey);
      this.#kept.set(name, { wrapped: stored.wrapped, sealed });
      return sealed;
    } finally {
      listKey.fill(0);
    }
  }

  clear(): void {
    this.#kept.clear();
  }
}
