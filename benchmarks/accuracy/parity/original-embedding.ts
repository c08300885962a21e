import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ready, setBackend } from '@tensorflow/tfjs';
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
