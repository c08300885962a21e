import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadCore } from '@svc/core';
import {
  createCoreRuntime,
  createFaceEngine,
  type FaceEngine,
  type NetworkModel,
  type NetworkRuntime,
} from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { type GoldenOutput, goldenInput, type ModelBundle, type ModelName } from '@svc/face-models';
import { readTorchCheckpoint } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { floatNetworks } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { chipsOf, Deviation, deviationsOf, portraits, type RecordedRun, recordRuns } from './embedded-chips.ts';
import { checkpoints, computeGoldens, loadOriginalEmbedding, readRetail0095 } from './goldens.ts';
import { miniFasNetReference } from './minifasnet-reference.ts';
import { openVinoReference } from './openvino-reference.ts';

/** `SVC_TEST_ALL=1` compares everything that docs/models.md reports; otherwise the golden outputs alone. */
const isWhole = process.env.SVC_TEST_ALL === '1';
const published = sharedData('models');
if (published === null) console.log('skipped: no ../shared (golden outputs and parity of add-ons)');
const faces = sharedData('data', 'faces');
if (faces === null) console.log('skipped: no ../shared (embeddings of real faces)');

/** In floats: `npm run evaluate:integers` tells how far the integers made of them are. */
let bundle: ModelBundle;
beforeAll(async () => {
  bundle = await floatNetworks();
});

const entryOf = (name: ModelName) => bundle.manifest.models[name] ?? expect.unreachable();

async function outputsOf(runtime: NetworkRuntime, name: ModelName, input: Float32Array): Promise<NetworkModel> {
  const model = await runtime.load(await bundle.read(name));
  model.input(0).set(input);
  await model.run();
  return model;
}

describe('golden outputs', () => {
  it('equal those of the originals', async () => {
    const originals = await computeGoldens();
    const shapeOf = (golden: GoldenOutput | undefined): unknown =>
      golden?.outputs.map(({ index, length, positions }) => ({ index, length, positions }));
    const entries = Object.values(bundle.manifest.models);
    expect(entries.map(({ name }) => name).sort()).toEqual(Object.keys(originals).sort());
    for (const { name, golden } of entries) {
      const original = originals[name];
      expect(shapeOf(original)).toEqual(shapeOf(golden));
      const deviation = new Deviation();
      golden.outputs.forEach(({ values }, i) => {
        deviation.add(original?.outputs[i]?.values ?? [], values);
      });
      expect(deviation.absolute).toBeLessThanOrEqual(golden.tolerance / 5);
    }
  });

  it.each<[string, () => Promise<NetworkRuntime>]>([
    ['tfjs-tflite', createTfjsTfliteNodeRuntime],
    ['the core’s kernels', async () => createCoreRuntime(await loadCore(), createTfjsTfliteNodeRuntime)],
  ])('are reproduced by %s with room to spare', async (title, create) => {
    const runtime = await create();
    for (const { name, golden, ...entry } of Object.values(bundle.manifest.models)) {
      const model = await outputsOf(runtime, name, goldenInput({ ...entry, name, golden }));
      const deviation = new Deviation();
      for (const { index, length, positions, values } of golden.outputs) {
        const output = model.output(index);
        expect(output.length).toBe(length);
        deviation.add(
          positions.map((position) => output[position] ?? Number.NaN),
          values,
        );
      }
      deviation.report(`${name}, golden outputs, ${title}`);
      expect(deviation.absolute).toBeLessThanOrEqual(golden.tolerance / 5);
    }
    runtime.dispose();
  });

  it('detect another model', async () => {
    const runtime = await createTfjsTfliteNodeRuntime();
    const { golden, ...entry } = entryOf('face-embedding');
    const other = goldenInput({ ...entry, golden: { ...golden, inputSeed: 2 } });
    const deviation = new Deviation();
    deviation.add((await outputsOf(runtime, 'face-embedding', other)).output(0), golden.outputs[0]?.values ?? []);
    expect(deviation.absolute).toBeGreaterThan(1000 * golden.tolerance);
    runtime.dispose();
  });
});

/** Made unit vectors, like templates. */
function unit(values: ArrayLike<number>): Float64Array {
  const length = Math.hypot(...Array.from(values));
  return Float64Array.from(values, (value) => value / length);
}

const retail0095 = 'face-reidentification-retail-0095';
const hasRetail = published !== null && sharedData('models', retail0095) !== null;

/** The embeddings, with the originals: face-api on TensorFlow.js, and a forward pass in 64-bit floats. */
const embeddings = [
  {
    model: 'face-embedding',
    engineId: 'dlib-resnet-128-mirror/2',
    side: 150,
    openOriginal: () => loadOriginalEmbedding('wasm'),
    normalise: (values: ArrayLike<number>) => values,
    most: 1e-5,
    heads: Array.from({ length: 8 }, (_, i) => [-15, 10].map((yawDeg) => ({ seed: i + 1, yawDeg }))),
  },
  {
    model: retail0095,
    engineId: 'retail-0095-mirror/4',
    side: 128,
    async openOriginal() {
      const graph = await readRetail0095(sharedData('models', retail0095) ?? '');
      return (chip: Float32Array) => openVinoReference(graph, chip);
    },
    normalise: unit,
    most: 1e-4,
    heads: Array.from({ length: 16 }, (_, i) => [{ seed: i + 1, yawDeg: i % 2 === 0 ? 10 : -15 }]),
  },
] as const;

const PORTRAITS = 50;

describe.skipIf(!isWhole).each(embeddings)(
  '$model against its original',
  ({ model, engineId, side, most, ...network }) => {
    const isMissing = model === retail0095 && !hasRetail;
    let engine: FaceEngine;
    let runs: RecordedRun[];
    let original: (chip: Float32Array) => ArrayLike<number> | Promise<ArrayLike<number>>;
    const models = new Map<string, NetworkModel>();
    const runtimes: NetworkRuntime[] = [];

    beforeAll(async () => {
      if (isMissing) return;
      original = await network.openOriginal();
      const core = await loadCore();
      const recorder = recordRuns(await createTfjsTfliteNodeRuntime(), [1, side, side, 3]);
      engine = await createFaceEngine({ core, runtime: recorder.runtime, bundle, engineId });
      runs = recorder.runs;
      const combined = createCoreRuntime(core);
      runtimes.push(recorder.runtime, combined);
      models.set('the core’s kernels', await combined.load(await bundle.read(model)));
    });
    afterAll(() => {
      engine?.dispose();
      for (const runtime of runtimes) runtime.dispose();
    });

    async function compare(what: string, chips: readonly RecordedRun[]): Promise<void> {
      const comparison = { original, recorded: 'tfjs-tflite', models, normalise: network.normalise };
      for (const deviation of await deviationsOf(`${model}, ${what}`, chips, comparison)) {
        expect(deviation.comparisons).toBe(chips.length);
        expect(deviation.absolute).toBeLessThanOrEqual(most);
        expect(deviation.cosine).toBeGreaterThanOrEqual(0.99999);
      }
    }

    it.skipIf(isMissing)('agrees on rendered faces', { timeout: 600_000 }, async () => {
      const heads = network.heads.flat().map((head) => renderHead({ ...head, width: 480, height: 480 }));
      const chips = await chipsOf(engine, runs, heads);
      expect(chips.length).toBeGreaterThanOrEqual(1.5 * heads.length);
      await compare('rendered faces', chips);
    });

    it.skipIf(isMissing || faces === null)('agrees on real faces', { timeout: 600_000 }, async () => {
      const chips = await chipsOf(engine, runs, portraits(faces ?? '', PORTRAITS));
      expect(chips.length).toBeGreaterThanOrEqual(1.8 * PORTRAITS);
      await compare('real faces', chips);
    });
  },
);

const minifasnet = sharedData('models', 'minifasnet');

it.skipIf(minifasnet === null || !isWhole).each(['minifasnet-v2', 'minifasnet-v1se'] as const)(
  '%s computes what the published network does',
  { timeout: 180_000 },
  async (name) => {
    const state = readTorchCheckpoint(await readFile(join(minifasnet ?? '', checkpoints[name])));
    const { golden, ...entry } = entryOf(name);
    const runtime = await createTfjsTfliteNodeRuntime();
    const deviation = new Deviation();
    for (const [inputSeed, faceHeight] of [0.2, 0.4, 0.6, 1].entries()) {
      const input = goldenInput({ ...entry, golden: { ...golden, inputSeed, faceHeight } });
      deviation.add((await outputsOf(runtime, name, input)).output(0), miniFasNetReference(state, input));
    }
    runtime.dispose();
    deviation.report(`${name}, drawn heads, against 64-bit floats`);
    expect(deviation.absolute).toBeLessThanOrEqual(1e-5);
  },
);
