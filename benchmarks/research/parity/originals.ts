import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput, type ModelBundle, type ModelName } from '@svc/face-models';
import { type IrGraph, readOpenVinoIr, readTorchCheckpoint } from '@svc/face-models/node';
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

export const checkpoints = {
  'minifasnet-v2': '2.7_80x80_MiniFASNetV2.pth',
  'minifasnet-v1se': '4_0_0_80x80_MiniFASNetV1SE.pth',
} as const;

/** The graph as published. @param folder of the add-on's files, as the authors lay them out */
export async function readRetail0095(folder: string): Promise<IrGraph> {
  const path = join(folder, 'FP16', 'face-reidentification-retail-0095');
  return readOpenVinoIr(await readFile(`${path}.xml`, 'utf8'), await readFile(`${path}.bin`));
}

type Outputs = readonly ArrayLike<number>[];

/** Outputs of the originals of a bundle's networks for its golden pictures. */
export async function originalOutputs(bundle: ModelBundle): Promise<ReadonlyMap<ModelName, Outputs>> {
  const outputs = new Map<ModelName, Outputs>();
  const runtime = await createTfjsTfliteNodeRuntime();
  const embed = await loadOriginalEmbedding('cpu');
  for (const entry of Object.values(bundle.manifest.models)) {
    const { name } = entry;
    const picture = goldenInput(entry);
    if (name === 'face-embedding') outputs.set(name, [await embed(picture)]);
    else if (name === 'face-reidentification-retail-0095') {
      outputs.set(name, [openVinoReference(await readRetail0095(sharedData('models', name) ?? ''), picture)]);
    } else if (name === 'minifasnet-v2' || name === 'minifasnet-v1se') {
      const checkpoint = await readFile(join(sharedData('models', 'minifasnet') ?? '', checkpoints[name]));
      outputs.set(name, [miniFasNetReference(readTorchCheckpoint(checkpoint), picture)]);
    } else {
      const published = await runtime.load(await bundle.read(name));
      published.input(0).set(picture);
      await published.run();
      outputs.set(
        name,
        published.outputs.map((_, i) => published.output(i).slice()),
      );
    }
  }
  runtime.dispose();
  return outputs;
}
