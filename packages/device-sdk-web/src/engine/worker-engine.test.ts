import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineIds } from '@svc/face-models';
import { installAddOn } from '@svc/face-models/node';
import { sharedData, temporaryDirectory } from '@svc/face-models/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AssetManifest, buildDeviceAssets, parsePassiveModel } from '../assets/index.ts';
import { inChromium } from '../testing/in-chromium.ts';
import { deviceAssets, startAdapterSite } from '../testing/test-site.ts';

const pathsOf = ({ files }: AssetManifest, wanted: 'simd' | 'scalar') =>
  files.filter(({ kind }) => kind === wanted).map(({ path }) => path);

describe('the assets folder', () => {
  it('is named file by file in its manifest, the worker with a policy of its own', async () => {
    const directory = await temporaryDirectory();
    const manifest = await buildDeviceAssets({ directory, passiveModel: null });
    expect(JSON.parse(await readFile(join(directory, 'assets.json'), 'utf8'))).toEqual(manifest);
    expect(manifest.passiveModel).toBeNull();
    const everywhere = 'dlib-resnet-128-mirror/2';
    expect(manifest.engineIds).toContain(everywhere);
    expect(manifest.files.filter(({ path }) => /passive|minifasnet/.test(path))).toEqual([]);
    for (const { path, bytes } of manifest.files) expect(await readFile(join(directory, path))).toHaveLength(bytes);
    const compiling = manifest.files.filter(({ headers }) =>
      headers['content-security-policy']?.includes("script-src 'self' 'wasm-unsafe-eval';"),
    );
    expect(compiling.map(({ path }) => path)).toEqual(['engine-worker.js']);
    expect(pathsOf(manifest, 'simd')).toEqual(['engine-core-simd.js']);
    expect(pathsOf(manifest, 'scalar')).toEqual(['engine-core-scalar.js']);
    expect(await buildDeviceAssets({ directory, passiveModel: null })).toEqual(manifest);
    const without = await buildDeviceAssets({ directory, addOnDirectory: null });
    expect(without.engineIds).toEqual([everywhere]);
    expect(without.notInstalled).toEqual([...engineIds.filter((id) => id !== everywhere), 'minifasnet']);
    expect(await buildDeviceAssets({ directory, addOnDirectory: null, engineIds: [everywhere] })).toEqual(without);
    const unknown = buildDeviceAssets({ directory, engineIds: ['retail-0095-mirror/4'], addOnDirectory: null });
    await expect(unknown).rejects.toMatchObject({ code: 'model-missing' });
  });
});

describe('a passive model named by a setting', () => {
  it('is a known one, or none', () => {
    expect(['minifasnet', 'none'].map(parsePassiveModel)).toEqual(['minifasnet', null]);
    const invalid = expect.objectContaining({ code: 'configuration-invalid' });
    for (const text of ['', 'None', 'minifasnet-v2']) expect(() => parsePassiveModel(text)).toThrow(invalid);
  });

  it('is not skipped silently if it is missing', async () => {
    const directory = await temporaryDirectory();
    const building = buildDeviceAssets({ directory, addOnDirectory: null, passiveModel: 'minifasnet' });
    await expect(building).rejects.toMatchObject({ code: 'model-missing' });
  });
});

const published = sharedData('models');
if (published === null) process.stdout.write('skipped: no ../shared (the passive check in a worker)\n');
const passiveModel = published === null ? null : 'minifasnet';

let directory: string;
let manifest: AssetManifest;

async function start() {
  directory = await mkdtemp(join(tmpdir(), 'svc-assets-'));
  const addOnDirectory = published === null ? null : join(directory, 'add-ons');
  if (published !== null) await installAddOn('minifasnet', { from: published, addOnDirectory: addOnDirectory ?? '' });
  manifest = await buildDeviceAssets({ directory, addOnDirectory, passiveModel });
  return startAdapterSite(deviceAssets({ directory, manifest }));
}

inChromium(
  'the engine’s worker in Chromium',
  (stage) => {
    let page: Page;
    beforeAll(async () => {
      page = await stage.open();
    });
    afterAll(() => rm(directory, { recursive: true, force: true }));

    it('starts, looks at a frame, and leaves the frame as it was', async () => {
      const found = await page.evaluate(async () => {
        const { engine, passiveLiveness, dispose } = await svcPage.createWorkerEngine({
          assetsUrl: 'assets',
          passive: true,
        });
        const data = new Uint8Array(320 * 240 * 4).fill(127);
        const image = engine.open({ data, width: 320, height: 240, channels: 4 });
        const faces = (await engine.detect(image)).length;
        image.dispose();
        const enrolled = await engine.enrol({ data, width: 320, height: 240, channels: 4 });
        const { engineId } = engine;
        const engineIds = engine.recipes.map((recipe) => recipe.engineId);
        const prepared = [
          await svcPage.codeOf(() => engine.prepare(engineIds)),
          await svcPage.codeOf(() => engine.prepare(['unknown/1'])),
        ];
        dispose();
        const passive = passiveLiveness?.name ?? null;
        return { engineId, engineIds, prepared, passive, faces, enrolled, untouched: data.every((v) => v === 127) };
      });
      expect(found).toEqual({
        engineId: manifest.engineIds[0],
        engineIds: manifest.engineIds,
        prepared: [null, 'model-missing'],
        passive: passiveModel,
        faces: 0,
        enrolled: { ok: false, reason: 'no-face' },
        untouched: true,
      });
    });

    it('fails pending calls when it crashes, and is replaced', async () => {
      const codes = await page.evaluate(async () => {
        const workers = svcPage.recordWorkers();
        const { engine, dispose } = await svcPage.createWorkerEngine({ assetsUrl: 'assets/', passive: true });
        const frame = { data: new Uint8Array(64 * 64 * 4), width: 64, height: 64, channels: 4 } as const;
        const image = engine.open(frame);
        const waiting = svcPage.codeOf(() => engine.detect(image));
        workers[0]?.dispatchEvent(new ErrorEvent('error', { cancelable: true }));
        const crashed = await waiting;
        const afterwards = await svcPage.codeOf(() => engine.detect(image));
        const again = engine.open(frame);
        const next = await svcPage.codeOf(() => engine.detect(again));
        dispose();
        const disposed = await svcPage.codeOf(async () => engine.open(frame));
        return { crashed, afterwards, next, disposed, workers: workers.length };
      });
      expect(codes).toEqual({
        crashed: 'runtime-failed',
        afterwards: 'runtime-failed',
        next: null,
        disposed: 'runtime-failed',
        workers: 2,
      });
    });

    it.skipIf(published === null)('is not replaced by one with another calibration', async () => {
      const path = join(directory, 'models', 'manifest.json');
      const text = await readFile(path, 'utf8');
      const { passiveLiveness } = JSON.parse(text);
      passiveLiveness.id += '-next';
      const updated = JSON.stringify({ ...JSON.parse(text), passiveLiveness });
      await page.exposeFunction('updateAssets', () => writeFile(path, updated));
      const codes = await page.evaluate(async () => {
        const { updateAssets } = globalThis as unknown as { updateAssets(): Promise<void> };
        const workers = svcPage.recordWorkers();
        const { engine, dispose } = await svcPage.createWorkerEngine({ assetsUrl: 'assets/', passive: true });
        await updateAssets();
        workers[0]?.dispatchEvent(new ErrorEvent('error', { cancelable: true }));
        const frame = { data: new Uint8Array(64 * 64 * 4), width: 64, height: 64, channels: 4 } as const;
        const next = await svcPage.codeOf(async () => engine.detect(engine.open(frame)));
        const later = await svcPage.codeOf(async () => engine.open(frame));
        dispose();
        return { next, later };
      });
      await writeFile(path, text);
      expect(codes).toEqual({ next: 'runtime-failed', later: 'runtime-failed' });
    });

    it('refuses invalid frames, and images of other engines', async () => {
      const codes = await page.evaluate(async () => {
        const { engine, dispose } = await svcPage.createWorkerEngine({ assetsUrl: 'assets/', passive: false });
        const codes = [
          await svcPage.codeOf(async () => engine.open({ data: new Uint8Array(10), width: 2, height: 2, channels: 3 })),
          await svcPage.codeOf(() => engine.detect({ width: 1, height: 1, dispose: () => undefined })),
        ];
        dispose();
        return codes;
      });
      expect(codes).toEqual(['image-invalid', 'invalid-argument']);
    });
  },
  { start },
);
