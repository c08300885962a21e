import type { DurableFolder } from '@svc/durable-fs';
import { z } from 'zod';
import type { WrappedKey } from './kek.ts';
import { type KeyName, type KeyStore, readKeyFile, type StoredKey } from './key-store.ts';

const keySchema = z.object({ kekId: z.string(), wrapped: z.string() });

/** The folders of a key store. */
export interface FileKeyFolders {
  /** One file per key: `<owner>.<epoch>`. */
  readonly keys: DurableFolder;
  /** One empty file per owner whose keys were destroyed. */
  readonly shredded: DurableFolder;
  readonly keks: DurableFolder;
}

/** Runs one change at a time, across processes. */
export type Exclusive = <T>(change: () => Promise<T>) => Promise<T>;

const fileOf = ({ ownerId, epoch }: KeyName): string => `${ownerId}.${epoch}`;

function nameOf(file: string): KeyName {
  const dot = file.lastIndexOf('.');
  return { ownerId: file.slice(0, dot), epoch: Number(file.slice(dot + 1)) };
}

function parseKey(text: string): WrappedKey | null {
  try {
    const { kekId, wrapped } = keySchema.parse(JSON.parse(text));
    return { kekId, bytes: new Uint8Array(Buffer.from(wrapped, 'base64')) };
  } catch {
    return null;
  }
}

const byName = (a: KeyName, b: KeyName): number =>
  a.ownerId === b.ownerId ? a.epoch - b.epoch : a.ownerId < b.ownerId ? -1 : 1;

/** A key store in a folder, for one machine. A deleted key is overwritten before its file is removed. */
export function createFileKeyStore({ keys, shredded, keks }: FileKeyFolders, exclusive: Exclusive): KeyStore {
  const get = (name: KeyName) => readKeyFile(keys, fileOf(name), parseKey);

  async function ordered(after: KeyName | null): Promise<KeyName[]> {
    const names = (await keys.names()).map(nameOf).sort(byName);
    return after === null ? names : names.filter((name) => byName(name, after) > 0);
  }

  const encode = (key: { kekId: string; bytes: Uint8Array }, createdAtMs?: number): string =>
    JSON.stringify({
      kekId: key.kekId,
      wrapped: Buffer.from(key.bytes).toString('base64'),
      ...(createdAtMs === undefined ? {} : { createdAt: new Date(createdAtMs).toISOString() }),
    });

  return {
    get,
    add: (name, key, createdAtMs) =>
      exclusive(async () => {
        if ((await shredded.readText(name.ownerId)) !== null) return 'shredded';
        return (await keys.create(fileOf(name), encode(key, createdAtMs))) ? 'added' : 'taken';
      }),
    shred: (ownerId, atMs) =>
      exclusive(async () => {
        await shredded.create(ownerId, new Date(atMs).toISOString());
        const files = (await keys.names()).filter((file) => nameOf(file).ownerId === ownerId);
        await keys.delete(files);
        await keys.destroyDrafts();
      }),
    replace: (name, from, to) =>
      exclusive(async () => {
        const found = await get(name);
        if (found === null || found.kekId !== from.kekId || !Buffer.from(found.bytes).equals(from.bytes)) return false;
        await keys.supersede(fileOf(name), encode(to));
        return true;
      }),
    async page(after, limit) {
      const page: StoredKey[] = [];
      for (const name of (await ordered(after)).slice(0, limit)) {
        const key = await get(name);
        if (key !== null) page.push({ name, key });
      }
      return page;
    },
    async countByKek() {
      const counts = new Map<string, number>();
      for (const name of await ordered(null)) {
        const key = await get(name);
        if (key !== null) counts.set(key.kekId, (counts.get(key.kekId) ?? 0) + 1);
      }
      return counts;
    },
    rememberKek: (kekId, seenAtMs, known) =>
      exclusive(async () => {
        const remembered = await keks.names();
        if (remembered.length > 0 && !remembered.some((id) => known.includes(id))) return remembered;
        if (remembered.includes(kekId)) return remembered;
        await keks.create(kekId, new Date(seenAtMs).toISOString());
        return [...remembered, kekId];
      }),
  };
}
