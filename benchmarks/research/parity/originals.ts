import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { NetworkRuntime } from '@svc/face-engine';
import type { ModelBundle, ModelName } from '@svc/face-models';
import { readOpenVinoIr, readTorchCheckpoint } from '@svc/face-models/node';
import { ready, setBackend } from '@tensorflow/tfjs';
import { sharedData } from '../../inputs/shared-data.ts';
import { miniFasNetReference } from './minifasnet-reference.ts';
import { openVinoReference } from './openvino-reference.ts';
import '@tensorflow/tfjs-backend-wasm';
import { FaceRecognitionNet, tf } from '@vladmandic/face-api/dist/face-api.node-wasm.js';

const require = createRequire(import.meta.url);
const model = '@vladmandic/face-api/model/face_recognition_model';

const checkpoints = {
  'minifasnet-v2': '2.7_80x80_MiniFASNetV2.pth',
  'minifasnet-v1se': '4_0_0_80x80_MiniFASNetV1SE.pth',
} as const;

/** Outputs for an input as the network of the bundle takes it. */
export type Original = (input: Float32Array) => Promise<readonly ArrayLike<number>[]>;

/**
 * The original of a network: face-api's own on TensorFlow.js, forward passes in 64-bit floats of the published weights of
 * add-ons, and for detectors and mesh their published files in `runtime`.
 */
export async function openOriginal(bundle: ModelBundle, name: ModelName, runtime: NetworkRuntime): Promise<Original> {
  if (name === 'face-embedding') return openEmbedding();
  if (name === 'face-reidentification-retail-0095') {
    const path = join(sharedData('models', name) ?? '', 'FP16', name);
    const graph = readOpenVinoIr(await readFile(`${path}.xml`, 'utf8'), await readFile(`${path}.bin`));
    return async (input) => [openVinoReference(graph, input)];
  }
  if (name === 'minifasnet-v2' || name === 'minifasnet-v1se') {
    const state = readTorchCheckpoint(
      await readFile(join(sharedData('models', 'minifasnet') ?? '', checkpoints[name])),
    );
    return async (input) => [miniFasNetReference(state, input)];
  }
  const published = await runtime.load(await bundle.read(name));
  return async (input) => {
    published.input(0).set(input);
    await published.run();
    return published.outputs.map((_, i) => published.output(i).slice());
  };
}

async function openEmbedding(): Promise<Original> {
  await setBackend('wasm');
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
    return [values];
  };
}
