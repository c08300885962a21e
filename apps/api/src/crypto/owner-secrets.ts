import { join } from 'node:path';
import { DurableFolder } from '@svc/durable-fs';
import type { Random } from '../platform/ports.ts';

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
  async function read(ownerId: string): Promise<Uint8Array | null> {
    for (let before: string | null = null; ; ) {
      const text = await owners.readText(ownerId);
      if (text === null) return null;
      const secret = decode(text);
      if (secret !== null) return secret;
      if (text === before) throw new Error('a file of the key store’s secrets holds none');
      before = text;
    }
  }
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
