import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type CoreKind, loadCore } from '@svc/core';
import { goldenInput, isGolden, type ModelBundle, type ModelEntry } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { floatBundle, GraphBuilder } from '@svc/face-models/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTfjsTfliteNodeRuntime } from '../node/tfjs-tflite.ts';
import { createCoreRuntime } from './core-runtime.ts';
import type { NetworkModel, NetworkRuntime } from './port.ts';

const coreOf = async (kind: CoreKind): Promise<NetworkRuntime> => createCoreRuntime(await loadCore({ kind }));

const runtimes: readonly (readonly [
  title: string,
  create: () => Promise<NetworkRuntime>,
  open: () => Promise<ModelBundle>,
])[] = [
  ['core', () => coreOf('simd'), () => openModelBundle({ addOnDirectory: null })],
  ['core without SIMD', () => coreOf('scalar'), () => openModelBundle({ addOnDirectory: null })],
  ['tfjs-tflite', () => createTfjsTfliteNodeRuntime('simd'), () => floatBundle(null)],
];

async function outputsOf(model: NetworkModel, entry: ModelEntry): Promise<Float32Array[]> {
  model.input(0).set(goldenInput(entry));
  await model.run();
  return model.outputs.map((_, i) => model.output(i).slice());
}

describe.each(runtimes)('%s', (name, create, open) => {
  let runtime: NetworkRuntime;
  let bundle: ModelBundle;
  let entries: readonly ModelEntry[];
  beforeAll(async () => {
    runtime = await create();
    bundle = await open();
    entries = Object.values(bundle.manifest.models);
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
    const first = new Map<ModelEntry, Float32Array[]>();
    for (const { entry, model } of [...loaded, ...loaded.reverse()]) {
      const outputs = await outputsOf(model, entry);
      expect(await isGolden(entry.golden, outputs), entry.name).toBe(true);
      expect(outputs).toEqual(first.get(entry) ?? outputs);
      first.set(entry, outputs);
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
    const bytes = await bundle.read('face-detection-short');
    const model = await own.load(bytes);
    const late = own.load(bytes);
    own.dispose();
    own.dispose();
    await expect(late).rejects.toMatchObject({ code: 'runtime-failed' });
    await expect(model.run()).rejects.toMatchObject({ code: 'runtime-failed' });
    await expect(own.load(bytes)).rejects.toMatchObject({ code: 'runtime-failed' });
  });
});

describe('the core', () => {
  it('wipes input and output with the model', async () => {
    const runtime = createCoreRuntime(await loadCore());
    const bundle = await openModelBundle({ addOnDirectory: null });
    const model = await runtime.load(await bundle.read('face-embedding'));
    const input = model.input(0).fill(99);
    await model.run();
    const output = model.output(0);
    expect(output.some((value) => value !== 0)).toBe(true);
    model.dispose();
    expect([...input, ...output].every((value) => value === 0)).toBe(true);
    runtime.dispose();
  });

  it('keeps the weights in wasm memory alone', async () => {
    const runtime = createCoreRuntime(await loadCore());
    const bytes = await (await openModelBundle({ addOnDirectory: null })).read('face-embedding');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const arrays = () => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    // From here on wasm memory is large enough.
    (await runtime.load(bytes)).dispose();
    const before = arrays();
    const model = await runtime.load(bytes);
    // Buffers are freed beside the collection.
    await expect.poll(() => arrays() - before).toBeLessThan(2 ** 20);
    model.dispose();
    runtime.dispose();
  });
});

describe('a network that the core does not run', () => {
  const graph = new GraphBuilder();
  const [a, b] = [graph.input('a', [1, 4]), graph.input('b', [1, 4])];
  const twoInputs = graph.build([graph.add(a, b, 'sum')], 'a sum of two inputs');

  it('runs on the fallback, which is made for the first one', async () => {
    const create = vi.fn(() => createTfjsTfliteNodeRuntime());
    const runtime = createCoreRuntime(await loadCore(), create);
    const bundle = await openModelBundle({ addOnDirectory: null });
    await runtime.load(await bundle.read('face-detection-short'));
    await expect(runtime.load(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'runtime-failed' });
    expect(create).not.toHaveBeenCalled();
    const [model] = [await runtime.load(twoInputs), await runtime.load(twoInputs)];
    model.input(0).set([1, 2, 3, 4]);
    model.input(1).set([10, 20, 30, 40]);
    await model.run();
    expect([...model.output(0)]).toEqual([11, 22, 33, 44]);
    expect(create).toHaveBeenCalledTimes(1);
    runtime.dispose();
    await expect(model.run()).rejects.toMatchObject({ code: 'runtime-failed' });
  });

  it('is refused without a fallback, and with the name of the package that is missing for it', async () => {
    const core = await loadCore();
    await expect(createCoreRuntime(core).load(twoInputs)).rejects.toMatchObject({ code: 'runtime-failed' });
    vi.doMock('node:module', () => ({ createRequire: () => ({ resolve: () => expect.fail('not installed') }) }));
    vi.resetModules();
    const { createTfjsTfliteNodeRuntime: missing } = await import('../node/tfjs-tflite.ts');
    const runtime = createCoreRuntime(core, missing);
    const refused = { code: 'runtime-failed', message: expect.stringContaining('@tensorflow/tfjs-tflite') };
    await expect(runtime.load(twoInputs)).rejects.toMatchObject(refused);
    runtime.dispose();
    vi.doUnmock('node:module');
  });
});
