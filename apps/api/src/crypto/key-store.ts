import type { Connection } from '../db/connection.ts';
import type { WrappedKey } from './key-encryption.ts';

/** Whose key: a list's (one an epoch) or an account's (epoch 0). */
export interface KeyName {
  readonly ownerId: string;
  readonly epoch: number;
}

/**
 * Wrapped keys, and nothing else. Kept apart from everything that refers to them, so that it can lie in another database
 * than the records, with backups of its own: a restored backup of the records then brings no deleted key back.
 */
export interface KeyStore {
  /** @returns false when the name is taken; the key that is there stays */
  add(name: KeyName, key: WrappedKey, createdAtMs: number): Promise<boolean>;
  get(name: KeyName): Promise<WrappedKey | null>;
  /** Deletes every epoch's key of an owner; none left is fine. */
  shred(ownerId: string): Promise<void>;
  /** Ids of the KEKs that wrapped something that is still here. */
  kekIdsInUse(): Promise<string[]>;
  /**
   * Remembers that a deployment uses a KEK. The first call of all wins; later ones learn whether they know one of the remembered.
   * @returns the ids that are remembered, in no order
   */
  rememberKek(kekId: string, seenAtMs: number, known: readonly string[]): Promise<string[]>;
}

interface WrappedKeyRow {
  readonly owner_id: string;
  readonly epoch: number;
  readonly kek_id: string;
  readonly wrapped: Buffer;
}

/** Arbitrary, the same in every node: keeps two first starts from each bringing a KEK of its own. */
const KEK_LOCK = 7_291_043_559;

/** A key store in two tables of a PostgreSQL database. */
export function createKeyStore(connection: Connection): KeyStore {
  return {
    async add(name, key, createdAtMs) {
      const added = await connection('wrapped_keys')
        .insert({
          owner_id: name.ownerId,
          epoch: name.epoch,
          kek_id: key.kekId,
          wrapped: Buffer.from(key.bytes),
          created_at: new Date(createdAtMs),
        })
        .onConflict(['owner_id', 'epoch'])
        .ignore()
        .returning('epoch');
      return added.length === 1;
    },
    async get(name) {
      const row = await connection<WrappedKeyRow>('wrapped_keys')
        .where({ owner_id: name.ownerId, epoch: name.epoch })
        .first('kek_id', 'wrapped');
      return row === undefined ? null : { kekId: row.kek_id, bytes: row.wrapped };
    },
    async shred(ownerId) {
      await connection('wrapped_keys').where({ owner_id: ownerId }).delete();
    },
    async kekIdsInUse() {
      const rows = await connection<WrappedKeyRow>('wrapped_keys').distinct('kek_id');
      return rows.map((row) => row.kek_id);
    },
    rememberKek(kekId, seenAtMs, known) {
      return connection.transaction(async (tx) => {
        await tx.raw('SELECT pg_advisory_xact_lock(?)', [KEK_LOCK]);
        const remembered: string[] = await tx('key_encryption_keys').pluck('kek_id');
        if (remembered.length > 0 && !remembered.some((id) => known.includes(id))) return remembered;
        if (remembered.includes(kekId)) return remembered;
        await tx('key_encryption_keys').insert({ kek_id: kekId, first_seen: new Date(seenAtMs) });
        return [...remembered, kekId];
      });
    },
  };
}
