import { join } from 'node:path';
import { DurableFolder } from '@svc/durable-fs';
import type { Connection } from '../db/connection.ts';
import { coalesce } from '../platform/coalesce.ts';
import type { Random } from '../platform/ports.ts';
import type { WrappedKey } from './kek.ts';
import { type KeyName, type KeyStore, KeyStoreError, readKeyFile, type StoredKey } from './key-store.ts';
import { encodeContext, openBox, sealBox } from './sealed-box.ts';

/**
 * One secret per owner, in files. Copies of the owner's keys in a database's log and backups cannot be opened without
 * it, and so become useless when it is destroyed. Nodes share the folder without locks, so that it may be on a network.
 */
export interface OwnerSecrets {
  /** Random, made with the folder; also stored in the database, so that a wrong folder is noticed. */
  readonly id: string;
  /** 32 bytes, which the caller wipes; null when the owner has no secret or it was destroyed. */
  read(ownerId: string): Promise<Uint8Array | null>;
  /** As `read`, and creates a missing secret. */
  readOrCreate(ownerId: string): Promise<Uint8Array>;
  /** Overwrites and removes the secret if there is one. */
  destroy(ownerId: string): Promise<void>;
}

const ID = 'secrets-id';
const OWNERS = 'owners';
const SECRET_BYTES = 32;

/** Null when it was overwritten during the read. */
function decode(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === SECRET_BYTES && bytes.toString('base64') === text ? new Uint8Array(bytes) : null;
}

/** @returns null when the folder is missing */
export async function findOwnerSecrets(path: string, random: Random): Promise<OwnerSecrets | null> {
  const folder = await DurableFolder.existing(path).catch(() => null);
  const id = (await folder?.readText(ID)) ?? null;
  return id === null ? null : secretsIn(await DurableFolder.existing(join(path, OWNERS)), id, random);
}

/** Opens the folder, and creates what is missing. */
export async function openOwnerSecrets(path: string, random: Random): Promise<OwnerSecrets> {
  const folder = await DurableFolder.openShared(path);
  const owners = await DurableFolder.openShared(join(path, OWNERS));
  await folder.create(ID, Buffer.from(random.bytes(16)).toString('hex'));
  const id = await folder.readText(ID);
  if (id === null) throw new Error('the folder of the key store’s secrets has no identity');
  return secretsIn(owners, id, random);
}

function secretsIn(owners: DurableFolder, id: string, random: Random): OwnerSecrets {
  const read = (ownerId: string) => readKeyFile(owners, ownerId, decode);
  return {
    id,
    read,
    async readOrCreate(ownerId) {
      const known = await read(ownerId);
      if (known !== null) return known;
      const made = random.bytes(SECRET_BYTES);
      await owners.create(ownerId, Buffer.from(made).toString('base64'));
      made.fill(0);
      const secret = await read(ownerId);
      if (secret === null) throw new Error('a secret of the key store that was just made is gone');
      return secret;
    },
    destroy: (ownerId) => owners.delete(ownerId),
  };
}

interface WrappedKeyRow {
  readonly owner_id: string;
  readonly epoch: number;
  readonly kek_id: string;
  /** Sealed with the owner's secret. */
  readonly wrapped: Buffer;
}

/** Arbitrary, the same on every node: of two first nodes with different KEKs only one can register its own. */
const KEK_LOCK = 7_291_043_559;

/** One lock per owner: no key is added while the owner's keys are being shredded. */
const OWNER_LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 7291043560))';

const where = (name: KeyName) => ({ owner_id: name.ownerId, epoch: name.epoch });

const GET_KEYS = `
SELECT owner_id, epoch, kek_id, wrapped
FROM wrapped_keys JOIN unnest(?::text[], ?::integer[]) AS asked (owner_id, epoch) USING (owner_id, epoch)`;

const textOf = ({ ownerId, epoch }: KeyName): string => `${ownerId} ${epoch}`;

const nameOf = (row: WrappedKeyRow): KeyName => ({ ownerId: row.owner_id, epoch: row.epoch });
const contextOf = ({ ownerId, epoch }: KeyName) => encodeContext('svc/owner-secret/v1', ownerId, String(epoch));

/**
 * A key store in PostgreSQL. Traces of a key in the database (rows, log, backups) can only be opened with the owner's
 * secret in addition to the KEK. The secret is stored elsewhere and destroyed with the keys.
 */
export function createPostgresKeyStore(
  connection: Connection,
  { secrets, random }: { readonly secrets: OwnerSecrets; readonly random: Random },
): KeyStore {
  /** The columns of a key. */
  async function sealed(name: KeyName, { kekId, bytes }: WrappedKey) {
    const secret = await secrets.readOrCreate(name.ownerId);
    const box = sealBox(random, secret, bytes, contextOf(name));
    secret.fill(0);
    return { kek_id: kekId, wrapped: Buffer.from(box), is_sealed: true };
  }

  /** Null when the owner's secret was destroyed. */
  async function opened(row: WrappedKeyRow): Promise<WrappedKey | null> {
    const secret = await secrets.read(row.owner_id);
    if (secret === null) return null;
    const bytes = openBox(secret, row.wrapped, contextOf(nameOf(row)));
    secret.fill(0);
    if (bytes === null) throw new KeyStoreError('a key of the key store does not open under its owner’s secret');
    return { kekId: row.kek_id, bytes };
  }

  const rowOf = coalesce(async (names: readonly KeyName[]) => {
    const owners = names.map(({ ownerId }) => ownerId);
    const epochs = names.map(({ epoch }) => epoch);
    const { rows } = await connection.raw<{ rows: WrappedKeyRow[] }>(GET_KEYS, [owners, epochs]);
    const found = new Map(rows.map((row) => [textOf(nameOf(row)), row]));
    return names.map((name) => found.get(textOf(name)) ?? null);
  });

  async function rowsAfter(after: KeyName | null, limit: number): Promise<WrappedKeyRow[]> {
    const query = connection<WrappedKeyRow>('wrapped_keys').orderBy(['owner_id', 'epoch']).limit(limit);
    if (after !== null) query.whereRaw('(owner_id, epoch) > (?, ?)', [after.ownerId, after.epoch]);
    return query;
  }

  return {
    add(name, key, createdAtMs) {
      return connection.transaction(async (tx) => {
        await tx.raw(OWNER_LOCK, [name.ownerId]);
        if ((await tx('shredded_owners').where({ owner_id: name.ownerId }).first('owner_id')) !== undefined) {
          return 'shredded';
        }
        const added = await tx('wrapped_keys')
          .insert({ ...where(name), ...(await sealed(name, key)), created_at: new Date(createdAtMs) })
          .onConflict(['owner_id', 'epoch'])
          .ignore()
          .returning('epoch');
        return added.length === 1 ? 'added' : 'taken';
      });
    },
    async get(name) {
      const row = await rowOf(name);
      return row === null ? null : opened(row);
    },
    async shred(ownerId, atMs) {
      await connection.transaction(async (tx) => {
        await tx.raw(OWNER_LOCK, [ownerId]);
        await tx('shredded_owners')
          .insert({ owner_id: ownerId, shredded_at: new Date(atMs) })
          .onConflict('owner_id')
          .ignore();
        // First: without the secret the rows and all copies of them are useless.
        await secrets.destroy(ownerId);
        await tx('wrapped_keys').where({ owner_id: ownerId }).delete();
      });
    },
    replace(name, from, to) {
      return connection.transaction(async (tx) => {
        await tx.raw(OWNER_LOCK, [name.ownerId]);
        const row = await tx<WrappedKeyRow>('wrapped_keys').where(where(name)).forUpdate().first();
        const found = row === undefined ? null : await opened(row);
        if (found?.kekId !== from.kekId || !Buffer.from(found.bytes).equals(from.bytes)) return false;
        await tx('wrapped_keys')
          .where(where(name))
          .update(await sealed(name, to));
        return true;
      });
    },
    async page(after, limit) {
      for (let cursor = after; ; ) {
        const rows = await rowsAfter(cursor, limit);
        const found: StoredKey[] = [];
        for (const row of rows) {
          const key = await opened(row);
          if (key !== null) found.push({ name: nameOf(row), key });
        }
        const last = rows.at(-1);
        if (found.length > 0 || last === undefined) return found;
        cursor = nameOf(last);
      }
    },
    async countByKek() {
      const rows: { kek_id: string; keys: number }[] = await connection('wrapped_keys')
        .groupBy('kek_id')
        .select('kek_id', connection.raw('count(*) AS keys'));
      return new Map(rows.map((row) => [row.kek_id, row.keys]));
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
