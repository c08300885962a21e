import type { KeyEncryption } from './key-encryption.ts';
import { wrappingContext } from './key-ring.ts';
import type { KeyName, KeyStore, StoredKey } from './key-store.ts';

export interface KekStatus {
  readonly kekId: string;
  /** Number of keys that it wraps. */
  readonly keys: number;
  /** Whether this process is configured with it. */
  readonly atHand: boolean;
  /** Whether it wraps new keys. */
  readonly current: boolean;
}

export interface RotationReport {
  readonly rewrapped: number;
  /** Keys that no available KEK can unwrap; left unchanged. */
  readonly unreadable: number;
  readonly keks: readonly KekStatus[];
}

const BATCH = 200;

/** Wraps every key by the current KEK. */
export function createKeyRotation(o: { readonly keyEncryption: KeyEncryption; readonly keyStore: KeyStore }) {
  const [current] = o.keyEncryption.kekIds;

  async function status(): Promise<readonly KekStatus[]> {
    const counts = await o.keyStore.countByKek();
    return [...new Set([...o.keyEncryption.kekIds, ...counts.keys()])].map((kekId) => ({
      kekId,
      keys: counts.get(kekId) ?? 0,
      atHand: o.keyEncryption.kekIds.includes(kekId),
      current: kekId === current,
    }));
  }

  async function rewrap({ name, key }: StoredKey): Promise<boolean> {
    const context = wrappingContext(name);
    const opened = await o.keyEncryption.unwrap(key, context);
    try {
      return await o.keyStore.replace(name, key, await o.keyEncryption.wrap(opened, context));
    } finally {
      opened.fill(0);
    }
  }

  return {
    status,
    /**
     * Wraps again all keys of other KEKs. Nodes keep running; after an interruption call it again. A key that is shredded
     * meanwhile stays destroyed.
     */
    async rotate(): Promise<RotationReport> {
      let [rewrapped, unreadable] = [0, 0];
      let after: KeyName | null = null;
      for (;;) {
        const page: StoredKey[] = await o.keyStore.page(after, BATCH);
        for (const stored of page) {
          if (stored.key.kekId === current) continue;
          if (!o.keyEncryption.kekIds.includes(stored.key.kekId)) unreadable += 1;
          else if (await rewrap(stored)) rewrapped += 1;
        }
        after = page.at(-1)?.name ?? null;
        if (after === null) return { rewrapped, unreadable, keks: await status() };
      }
    },
  };
}
