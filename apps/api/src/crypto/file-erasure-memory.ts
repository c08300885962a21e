import type { DurableFolder } from '@svc/durable-fs';
import { z } from 'zod';
import {
  decodeErasure,
  type Erasure,
  type ErasureMemory,
  encodeErasure,
  type RememberedErasure,
} from './erasure-memory.ts';
import type { Exclusive } from './file-key-store.ts';

const batchSchema = z.object({ atMs: z.number(), erasures: z.array(z.string()) });
const seenSchema = z.object({ accountId: z.string(), version: z.int() });
const forgottenSchema = z.object({ beforeMs: z.number() });

/** The folders of an erasure memory. */
export interface FileMemoryFolders {
  /** One file per batch, named by its numbers: `<first>-<last>`, with leading zeros. */
  readonly erasures: DurableFolder;
  /** One file per list. */
  readonly versions: DurableFolder;
  readonly store: DurableFolder;
  readonly shredded: DurableFolder;
}

interface Batch {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

const DIGITS = 15;
const FORGOTTEN = 'forgotten';
const LAST = 'last-erasure';

const nameBatch = (first: number, last: number): string =>
  [first, last].map((seq) => String(seq).padStart(DIGITS, '0')).join('-');

export function createFileErasureMemory(folders: FileMemoryFolders, exclusive: Exclusive): ErasureMemory {
  const { erasures, versions, store, shredded } = folders;

  async function batches(): Promise<Batch[]> {
    return (await erasures.names()).map((file) => {
      const [first, last] = file.split('-').map(Number);
      return { file, first: first ?? 0, last: last ?? 0 };
    });
  }

  async function load({ file, first }: Batch): Promise<RememberedErasure[]> {
    const text = await erasures.readText(file);
    if (text === null) return [];
    const { atMs, erasures: texts } = batchSchema.parse(JSON.parse(text));
    return texts.map((each, i) => ({ seq: first + i, atMs, erasure: decodeErasure(each) }));
  }

  /** Stays the same after all batches were forgotten. */
  async function last(): Promise<number> {
    return Math.max((await batches()).at(-1)?.last ?? 0, Number((await store.readText(LAST)) ?? 0));
  }

  async function seen(listId: string) {
    const text = await versions.readText(listId);
    return text === null ? null : seenSchema.parse(JSON.parse(text));
  }

  return {
    last,
    async remember(list: readonly Erasure[], atMs: number) {
      if (list.length === 0) return;
      await exclusive(async () => {
        const first = (await last()) + 1;
        const content = JSON.stringify({ atMs, erasures: list.map(encodeErasure) });
        if (!(await erasures.create(nameBatch(first, first + list.length - 1), content))) {
          throw new Error('the key store is being changed by another process');
        }
      });
    },
    async after(seq, limit) {
      const found: RememberedErasure[] = [];
      for (const batch of await batches()) {
        if (batch.last <= seq) continue;
        found.push(...(await load(batch)).filter((each) => each.seq > seq));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },
    noteVersion: ({ accountId, listId, version }) =>
      exclusive(async () => {
        if (((await seen(listId))?.version ?? -1) >= version) return;
        await versions.write(listId, JSON.stringify({ accountId, version }));
      }),
    async seenVersions(afterListId, limit) {
      const names = (await versions.names()).filter((listId) => listId > afterListId).slice(0, limit);
      const all = await Promise.all(names.map(async (listId) => ({ listId, found: await seen(listId) })));
      return all.flatMap(({ listId, found }) => (found === null ? [] : [{ listId, ...found }]));
    },
    forget: (beforeMs, through) =>
      exclusive(async () => {
        const old: string[] = [];
        for (const batch of await batches()) {
          if (batch.last > through || ((await load(batch))[0]?.atMs ?? beforeMs) >= beforeMs) continue;
          old.push(batch.file);
        }
        await store.write(LAST, String(await last()));
        if (old.length > 0) await store.write(FORGOTTEN, JSON.stringify({ beforeMs }));
        await erasures.delete(old);
        const gone: string[] = [];
        for (const ownerId of await shredded.names()) {
          const at = Date.parse((await shredded.readText(ownerId)) ?? '');
          if (at < beforeMs) gone.push(ownerId);
        }
        await shredded.delete(gone);
      }),
    async forgottenBefore() {
      const text = await store.readText(FORGOTTEN);
      return text === null ? null : forgottenSchema.parse(JSON.parse(text)).beforeMs;
    },
  };
}
