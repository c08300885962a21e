import { chmod, chown, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DurableFolder, readOrCreatePrivateFile } from './durable-folder.ts';
import { type FileSystem, PrivateFileError, readPrivateFile } from './file-system.ts';
import { Disk, everyCrash, failingAt } from './testing/crashing-disk.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const directory = temporaryFolder();

let root = '';
beforeEach(() => {
  root = temporaryFolder();
});

describe('a folder of several processes', () => {
  it('is made for its owner alone, and refused where others may enter it or it is a link', async () => {
    const path = join(root, 'shared');
    await (await DurableFolder.openShared(path)).create('a', 'content');
    expect([(await stat(path)).mode & 0o777, (await stat(join(path, 'a'))).mode & 0o777]).toEqual([0o700, 0o600]);
    await symlink(path, join(root, 'link'));
    await expect(DurableFolder.existing(join(root, 'link'))).rejects.toThrow(PrivateFileError);
    await chmod(path, 0o750);
    await expect(DurableFolder.openShared(path)).rejects.toThrow(PrivateFileError);
    await expect(DurableFolder.existing(join(root, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('makes a file once, also when several do at the same time', async () => {
    const folder = await DurableFolder.openShared(root);
    const made = await Promise.all(Array.from({ length: 8 }, (_, i) => folder.create('a', `content ${i}`)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await folder.readText('a')).toBe(`content ${made.indexOf(true)}`);
    expect(await readdir(root)).toEqual(['a']);
  });

  it('overwrites what is deleted or superseded, and not what is written over', async () => {
    const folder = await DurableFolder.openShared(root);
    const seen = join(directory, 'seen');
    await mkdir(seen);
    for (const name of ['deleted', 'superseded', 'written']) {
      await folder.write(name, 'the old content');
      await link(join(root, name), join(seen, name));
    }
    await folder.delete('deleted');
    await folder.supersede('superseded', 'new');
    await folder.write('written', 'new');
    const left = await Promise.all(['deleted', 'superseded', 'written'].map((name) => readFile(join(seen, name))));
    expect(left.map((content) => content.includes('old'))).toEqual([false, false, true]);
    expect(left.map(({ length }) => length)).toEqual([15, 15, 15]);
    expect(await folder.names()).toEqual(['superseded', 'written']);
  });

  it('destroys drafts, but of one that is a file’s second name the name alone', async () => {
    const folder = await DurableFolder.openShared(root);
    await folder.write('kept', 'content');
    await link(join(root, 'kept'), join(root, 'kept.a.tmp'));
    await writeFile(join(root, 'half.b.tmp'), 'half');
    await link(join(root, 'half.b.tmp'), join(directory, 'half'));
    await rm(join(directory, 'half'));
    expect(await folder.names()).toEqual(['kept']);
    await folder.destroyDrafts();
    expect(await readdir(root)).toEqual(['kept']);
    expect(await folder.readText('kept')).toBe('content');
  });

  it.each(['', '.', '..', '../a', 'a/b'])('has no file of the name “%s”', async (name) => {
    const folder = await DurableFolder.openShared(root);
    await expect(folder.create(name, 'content')).rejects.toThrow('not a name');
    expect(() => folder.readText(name)).toThrow('not a name');
  });
});

const NEW = 'the new content';
const OLD = 'the old content, which is longer';
const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());
const opened = (disk: Disk) => DurableFolder.open('d', disk.fs);

describe('a file of a folder whose program is killed or loses power at any instant', () => {
  it.each([
    ['created', null, (folder: DurableFolder) => folder.create('a', NEW), [null, NEW]],
    ['created where there is one', OLD, (folder: DurableFolder) => folder.create('a', NEW), [OLD]],
    ['written', OLD, (folder: DurableFolder) => folder.write('a', NEW), [OLD, NEW]],
    ['superseded', OLD, (folder: DurableFolder) => folder.supersede('a', NEW), [OLD, NEW]],
    ['deleted', OLD, (folder: DurableFolder) => folder.delete('a'), [OLD, null]],
  ])('while it is %s is the old or the new, whole, and nothing else is left', async (_what, before, change, states) => {
    const disk = new Disk();
    if (before !== null) await (await opened(disk)).write('a', before);
    const seen = new Set<string | null>();
    for await (const after of everyCrash(disk, async (fs) => change(await DurableFolder.open('d', fs)))) {
      const folder = await opened(after);
      const found = text(await folder.read('a'));
      seen.add(found);
      expect(after.paths).toEqual(found === null ? [] : ['d/a']);
    }
    expect(seen).toEqual(new Set(states));
  });

  it('while it is deleted, and again while the next start finishes that, is whole or gone', async () => {
    const disk = new Disk();
    await (await opened(disk)).write('a', OLD);
    const open = (fs: FileSystem) => DurableFolder.open('d', fs);
    for await (const once of everyCrash(disk, async (fs) => (await open(fs)).delete('a'))) {
      for await (const twice of everyCrash(once, open)) {
        expect([null, OLD]).toContain(text(await (await opened(twice)).read('a')));
      }
    }
  });

  it.each<[string, (folder: DurableFolder) => Promise<void>]>([
    ['superseded', (folder) => folder.supersede('a', NEW)],
    ['written', (folder) => folder.write('a', NEW)],
    ['deleted', (folder) => folder.delete('a')],
  ])('whose disk fails once while it is %s leaves nothing else once names were listed', async (_what, change) => {
    for (let failing = 0; ; failing += 1) {
      const disk = new Disk();
      await (await opened(disk)).write('a', OLD);
      // Opening syncs the folder once.
      const fs = failingAt(disk, failing + 1);
      const folder = await DurableFolder.open('d', fs);
      await change(folder).catch(() => undefined);
      if (!fs.hasFailed()) break;
      const names = await folder.names();
      expect([null, OLD, NEW]).toContain(text(await folder.read('a')));
      expect(disk.paths, `operation ${failing}`).toEqual(names.map((name) => `d/${name}`));
    }
  });

  it('whose disk fails once while it is deleted, and whose power fails then, is whole or gone', async () => {
    const prepared = new Disk();
    await (await opened(prepared)).write('a', OLD);
    // A deletion takes five operations, and more after a failure.
    for (let failing = 1; failing <= 5; failing += 1) {
      for (let cutAt = 1; cutAt < 13; cutAt += 1) {
        const disk = prepared.thatIsCut(cutAt, 'before');
        const folder = await DurableFolder.open('d', failingAt(disk, failing));
        await folder.delete('a').catch(() => undefined);
        await folder.names().catch(() => undefined);
        const left = text(await (await opened(disk.afterPowerCut())).read('a'));
        expect([null, OLD], `operation ${failing} failed, power cut at ${cutAt}`).toContain(left);
      }
    }
  });
});

describe('private file', () => {
  it('is made once by many at the same time, whole, for its owner alone', async () => {
    const path = join(directory, 'deep', 'secret');
    let made = 0;
    const contents = await Promise.all(
      Array.from({ length: 20 }, () =>
        readOrCreatePrivateFile(path, () => {
          made += 1;
          return `secret ${made}`.repeat(1000);
        }),
      ),
    );
    expect(new Set(contents).size).toBe(1);
    expect(await readFile(path, 'utf8')).toBe(contents[0]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe('a private file that others may open', () => {
  it('is refused, whatever is in it', async () => {
    const path = join(directory, 'open-secret');
    for (const mode of [0o644, 0o640, 0o604, 0o660, 0o601]) {
      await writeFile(path, 'secret');
      await chmod(path, mode);
      const refused = readPrivateFile(path);
      await expect(refused).rejects.toThrow(PrivateFileError);
      await expect(refused).rejects.not.toThrow(/secret$/);
      await expect(readOrCreatePrivateFile(path, () => 'other')).rejects.toThrow(PrivateFileError);
    }
    await chmod(path, 0o400);
    expect(await readPrivateFile(path)).toBe('secret');
  });

  it('is let pass where it is another’s and our group may read it, as container platforms mount secrets', async () => {
    if (process.getuid?.() !== 0) return;
    const path = join(directory, 'mounted');
    await writeFile(path, 'mounted');
    await chown(path, 65_534, 65_534);
    await chmod(path, 0o440);
    expect(await readPrivateFile(path)).toBe('mounted');
    await chmod(path, 0o444);
    await expect(readPrivateFile(path)).rejects.toThrow(PrivateFileError);
  });
});
