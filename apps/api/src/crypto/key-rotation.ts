import type { KeyEncryption } from './key-encryption.ts';
import { wrappingContext } from './key-ring.ts';
import type { KeyName, KeyStore, StoredKey } from './key-store.ts';

export interface KekStatus {
  readonly kekId: string;
  /** Keys that it has wrapped. */
  readonly keys: number;
  /** Whether this process is configured with it. */
  readonly atHand: boolean;
  /** Whether it wraps what is new. */
  readonly current: boolean;
}

export interface RotationReport {
  readonly rewrapped: number;
  /** Keys that no KEK at hand can unwrap; they were left as they are. */
  readonly unreadable: number;
  /** Keys of an earlier edition that got a secret outside of the database. */
  readonly protected: number;
  readonly keks: readonly KekStatus[];
}

/** Moves every key from older KEKs to the current one. */
export interface KeyRotation {
  status(): Promise<readonly KekStatus[]>;
  /**
   * Wraps again what another KEK than the current one has wrapped, and protects what an earlier edition has stored.
   * Nodes go on meanwhile; interrupted, it is run again and takes up what is left. A key that is shredded meanwhile
   * stays gone.
   */
  rotate(): Promise<RotationReport>;
}

const BATCH = 200;

export function createKeyRotation(o: {
  readonly keyEncryption: KeyEncryption;
  readonly keyStore: KeyStore;
}): KeyRotation {
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
    async rotate() {
      let [rewrapped, unreadable] = [0, 0];
      const protectedKeys = await o.keyStore.protectOlder();
      let after: KeyName | null = null;
      for (;;) {
        const page: StoredKey[] = await o.keyStore.page(after, BATCH);
        for (const stored of page) {
          if (stored.key.kekId === current) continue;
          if (!o.keyEncryption.kekIds.includes(stored.key.kekId)) unreadable += 1;
          else if (await rewrap(stored)) rewrapped += 1;
        }
        after = page.at(-1)?.name ?? null;
        if (after === null) return { rewrapped, unreadable, protected: protectedKeys, keks: await status() };
      }
    },
  };
}
