import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { networkReference } from '@svc/core/testing/peers';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import {
  digestOf,
  type GoldenValues,
  goldenInput,
  type ModelBundle,
  type ModelName,
  type TensorSpec,
} from '@svc/face-models';
import { type IrGraph, integerPlanOf, readOpenVinoIr, readTorchCheckpoint } from '@svc/face-models/node';
import { floatBundle } from '@svc/face-models/testing';
import { ready, setBackend } from '@tensorflow/tfjs';
import { sharedData } from '../../inputs/shared-data.ts';
import { miniFasNetReference } from './minifasnet-reference.ts';
import { openVinoReference } from './openvino-reference.ts';
import '@tensorflow/tfjs-backend-wasm';
import { FaceRecognitionNet, tf } from '@vladmandic/face-api/dist/face-api.node-wasm.js';

const require = createRequire(import.meta.url);
const model = '@vladmandic/face-api/model/face_recognition_model';

/** face-api's own embedding, computed by TensorFlow.js: `Float32Array[150·150·3]` raw RGB → `Float32Array[128]`. */
export type OriginalEmbedding = (chip: Float32Array) => Promise<Float32Array>;

/** @param backend `cpu` is plain JavaScript; `wasm` the same in a twentieth of the time */
export async function loadOriginalEmbedding(backend: 'cpu' | 'wasm'): Promise<OriginalEmbedding> {
  await setBackend(backend);
  await ready();
  const [group] = JSON.parse(await readFile(require.resolve(`${model}-weights_manifest.json`), 'utf8'));
  const shard = await readFile(require.resolve(`${model}.bin`));
  const net = new FaceRecognitionNet();
  net.loadFromWeightMap(tf.io.decodeWeights(new Uint8Array(shard).buffer, group.weights));
  return async (chip) => {
    const input = tf.tensor4d(chip, [1, 150, 150, 3]);
    const output = await net.forward(input);
    const values = Float32Array.from(await output.data());
    input.dispose();
    output.dispose();
    return values;
  };
}

type Recipe = Pick<GoldenValues, 'inputSeed' | 'faceHeight' | 'tolerance'>;

/**
 * The head as large as each model sees it at work; tolerances are several times what runtimes and processors differ by.
 */
const recipes: Readonly<Record<ModelName, Recipe>> = {
  'face-detection-short': { inputSeed: 1, faceHeight: 0.45, tolerance: 1e-3 },
  'face-detection-full': { inputSeed: 1, faceHeight: 0.25, tolerance: 1e-3 },
  'face-mesh': { inputSeed: 1, faceHeight: 0.65, tolerance: 1e-3 },
  'face-embedding': { inputSeed: 1, faceHeight: 0.9, tolerance: 1e-5 },
  'minifasnet-v2': { inputSeed: 5, faceHeight: 0.2, tolerance: 5e-5 },
  'minifasnet-v1se': { inputSeed: 8, faceHeight: 0.2, tolerance: 5e-5 },
  'face-reidentification-retail-0095': { inputSeed: 1, faceHeight: 0.9, tolerance: 1e-4 },
};

export const checkpoints = {
  'minifasnet-v2': '2.7_80x80_MiniFASNetV2.pth',
  'minifasnet-v1se': '4_0_0_80x80_MiniFASNetV1SE.pth',
} as const;

const miniFasNetInput: TensorSpec = { name: 'crop', shape: [1, 80, 80, 3], type: 'float32', range: [0, 255] };

const chipInput: TensorSpec = { name: 'chip', shape: [1, 128, 128, 3], type: 'float32', range: [0, 255] };

/** Results of the originals on the golden pictures; without those of add-ons whose published files are not at hand. */
export async function computeGoldens(): Promise<Partial<Record<ModelName, GoldenValues>>> {
  const goldens: Partial<Record<ModelName, GoldenValues>> = {};
  const bundle = await floatBundle(null);
  const runtime = await createTfjsTfliteNodeRuntime();
  for (const name of ['face-detection-short', 'face-detection-full', 'face-mesh'] as const) {
    const model = await runtime.load(await bundle.read(name));
    model.input(0).set(picture(name, baseInput(bundle, name), recipes[name]));
    await model.run();
    goldens[name] = golden(
      recipes[name],
      model.outputs.map((_, i) => model.output(i)),
    );
  }
  runtime.dispose();

  const original = await loadOriginalEmbedding('cpu');
  const chip = picture('face-embedding', baseInput(bundle, 'face-embedding'), recipes['face-embedding']);
  goldens['face-embedding'] = golden(recipes['face-embedding'], [await original(chip)]);

  const minifasnet = sharedData('models', 'minifasnet');
  if (minifasnet !== null) {
    for (const name of ['minifasnet-v2', 'minifasnet-v1se'] as const)
      goldens[name] = await miniFasNetGolden(minifasnet, name);
  }
  const retail0095 = sharedData('models', 'face-reidentification-retail-0095');
  if (retail0095 !== null) {
    const name = 'face-reidentification-retail-0095';
    const chip = picture(name, chipInput, recipes[name]);
    goldens[name] = golden(recipes[name], [openVinoReference(await readRetail0095(retail0095), chip)]);
  }
  return goldens;
}

/** The graph as published. @param folder of the add-on's files, as the authors lay them out */
export async function readRetail0095(folder: string): Promise<IrGraph> {
  const path = join(folder, 'FP16', 'face-reidentification-retail-0095');
  return readOpenVinoIr(await readFile(`${path}.xml`, 'utf8'), await readFile(`${path}.bin`));
}

async function miniFasNetGolden(folder: string, name: keyof typeof checkpoints): Promise<GoldenValues> {
  const state = readTorchCheckpoint(await readFile(join(folder, checkpoints[name])));
  const crop = picture(name, miniFasNetInput, recipes[name]);
  return golden(recipes[name], [miniFasNetReference(state, crop)]);
}

const picture = (name: ModelName, input: TensorSpec, recipe: Recipe): Float32Array =>
  goldenInput({ name, inputs: [input], golden: recipe });

function baseInput(bundle: ModelBundle, name: ModelName): TensorSpec {
  const input = bundle.manifest.models[name]?.inputs[0];
  if (input === undefined) throw new Error('the bundle lacks a model');
  return input;
}

/** Digests of what integer networks answer to the golden pictures, by their definition. */
export async function computeDigests(): Promise<Partial<Record<ModelName, string>>> {
  const bundle = await floatBundle(sharedData('models'));
  const digests: Partial<Record<ModelName, string>> = {};
  for (const { name, inputs } of Object.values(bundle.manifest.models)) {
    const plan = integerPlanOf(name, await bundle.read(name));
    if (plan === null) throw new TypeError(`no calibration of ${name}: run record-ranges`);
    const [input] = inputs;
    digests[name] = await digestOf(networkReference(plan, picture(name, input ?? chipInput, recipes[name])));
  }
  return digests;
}

/** Some of an output, all over it, and those of the anchor that is surest of a face. */
function golden(recipe: Recipe, outputs: readonly ArrayLike<number>[]): GoldenValues {
  const scores = outputs[1] ?? [];
  const best = scores.length > 1 ? Array.from(scores).indexOf(Math.max(...Array.from(scores))) : null;
  return {
    ...recipe,
    outputs: outputs.map((output, index) => {
      const spread = Math.min(output.length, 6);
      const positions = new Set(
        Array.from({ length: spread }, (_, i) => Math.floor(((i + 0.5) * output.length) / spread)),
      );
      if (best !== null) {
        const width = output.length / scores.length;
        for (let i = 0; i < width; i++) positions.add(best * width + i);
      }
      const sorted = [...positions].sort((a, b) => a - b);
      return {
        index,
        length: output.length,
        positions: sorted,
        values: sorted.map((p) => rounded(output[p])),
      };
    }),
  };
}

/** A 32-bit float holds seven digits. */
const rounded = (value = Number.NaN): number => Number(value.toPrecision(7));
