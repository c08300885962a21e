import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineOf } from '../engine-spec.ts';
import { modelFiles } from '../model-bundle.ts';
import { minifasnetCalibration, passiveModelIn } from '../passive-model.ts';
import { floatBundle } from '../testing/float-bundle.ts';
import { sharedData, temporaryDirectory } from '../testing/folders.ts';
import { addOnNames } from '../types.ts';
import { addOnOf, addOns, installAddOn } from './install-add-on.ts';
import { openModelBundle } from './open-model-bundle.ts';

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

/** Path of a published file anywhere below the add-on's folder. */
async function publishedFile(file: string): Promise<string> {
  const folder = join(published ?? '', name);
  const found = (await readdir(folder, { recursive: true })).find((path) => basename(path) === file);
  return join(folder, found ?? file);
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

  it('fetches the pinned files', async () => {
    const asked: string[] = [];
    const mirror = await serve((request, response) => {
      const file = (request.url ?? '').slice(1);
      asked.push(file);
      void publishedFile(file).then((path) => createReadStream(path).pipe(response));
    });
    const addOnDirectory = await temporaryDirectory();
    const { models } = await installAddOn(name, { mirror, addOnDirectory });
    expect(asked).toEqual(pinned.map(({ file }) => file));
    expect((await openModelBundle({ addOnDirectory })).has(models[0] ?? 'face-mesh')).toBe(true);
  });

  it('writes nothing when one file is another', async () => {
    const folder = await temporaryDirectory();
    const addOnDirectory = await temporaryDirectory();
    for (const { file } of pinned) await copyFile(await publishedFile(file), join(folder, file));
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
    ['a broken connection', 'install-failed', (request) => request.socket.destroy()],
    ['an endless answer', 'install-failed', (_, response) => endless(response)],
    ['a short answer', 'model-mismatch', (_, response) => response.end('<html>')],
    [
      'other bytes of the right length',
      'model-mismatch',
      (_, response) => response.end(Buffer.alloc(addOnOf(name).licenceFile.bytes)),
    ],
  ])('refuses %s', async (_, code, listener) => {
    const mirror = await serve(listener);
    const addOnDirectory = await temporaryDirectory();
    await expect(installAddOn(name, { mirror, addOnDirectory })).rejects.toMatchObject({ code });
    expect(await readdir(addOnDirectory)).toEqual([]);
  });
});

function endless(response: Parameters<RequestListener>[1]): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more);
  more();
}
