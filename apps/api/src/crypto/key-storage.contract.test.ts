import { randomBytes } from 'node:crypto';
import { copyFile, link, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { systemRandom } from '../platform/ports.ts';
import { createTestDatabase, queryDatabase, servingUrl } from '../testing/postgres.ts';
import type { Erasure } from './erasure-memory.ts';
import { findKeyStorage, type KeyStorage, type KeyStorageTarget, openKeyStorage } from './key-storage.ts';
import { KeyStoreError } from './key-store.ts';

const key = (kekId = 'kek-a') => ({ kekId, bytes: new Uint8Array(randomBytes(72)) });
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
const face = (tag: string): Erasure => ({
  kind: 'face',
  accountId: 'acc_a',
  listId: 'lst_a',
  epoch: 1,
  tag,
  version: 7,
});

const folder = temporaryFolder();

/** Opens the same store at each call. */
type Open = () => Promise<KeyStorage>;
const at = (target: KeyStorageTarget) => () => openKeyStorage(target, systemRandom);

/** One role owns the tables, and another opens the store. */
async function inPostgres(secrets: string): Promise<KeyStorageTarget & { kind: 'postgres' }> {
  const url = await createTestDatabase(inject('postgres'));
  const owner = { target: { connectionString: url }, setting: 'owner' };
  return { kind: 'postgres', target: { connectionString: servingUrl(url) }, owner, secrets };
}

const places: [string, () => Promise<Open>][] = [
  ['PostgreSQL and a folder of secrets', async () => at(await inPostgres(join(folder, 'secrets')))],
  ['a folder', async () => at({ kind: 'folder', path: join(folder, 'store') })],
];

describe.each(places)('a key store in %s', (_name, place) => {
  let open: Open;
  let one: KeyStorage;
  let other: KeyStorage;
  beforeAll(async () => {
    open = await place();
    [one, other] = await Promise.all([open(), open()]);
  });
  afterAll(async () => {
    await one.close();
    await other.close();
  });

  it('is one store however often it is opened', () => {
    expect(one.storeId).toMatch(/^[0-9a-f]{32}$/);
    expect(other.storeId).toBe(one.storeId);
  });

  it('keeps the first key of a name for all callers', async () => {
    const keys = [key(), key(), key(), key()];
    const added = await Promise.all(
      keys.map((each, i) => (i % 2 ? one : other).keys.add({ ownerId: 'lst_a', epoch: 1 }, each, 1)),
    );
    expect(added.filter((answer) => answer === 'added')).toHaveLength(1);
    expect(added.filter((answer) => answer === 'taken')).toHaveLength(3);
    const winner = keys[added.indexOf('added')];
    expect(hex((await one.keys.get({ ownerId: 'lst_a', epoch: 1 }))?.bytes)).toBe(hex(winner?.bytes));
    expect(await one.keys.get({ ownerId: 'lst_a', epoch: 2 })).toBeNull();
    expect(await one.keys.get({ ownerId: 'lst_', epoch: 1 })).toBeNull();
  });

  it('destroys every epoch of one owner only, and accepts no key of it again', async () => {
    for (const epoch of [1, 2, 10]) await one.keys.add({ ownerId: 'lst_gone', epoch }, key(), 1);
    await one.keys.add({ ownerId: 'lst_gone2', epoch: 1 }, key(), 1);
    await one.keys.shred('lst_gone', 2);
    await one.keys.shred('lst_gone', 3);
    await one.keys.shred('lst_never', 3);
    for (const epoch of [1, 2, 10]) expect(await other.keys.get({ ownerId: 'lst_gone', epoch })).toBeNull();
    expect(await other.keys.get({ ownerId: 'lst_gone2', epoch: 1 })).not.toBeNull();
    expect(await other.keys.add({ ownerId: 'lst_gone', epoch: 1 }, key(), 4)).toBe('shredded');
  });

  it('leaves no key behind when one is added while its owner is shredded', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ownerId = `lst_race${round}`;
      await Promise.all([
        one.keys.shred(ownerId, 1),
        ...[1, 2, 3].map((epoch) => other.keys.add({ ownerId, epoch }, key(), 1)),
      ]);
      for (const epoch of [1, 2, 3]) expect(await one.keys.get({ ownerId, epoch })).toBeNull();
    }
  });

  it('replaces the key that was read and never brings one back', async () => {
    const name = { ownerId: 'lst_rewrapped', epoch: 1 };
    const [first, second, third] = [key(), key('kek-b'), key('kek-c')];
    await one.keys.add(name, first, 1);
    expect(await one.keys.replace(name, first, second)).toBe(true);
    expect(await other.keys.replace(name, first, third)).toBe(false);
    expect((await other.keys.get(name))?.kekId).toBe('kek-b');
    await one.keys.shred(name.ownerId, 2);
    expect(await other.keys.replace(name, second, third)).toBe(false);
    expect(await other.keys.get(name)).toBeNull();
  });

  it('hands keys out in pages, each once', async () => {
    for (const epoch of [1, 2, 10, 11]) await one.keys.add({ ownerId: 'lst_paged', epoch }, key('kek-p'), 1);
    const seen: string[] = [];
    let page = await one.keys.page(null, 3);
    while (page.length > 0) {
      seen.push(...page.map(({ name }) => `${name.ownerId} ${name.epoch}`));
      page = await one.keys.page(page.at(-1)?.name ?? null, 3);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => name.startsWith('lst_paged '))).toEqual([
      'lst_paged 1',
      'lst_paged 2',
      'lst_paged 10',
      'lst_paged 11',
    ]);
    expect((await one.keys.countByKek()).get('kek-p')).toBe(4);
    expect((await one.keys.countByKek()).has('kek-none')).toBe(false);
  });

  it('lets the first KEK of all in, and then its friends', async () => {
    const answers = await Promise.all([one.keys.rememberKek('a1', 1, ['a1']), other.keys.rememberKek('b1', 1, ['b1'])]);
    const [winner] = answers[0] ?? [];
    expect(answers).toEqual([[winner], [winner]]);
    expect(await one.keys.rememberKek('c1', 2, ['c1'])).toEqual([winner]);
    expect(new Set(await one.keys.rememberKek('c1', 2, ['c1', String(winner)]))).toEqual(new Set([winner, 'c1']));
  });

  it('remembers erasures in an order without gaps', async () => {
    const before = await one.erasures.last();
    await Promise.all([
      one.erasures.remember([face('t1'), face('t2')], 100),
      other.erasures.remember([{ kind: 'list', accountId: 'acc_a', listId: 'lst_a' }], 200),
      one.erasures.remember([], 300),
    ]);
    expect(await other.erasures.last()).toBe(before + 3);
    const all = await other.erasures.after(before, 10);
    expect(all.map(({ seq }) => seq)).toEqual([before + 1, before + 2, before + 3]);
    expect(all.filter(({ atMs }) => atMs === 100).map(({ erasure }) => erasure)).toEqual([face('t1'), face('t2')]);
    expect(await one.erasures.after(before + 2, 10)).toHaveLength(1);
    expect(await one.erasures.after(before, 1)).toHaveLength(1);
  });

  it('forgets what is old and was applied, and counts on', async () => {
    const { erasures } = one;
    await erasures.remember([face('old')], 1_000);
    const oldest = await erasures.last();
    await erasures.remember([face('new')], 5_000);
    await erasures.forget(2_000, oldest - 1);
    expect((await erasures.after(oldest - 1, 10)).map(({ erasure }) => erasure)).toEqual([face('old'), face('new')]);
    await erasures.forget(2_000, oldest + 1);
    expect((await erasures.after(0, 100)).map(({ erasure }) => erasure)).toEqual([face('new')]);
    expect(await erasures.forgottenBefore()).toBe(2_000);
    await erasures.forget(9_000, oldest + 1);
    expect(await erasures.last()).toBe(oldest + 1);
    await other.erasures.remember([face('newest')], 6_000);
    expect((await one.erasures.after(0, 100)).map(({ seq }) => seq)).toEqual([oldest + 2]);
  });

  it('notes the highest version of a list', async () => {
    const list = { accountId: 'acc_a', listId: 'lst_seen' };
    await Promise.all([3, 9, 5].map((version) => one.erasures.noteVersion({ ...list, version })));
    await other.erasures.noteVersion({ ...list, listId: 'lst_seen2', version: 1 });
    expect(await other.erasures.seenVersions('lst_see', 10)).toEqual([
      { ...list, version: 9 },
      { ...list, listId: 'lst_seen2', version: 1 },
    ]);
    expect(await one.erasures.seenVersions('lst_seen', 10)).toHaveLength(1);
  });

  it('is as it was when it is opened again', async () => {
    const again = await open();
    expect(again.storeId).toBe(one.storeId);
    expect(await again.keys.page(null, 100)).toEqual(await one.keys.page(null, 100));
    expect(await again.erasures.after(0, 100)).toEqual(await one.erasures.after(0, 100));
    await again.close();
  });
});

describe('a key store that is only looked for', () => {
  const find = async (target: KeyStorageTarget) => {
    const storage = await findKeyStorage(target);
    await storage?.close();
    return storage?.storeId ?? null;
  };
  const make = async (target: KeyStorageTarget) => {
    const storage = await openKeyStorage(target, systemRandom);
    await storage.close();
    return storage.storeId;
  };

  it('is found in a folder, or nothing is made', async () => {
    const target = { kind: 'folder', path: join(folder, 'looked', 'for') } as const;
    expect(await find(target)).toBeNull();
    expect(await readdir(folder)).not.toContain('looked');
    const storeId = await make(target);
    expect(await find(target)).toBe(storeId);
    await rm(join(target.path, 'versions'), { recursive: true });
    await expect(find(target)).rejects.toThrow('ENOENT');
    await rm(join(target.path, 'store-id'));
    expect(await find(target)).toBeNull();
    expect((await readdir(target.path)).toSorted()).toEqual(['erasures', 'keks', 'keys', 'lock.1.free', 'shredded']);
  });

  it('is found in PostgreSQL, or nothing is made', async () => {
    const databaseUrl = await createTestDatabase(inject('postgres'));
    const secrets = join(folder, 'looked-for');
    const target = { kind: 'postgres', target: { connectionString: databaseUrl }, secrets } as const;
    expect(await find(target)).toBeNull();
    expect(await readdir(folder)).not.toContain('looked-for');
    expect(await queryDatabase(databaseUrl, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    const storeId = await make(target);
    expect(await find(target)).toBe(storeId);
    await queryDatabase(databaseUrl, 'DELETE FROM key_store');
    expect(await find(target)).toBeNull();
    expect(await queryDatabase(databaseUrl, 'SELECT 1 FROM key_store')).toEqual([]);
  });
});

describe('a key store in PostgreSQL', () => {
  const name = { ownerId: 'lst_a', epoch: 1 };
  const open = (target: KeyStorageTarget) => openKeyStorage(target, systemRandom);
  const stored = async ({ target }: KeyStorageTarget & { kind: 'postgres' }) => {
    const url = 'connectionString' in target ? target.connectionString : null;
    const sql = 'SELECT owner_id, wrapped FROM wrapped_keys ORDER BY owner_id';
    return queryDatabase<{ owner_id: string; wrapped: Buffer }>(url, sql);
  };

  it('holds nothing that opens once the owner’s secret is gone', async () => {
    const target = await inPostgres(join(folder, 'of-owners'));
    const storage = await open(target);
    const [gone, kept] = [key(), key()];
    await storage.keys.add(name, gone, 1);
    await storage.keys.add({ ownerId: 'lst_b', epoch: 1 }, kept, 1);
    const [before] = await stored(target);
    expect(before?.wrapped.includes(Buffer.from(gone.bytes))).toBe(false);
    await storage.keys.shred('lst_a', 2);
    const url = 'connectionString' in target.target ? target.target.connectionString : null;
    const back = 'INSERT INTO wrapped_keys VALUES ($1, 1, $2, $3, now(), true)';
    await queryDatabase(url, back, ['lst_a', gone.kekId, before?.wrapped]);
    expect(await storage.keys.get(name)).toBeNull();
    expect((await storage.keys.page(null, 1)).map((each) => each.name.ownerId)).toEqual(['lst_b']);
    expect(await readdir(join(folder, 'of-owners', 'owners'))).toEqual(['lst_b']);
    await storage.close();
  });

  it('is refused with another folder of secrets', async () => {
    const target = await inPostgres(join(folder, 'first'));
    await (await open(target)).close();
    const wrong = { ...target, secrets: join(folder, 'second') };
    await expect(open(wrong)).rejects.toThrow(KeyStoreError);
    await expect(findKeyStorage(wrong)).rejects.toThrow('SVC_KEY_SECRETS_DIR');
    expect(await readdir(folder)).not.toContain('second');
  });

  it('with a key that no secret seals is refused, as before 0.1.0', async () => {
    const target = await inPostgres(join(folder, 'older'));
    const storage = await open(target);
    await storage.keys.add(name, key(), 1);
    await storage.close();
    const url = 'connectionString' in target.target ? target.target.connectionString : null;
    await queryDatabase(url, 'UPDATE wrapped_keys SET is_sealed = false');
    const refused = /“svc keys rotate” of 0\.2\.0 .* SVC_KEY_SECRETS_DIR/;
    await expect(open(target)).rejects.toThrow(refused);
    await expect(findKeyStorage(target)).rejects.toThrow(refused);
  });
});

it('a key store in a folder overwrites a key that is destroyed, and one that another takes the place of', async () => {
  const path = join(folder, 'overwritten');
  /** A hard link to the file, which shows what is written over its bytes. */
  async function otherName(file: string): Promise<string> {
    const name = join(folder, `seen-${file}`);
    await link(join(path, 'keys', file), name);
    return name;
  }
  const storage = await openKeyStorage({ kind: 'folder', path }, systemRandom);
  const [gone, replaced] = [key(), key()];
  await storage.keys.add({ ownerId: 'lst_gone', epoch: 1 }, gone, 1);
  await storage.keys.add({ ownerId: 'lst_rewrapped', epoch: 1 }, replaced, 1);
  const seen = [await otherName('lst_gone.1'), await otherName('lst_rewrapped.1')];
  for (const [i, bytes] of [gone.bytes, replaced.bytes].entries()) {
    expect(await readFile(seen[i] ?? '', 'utf8')).toContain(Buffer.from(bytes).toString('base64'));
  }
  await storage.keys.shred('lst_gone', 2);
  await storage.keys.replace({ ownerId: 'lst_rewrapped', epoch: 1 }, replaced, key('kek-b'));
  for (const [i, bytes] of [gone.bytes, replaced.bytes].entries()) {
    const left = await readFile(seen[i] ?? '');
    expect(left.length).toBeGreaterThan(bytes.length);
    expect(left.includes(Buffer.from(bytes).toString('base64').slice(0, 8))).toBe(false);
    expect(left.includes('kekId')).toBe(false);
  }
  await storage.close();
});

it('a key store in a folder destroys the drafts of a killed writer when it opens, and no key that a draft is linked to', async () => {
  const path = join(folder, 'drafts');
  const storage = await openKeyStorage({ kind: 'folder', path }, systemRandom);
  const kept = key();
  await storage.keys.add({ ownerId: 'lst_kept', epoch: 1 }, kept, 1);
  await storage.close();
  await link(join(path, 'keys', 'lst_kept.1'), join(path, 'keys', 'lst_kept.1.a.tmp'));
  await copyFile(join(path, 'keys', 'lst_kept.1'), join(path, 'keys', 'lst_half.1.b.tmp'));
  const again = await openKeyStorage({ kind: 'folder', path }, systemRandom);
  expect(await readdir(join(path, 'keys'))).toEqual(['lst_kept.1']);
  expect(hex((await again.keys.get({ ownerId: 'lst_kept', epoch: 1 }))?.bytes)).toBe(hex(kept.bytes));
  await again.close();
});
