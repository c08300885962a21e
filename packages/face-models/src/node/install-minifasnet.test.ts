import { createReadStream } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { minifasnetCalibration } from '../passive-calibration.ts';
import { passiveModelsIn } from '../passive-models.ts';
import { sharedData } from '../testing/shared-data.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { installMiniFasNet } from './install-minifasnet.ts';
import { openModelBundle } from './open-model-bundle.ts';

const published = sharedData('models', 'minifasnet');
if (published === null) process.stdout.write('skipped: no ../shared (installing MiniFASNet from upstream’s files)\n');

/** A loopback server in upstream's place. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(published === null)('installMiniFasNet with upstream’s files', () => {
  const from = published ?? '';

  it('compiles both models from a folder and keeps the licence beside them', async () => {
    const addOnDirectory = join(await temporaryDirectory(), 'not', 'yet', 'there');
    const installed = await installMiniFasNet({ from, addOnDirectory });
    expect(installed).toEqual({ directory: addOnDirectory, models: ['minifasnet-v2', 'minifasnet-v1se'] });
    expect(await readFile(join(addOnDirectory, 'LICENSE'))).toEqual(await readFile(join(from, 'LICENSE')));
    const bundle = await openModelBundle({ addOnDirectory });
    expect(bundle.manifest.passiveLiveness).toContainEqual(minifasnetCalibration);
    expect(passiveModelsIn(bundle.manifest)).toContain('minifasnet');
    for (const name of installed.models) {
      const { inputs, outputs, licence } = bundle.manifest.models[name] ?? {};
      expect(inputs).toEqual([{ name: 'crop', shape: [1, 80, 80, 3], type: 'float32', range: [0, 255] }]);
      expect(outputs).toEqual([{ name: 'class', shape: [1, 3], type: 'float32' }]);
      expect(licence).toBe('Apache-2.0');
      expect((await bundle.read(name)).length).toBeGreaterThan(1_500_000);
    }
  });

  it('installs the same again over itself', async () => {
    const addOnDirectory = await temporaryDirectory();
    await installMiniFasNet({ from, addOnDirectory });
    const before = (await readdir(addOnDirectory)).sort();
    await Promise.all([installMiniFasNet({ from, addOnDirectory }), installMiniFasNet({ from, addOnDirectory })]);
    expect((await readdir(addOnDirectory)).sort()).toEqual(before);
  });

  it('fetches the pinned paths', async () => {
    const asked: string[] = [];
    const mirror = await serve((request, response) => {
      asked.push(request.url ?? '');
      createReadStream(join(from, (request.url ?? '').split('/').pop() ?? '')).pipe(response);
    });
    const addOnDirectory = await temporaryDirectory();
    await installMiniFasNet({ mirror, addOnDirectory });
    expect(asked).toEqual([
      '/LICENSE',
      '/resources/anti_spoof_models/2.7_80x80_MiniFASNetV2.pth',
      '/resources/anti_spoof_models/4_0_0_80x80_MiniFASNetV1SE.pth',
    ]);
    expect((await openModelBundle({ addOnDirectory })).has('minifasnet-v1se')).toBe(true);
  });

  it('writes nothing when one file is another', async () => {
    const folder = await temporaryDirectory();
    const addOnDirectory = await temporaryDirectory();
    const [v2, v1se] = ['2.7_80x80_MiniFASNetV2.pth', '4_0_0_80x80_MiniFASNetV1SE.pth'] as const;
    await copyFile(join(from, 'LICENSE'), join(folder, 'LICENSE'));
    await copyFile(join(from, v2), join(folder, v2));
    const damaged = await readFile(join(from, v1se));
    damaged[900_000] = (damaged[900_000] ?? 0) ^ 1;
    await writeFile(join(folder, v1se), damaged);
    await expect(installMiniFasNet({ from: folder, addOnDirectory })).rejects.toMatchObject({ code: 'model-mismatch' });
    expect(await readdir(addOnDirectory)).toEqual([]);
  });

  it('tells when the folder cannot be written', async () => {
    const blocked = join(await temporaryDirectory(), 'file');
    await writeFile(blocked, '');
    await expect(installMiniFasNet({ from, addOnDirectory: blocked })).rejects.toMatchObject({
      code: 'install-failed',
    });
  });
});

describe('installMiniFasNet without them', () => {
  it('misses files in an empty folder', async () => {
    const [from, addOnDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
    await expect(installMiniFasNet({ from, addOnDirectory })).rejects.toMatchObject({ code: 'model-missing' });
    expect(await readdir(addOnDirectory)).toEqual([]);
  });

  it.each<[string, string, RequestListener]>([
    ['not found', 'install-failed', (_, response) => response.writeHead(404).end()],
    ['a redirect', 'install-failed', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['a broken connection', 'install-failed', (request) => request.socket.destroy()],
    ['an endless answer', 'install-failed', (_, response) => endless(response)],
    ['a short answer', 'model-mismatch', (_, response) => response.end('<html>')],
    ['other bytes of the right length', 'model-mismatch', (_, response) => response.end(Buffer.alloc(11_340))],
  ])('refuses %s', async (_, code, listener) => {
    const mirror = await serve(listener);
    const addOnDirectory = await temporaryDirectory();
    await expect(installMiniFasNet({ mirror, addOnDirectory })).rejects.toMatchObject({ code });
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
