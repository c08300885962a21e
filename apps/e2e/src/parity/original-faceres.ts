import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { io, loadGraphModel, ready, setBackend, type Tensor, tensor4d, tidy } from '@tensorflow/tfjs';
import '@tensorflow/tfjs-backend-wasm';
import type { OriginalEmbedding } from './original-embedding.ts';

const require = createRequire(import.meta.url);
/** Mean BGR that the network wants taken off. */
const meanBgr = [103.939, 116.779, 123.68] as const;

/**
 * Human's «faceres» as its files describe it, computed by TensorFlow.js: `Float32Array[224·224·3]` raw RGB → the 1024 numbers
 * before its dense layers.
 * @param backend `cpu` is plain JavaScript; `wasm` the same in a twentieth of the time
 */
export async function loadOriginalFaceRes(backend: 'cpu' | 'wasm'): Promise<OriginalEmbedding> {
  await setBackend(backend);
  await ready();
  const models = join(dirname(require.resolve('@vladmandic/human')), '..', 'models');
  const { modelTopology, weightsManifest, signature } = JSON.parse(
    await readFile(join(models, 'faceres.json'), 'utf8'),
  );
  const weightData = new Uint8Array(await readFile(join(models, 'faceres.bin'))).buffer;
  const [{ weights: weightSpecs }] = weightsManifest;
  const model = await loadGraphModel(io.fromMemory({ modelTopology, weightSpecs, weightData, signature }));
  return async (chip) => {
    const bgr = chip.map((_, i) => (chip[i + 2 - 2 * (i % 3)] ?? Number.NaN) - (meanBgr[i % 3] ?? Number.NaN));
    const output = tidy(() => model.execute(tensor4d(bgr, [1, 224, 224, 3]), 'global_pooling/Mean') as Tensor);
    const values = Float32Array.from(await output.data());
    output.dispose();
    return values;
  };
}
