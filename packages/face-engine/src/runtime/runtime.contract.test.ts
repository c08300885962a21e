import { type CoreKind, loadCore } from '@svc/core';
import { goldenInput, type ModelBundle, type ModelEntry } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTfjsTfliteNodeRuntime } from '../node.ts';
import { createCoreRuntime } from './core-runtime.ts';
import type { NetworkModel, NetworkRuntime } from './port.ts';

const combined = async (kind: CoreKind): Promise<NetworkRuntime> =>
  createCoreRuntime(await loadCore({ kind }), () => createTfjsTfliteNodeRuntime(kind));

const runtimes: Readonly<Record<string, () => Promise<NetworkRuntime>>> = {
  core: () => combined('simd'),
  'core without SIMD': () => combined('scalar'),
  'tfjs-tflite': () => createTfjsTfliteNodeRuntime('simd'),
};

let bundle: ModelBundle;
let entries: ModelEntry[];

beforeAll(async () => {
  bundle = await openModelBundle({ addOnDirectory: null });
  entries = Object.values(bundle.manifest.models);
});

async function outputsOf(model: NetworkModel, entry: ModelEntry): Promise<Float32Array[]> {
  model.input(0).set(goldenInput(entry));
  await model.run();
  return model.outputs.map((_, i) => model.output(i).slice());
}

describe.each(Object.entries(runtimes))('%s', (name, create) => {
  let runtime: NetworkRuntime;
  beforeAll(async () => {
    runtime = await create();
  });
  afterAll(() => runtime.dispose());

  it('has the shapes and the golden outputs of every model, with all of them loaded and run in any order', async () => {
    expect(runtime.name).toBe(name.replace(' without SIMD', ''));
    const loaded = [];
    for (const entry of entries) {
      const model = await runtime.load(await bundle.read(entry.name));
      expect(model.inputs.map(({ shape }) => [...shape])).toEqual(entry.inputs.map(({ shape }) => [...shape]));
      expect(model.outputs.map(({ shape }) => [...shape])).toEqual(entry.outputs.map(({ shape }) => [...shape]));
      loaded.push({ entry, model });
    }
    for (const { entry, model } of [...loaded, ...loaded.reverse()]) {
      const outputs = await outputsOf(model, entry);
      for (const { index, positions, values } of entry.golden.outputs) {
        positions.forEach((position, i) => {
          expect(Math.abs((outputs[index]?.[position] ?? Number.NaN) - (values[i] ?? Number.NaN))).toBeLessThanOrEqual(
            entry.golden.tolerance,
          );
        });
      }
    }
    for (const { model } of loaded) model.dispose();
  });

  it('gives the same bits for the same input in every run, and renews its views', async () => {
    const entry = entries.find((e) => e.name === 'face-mesh');
    if (entry === undefined) throw new Error('no mesh in the bundle');
    const model = await runtime.load(await bundle.read('face-mesh'));
    const first = await outputsOf(model, entry);
    // Another model may grow the memory and detach every view of this one.
    const other = await runtime.load(await bundle.read('face-embedding'));
    expect(await outputsOf(model, entry)).toEqual(first);
    model.dispose();
    other.dispose();
  });

  it('refuses bytes that are no model, and serves on afterwards', async () => {
    for (const bytes of [new Uint8Array(0), Uint8Array.of(1, 2, 3), new Uint8Array(1000)]) {
      await expect(runtime.load(bytes)).rejects.toMatchObject({ code: 'runtime-failed' });
    }
    const model = await runtime.load(await bundle.read('face-detection-short'));
    await model.run();
    model.dispose();
  });

  it('answers runtime-failed for a tensor that is not there and after disposal, which may come twice', async () => {
    const model = await runtime.load(await bundle.read('face-detection-short'));
    expect(() => model.input(1)).toThrowError(expect.objectContaining({ code: 'runtime-failed' }));
    expect(() => model.output(9)).toThrowError(expect.objectContaining({ code: 'runtime-failed' }));
    model.dispose();
    model.dispose();
    await expect(model.run()).rejects.toMatchObject({ code: 'runtime-failed' });
    expect(() => model.input(0)).toThrowError(expect.objectContaining({ code: 'runtime-failed' }));
  });

  it('disposes its models with it and loads none afterwards', async () => {
    const own = await create();
    const model = await own.load(await bundle.read('face-detection-short'));
    own.dispose();
    own.dispose();
    await expect(model.run()).rejects.toMatchObject({ code: 'runtime-failed' });
    await expect(own.load(await bundle.read('face-detection-short'))).rejects.toMatchObject({ code: 'runtime-failed' });
  });

  it('holds its memory over a hundred runs', async () => {
    const model = await runtime.load(await bundle.read('face-detection-short'));
    for (let i = 0; i < 20; i++) await model.run();
    const before = model.input(0).buffer.byteLength;
    for (let i = 0; i < 100; i++) await model.run();
    expect(model.input(0).buffer.byteLength).toBe(before);
    model.dispose();
  });

  it('puts nothing on the global object', async () => {
    const before = Object.getOwnPropertyNames(globalThis);
    const own = await create();
    own.dispose();
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(before);
  });
});

describe('the runtimes', () => {
  it('give the same bits with SIMD and without', async () => {
    const [fast, plain] = await Promise.all([combined('simd'), combined('scalar')]);
    for (const entry of entries) {
      const bytes = await bundle.read(entry.name);
      const expected = await outputsOf(await fast.load(bytes), entry);
      const outputs = await outputsOf(await plain.load(bytes), entry);
      const isSame = outputs.every((output, i) => output.every((value, k) => Object.is(value, expected[i]?.[k])));
      expect(isSame, entry.name).toBe(true);
    }
    for (const runtime of [fast, plain]) runtime.dispose();
  });
});
