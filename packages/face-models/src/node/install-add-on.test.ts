import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PinnedFile } from '../add-ons/add-on.ts';
import { engineOf } from '../engine-spec.ts';
import { modelFiles } from '../model-bundle.ts';
import { minifasnetCalibration, passiveModelIn } from '../passive-model.ts';
import { floatBundle } from '../testing/float-bundle.ts';
import { sharedData, temporaryDirectory } from '../testing/folders.ts';
import { addOnNames } from '../types.ts';
import { fetchPinned, forgetPartials } from './fetch-pinned.ts';
import { addOnOf, addOns, installAddOn } from './install-add-on.ts';
import { openModelBundle } from './open-model-bundle.ts';
import { ensureRecommended } from './recommended.ts';

const name = 'minifasnet';
const published = sharedData('models');
if (published === null) process.stdout.write('skipped: no ../shared (installing add-ons from published files)\n');

/** A loopback server instead of the authors'. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the family of add-ons', () => {
  it('pins every file by length and digest, over an encrypted connection, at one commit or release', () => {
    expect(addOns.map(({ name }) => name)).toEqual(addOnNames);
    for (const { licenceFile, files } of addOns) {
      for (const { url, file, bytes, digest } of [licenceFile, ...files]) {
        expect(url.startsWith('https://')).toBe(true);
        expect(url.endsWith(`/${file}`)).toBe(true);
        expect(url).not.toMatch(/\/(master|main|latest)\//);
        expect(bytes).toBeGreaterThan(0);
        expect(digest.hex).toMatch(digest.algorithm === 'sha256' ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{96}$/);
      }
    }
  });
});

const pinned = [addOnOf(name).licenceFile, ...addOnOf(name).files];

describe.skipIf(published === null)('installAddOn with the published files', () => {
  const from = join(published ?? '', name);

  it('compiles the models of both from a folder, with the licence beside them', async () => {
    const addOnDirectory = join(await temporaryDirectory(), 'not', 'yet', 'there');
    expect(engineOf((await openModelBundle({ addOnDirectory })).manifest).engineId).toBe('dlib-resnet-128-mirror/2');
    const installed = [];
    for (const each of addOnNames) installed.push(await installAddOn(each, { from: published ?? '', addOnDirectory }));
    const bundle = await openModelBundle({ addOnDirectory });
    for (const [i, { directory, models }] of installed.entries()) {
      const each = addOns[i] ?? expect.unreachable();
      expect(directory).toBe(join(addOnDirectory, each.name));
      expect(await readFile(join(directory, 'LICENSE'))).toEqual(
        await readFile(join(published ?? '', each.name, 'LICENSE')),
      );
      expect(models).toEqual(each.models);
      for (const model of models) {
        const { inputs, licence } = bundle.manifest.models[model] ?? {};
        expect(inputs?.[0]).toMatchObject({ type: 'float32', range: [0, 255] });
        expect(licence).toBe(each.licence);
        expect((await bundle.read(model)).length).toBeGreaterThan(400_000);
      }
    }
    const { manifest } = bundle;
    expect(manifest.passiveLiveness).toEqual(minifasnetCalibration);
    expect(passiveModelIn(manifest)).toBe('minifasnet');
    expect(engineOf(manifest).engineId).toBe('retail-0095-mirror/4');
  });

  it('installs the same over itself and at the same time', async () => {
    const addOnDirectory = await temporaryDirectory();
    const { directory } = await installAddOn(name, { from, addOnDirectory });
    const before = (await readdir(directory)).sort();
    await Promise.all([installAddOn(name, { from, addOnDirectory }), installAddOn(name, { from, addOnDirectory })]);
    expect((await readdir(directory)).sort()).toEqual(before);
  });

  it('installs what is missing from a mirror, once, and says what serves', async () => {
    const asked: string[] = [];
    const from = await serve((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      createReadStream(join(published ?? '', path))
        .on('error', () => response.writeHead(404).end())
        .pipe(response);
    });
    const addOnDirectory = await temporaryDirectory();
    expect(await ensure(addOnDirectory, { SVC_MODELS_FROM: from })).toMatchObject({ isDone: true });
    const { manifest: opened } = await openModelBundle({ addOnDirectory });
    expect(opened.passiveLiveness).toEqual(minifasnetCalibration);
    expect(engineOf(opened).engineId).toBe('retail-0095-mirror/4');
    expect((await readdir(addOnDirectory)).sort()).toEqual([...addOnNames]);
    expect(await ensure(addOnDirectory, { SVC_MODELS_FROM: `${from}/none` })).toEqual({ isDone: true, lines: [] });
    expect(asked.length).toBeGreaterThan(5);
    // A full disk, a restored folder.
    const weights = join(addOnDirectory, name, opened.models['minifasnet-v2']?.file ?? '');
    await truncate(weights, 1_000);
    expect((await ensure(addOnDirectory, { SVC_MODELS_FROM: `${from}/none` })).isDone).toBe(false);
    expect(await ensure(addOnDirectory, { SVC_MODELS_FROM: from })).toMatchObject({ isDone: true });
    // Of an earlier release: without the evidence.
    const manifest = join(addOnDirectory, name, 'manifest.json');
    const installed = JSON.parse(await readFile(manifest, 'utf8'));
    installed.passiveLiveness.evidence = null;
    await writeFile(manifest, JSON.stringify(installed));
    const { isDone, lines } = await ensure(addOnDirectory, { SVC_MODELS_FROM: `${from}/none` });
    expect([isDone, lines.at(-1)]).toEqual([false, expect.stringContaining('minifasnet is used as installed before')]);
  });

  it('writes nothing when one file is another', async () => {
    const folder = await temporaryDirectory();
    const addOnDirectory = await temporaryDirectory();
    for (const { file } of pinned) await copyFile(join(from, file), join(folder, file));
    const last = join(folder, pinned.at(-1)?.file ?? '');
    const damaged = await readFile(last);
    damaged[900_000] = (damaged[900_000] ?? 0) ^ 1;
    await writeFile(last, damaged);
    await expect(installAddOn(name, { from: folder, addOnDirectory })).rejects.toMatchObject({
      code: 'model-mismatch',
    });
    expect(await readdir(addOnDirectory)).toEqual([]);
  });

  it('tells when the folder cannot be written', async () => {
    const blocked = join(await temporaryDirectory(), 'file');
    await writeFile(blocked, '');
    await expect(installAddOn(name, { from, addOnDirectory: blocked })).rejects.toMatchObject({
      code: 'install-failed',
    });
  });

  it('makes integers of the floats that former versions installed, the first into the folder itself', async () => {
    const floats = await floatBundle(published);
    const models = ['minifasnet-v2', 'minifasnet-v1se'] as const;
    const outputs = [{ index: 0, length: 3, positions: [0], values: [1] }];
    const golden = { inputSeed: 5, faceHeight: 0.2, tolerance: 5e-5, outputs };
    const entries = models.map((model) => [model, { ...floats.manifest.models[model], golden }]);
    const manifest = {
      format: 1,
      models: Object.fromEntries(entries),
      passiveLiveness: minifasnetCalibration,
    } as const;
    const files = await modelFiles(floats, manifest);
    const elsewhere = await temporaryDirectory();
    await installAddOn(name, { from, addOnDirectory: elsewhere });
    const installed = await openModelBundle({ addOnDirectory: elsewhere });
    const addOnDirectory = await temporaryDirectory();
    for (const [file, bytes] of files) await writeFile(join(addOnDirectory, file), bytes);
    const bundle = await openModelBundle({ addOnDirectory });
    expect(bundle.manifest).toEqual(installed.manifest);
    for (const model of models) {
      (await bundle.read(model)).fill(0);
      expect(Buffer.from(await bundle.read(model)).equals(await installed.read(model))).toBe(true);
    }
    expect((await readdir(addOnDirectory)).sort()).toEqual(files.map(([file]) => file).sort());
  });
});

describe('installAddOn without them', () => {
  it('misses files in an empty folder', async () => {
    const [from, addOnDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
    await mkdir(join(from, name));
    await expect(installAddOn(name, { from, addOnDirectory })).rejects.toMatchObject({ code: 'model-missing' });
    expect(await readdir(addOnDirectory)).toEqual([]);
  });

  it.each<[string, string, RequestListener]>([
    ['not found', 'install-failed', (_, response) => response.writeHead(404).end()],
    ['a redirect', 'install-failed', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    [
      'a page of HTML',
      'install-failed',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(),
    ],
    ['a broken connection', 'install-failed', (request) => request.socket.destroy()],
    ['no answer', 'install-failed', () => undefined],
    ['an endless answer', 'install-failed', (_, response) => endless(response)],
    [
      'other bytes of the right length',
      'model-mismatch',
      ({ url }, response) => response.end(Buffer.alloc(pinned.find(({ file }) => url?.endsWith(file))?.bytes ?? 0)),
    ],
  ])('refuses %s', async (_, code, listener) => {
    const from = await serve(listener);
    const addOnDirectory = await temporaryDirectory();
    await expect(installAddOn(name, { from, addOnDirectory, patience })).rejects.toMatchObject({ code });
    expect(await readdir(addOnDirectory)).toEqual([]);
  });

  it('refuses addresses with a password, and tells nobody', async () => {
    const options = { from: 'https://me:secret@127.0.0.1/', addOnDirectory: await temporaryDirectory() };
    await expect(installAddOn(name, options)).rejects.toThrow(/^(?!.*secret)/);
  });

  it('tells what serves where nothing can be fetched, and asks nobody where SVC_MODELS says no', async () => {
    const addOnDirectory = await temporaryDirectory();
    const none = { SVC_MODELS_FROM: 'http://127.0.0.1:65534' };
    const { isDone, lines } = await ensure(addOnDirectory, none);
    expect([isDone, lines.at(-1)]).toEqual([false, expect.stringContaining('the built-in engine is used')]);
    expect(lines.join()).toMatch(/recognition\): not installed: .*ECONNREFUSED/);
    const silent = { isDone: true, lines: [] };
    expect(await ensure(addOnDirectory, { ...none, SVC_MODELS: 'built-in' })).toEqual(silent);
    await expect(ensure(addOnDirectory, { SVC_MODELS: 'none' })).rejects.toThrow('recommended or built-in');
    expect(await readdir(addOnDirectory)).toEqual([]);
  });
});

const patience = { connectMs: 300, stallMs: 300, totalMs: 2_000 };

async function ensure(addOnDirectory: string, settings: Record<string, string>) {
  const lines: string[] = [];
  const isDone = await ensureRecommended({ settings, addOnDirectory, tell: (line) => lines.push(line) });
  return { isDone, lines };
}

describe('a fetched file', () => {
  const content = randomBytes(200_000);
  const digest = { algorithm: 'sha256', hex: createHash('sha256').update(content).digest('hex') } as const;
  const file: PinnedFile = { file: 'weights', url: '', bytes: content.length, digest };

  /** @param cut how many bytes of an answer come before the connection breaks, or the answer ends as if whole */
  async function mirror(cut: { bytes: number; isClean?: boolean }, knowsRanges = true) {
    const ranges: (string | undefined)[] = [];
    const url = await serve(({ headers: { range } }, response) => {
      ranges.push(range);
      const from = knowsRanges ? Number(/\d+/.exec(range ?? '')?.[0] ?? 0) : 0;
      const part = `bytes ${from}-${content.length - 1}/${content.length}`;
      response.writeHead(from > 0 ? 206 : 200, from > 0 ? { 'content-range': part } : {});
      const body = content.subarray(from, cut.bytes);
      if (cut.bytes >= content.length || cut.isClean) response.end(body);
      else response.write(body, () => setTimeout(() => response.destroy(), 200));
    });
    return { ranges, fetch: (folder: string) => fetchPinned(file, [`${url}/weights`], folder, patience) };
  }

  it.each([
    [true, true],
    [true, false],
    [false, false],
  ])('goes on where it was interrupted (server knows ranges: %s, ends answers early: %s)', async (knows, isClean) => {
    const folder = await temporaryDirectory();
    const cut = { bytes: 120_000, isClean };
    const { ranges, fetch } = await mirror(cut, knows);
    await expect(fetch(folder)).rejects.toMatchObject({ code: 'install-failed' });
    const [kept = ''] = await readdir(folder);
    expect((await readFile(join(folder, kept))).equals(content.subarray(0, 120_000))).toBe(true);
    cut.bytes = content.length;
    expect(content.equals(await fetch(folder))).toBe(true);
    expect(ranges).toEqual([undefined, 'bytes=120000-']);
    // Whole, until it is installed.
    expect(content.equals(await fetch(folder))).toBe(true);
    expect(ranges).toHaveLength(2);
    await forgetPartials([file], folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['a number', () => spawnSync(process.execPath, ['--version']).pid],
    ['this one’s number, as in a container', () => process.pid],
  ])('is fetched whole where the kept part, of a killed process with %s, is of another', async (_, pidOf) => {
    const folder = await temporaryDirectory();
    const part = (pid: number) => `${digest.hex.slice(0, 32)}.${pid}.x`;
    await writeFile(join(folder, part(pidOf())), randomBytes(1_000));
    await writeFile(join(folder, part(process.ppid)), randomBytes(2_000));
    const { ranges, fetch } = await mirror({ bytes: content.length });
    expect(content.equals(await fetch(folder))).toBe(true);
    expect(ranges).toEqual(['bytes=1000-', undefined]);
    expect(await readdir(folder)).toEqual(expect.arrayContaining([part(process.ppid), part(0).slice(0, -2)]));
  });

  it('comes to two at once, each with a part of its own', async () => {
    const folder = await temporaryDirectory();
    const cut = { bytes: 120_000 };
    const { ranges, fetch } = await mirror(cut);
    const first = expect(fetch(folder)).rejects.toMatchObject({ code: 'install-failed' });
    await expect.poll(() => readdir(folder), { interval: 5 }).toHaveLength(1);
    await expect.poll(() => ranges, { interval: 5 }).toHaveLength(1);
    cut.bytes = content.length;
    expect(content.equals(await fetch(folder))).toBe(true);
    expect(ranges).toEqual([undefined, undefined]);
    await first;
  });

  it.skipIf(!existsSync('/dev/full'))('is told of where the disk is full', async () => {
    const folder = await temporaryDirectory();
    await symlink('/dev/full', join(folder, `${digest.hex.slice(0, 32)}.0`));
    const { fetch } = await mirror({ bytes: content.length });
    await expect(fetch(folder)).rejects.toThrow('weights could not be fetched: the disk is full');
  });
});

function endless(response: Parameters<RequestListener>[1]): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more);
  more();
}
