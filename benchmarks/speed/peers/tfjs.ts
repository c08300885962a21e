import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getThreadsCount, setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { io, ready, setBackend } from '@tensorflow/tfjs-core';

export const wasmFolder = join(
  dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json')),
  'dist',
  '/',
);

/**
 * Reads a converted graph model from the file system, which TensorFlow.js supports only with its native addon. Takes
 * every address, because benchmarks fetch nothing else; throws if the file does not exist.
 */
function fileLoader(url: string | string[]): io.IOHandler {
  return {
    async load() {
      const path = fileURLToPath(String(url));
      const model: io.ModelJSON = JSON.parse(await readFile(path, 'utf8'));
      const groups = model.weightsManifest;
      const files = groups.flatMap(({ paths }) => paths.map((file) => join(dirname(path), file)));
      const weights = Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
      const specs = groups.flatMap((group) => group.weights);
      return io.getModelArtifactsForJSON(model, async () => [specs, new Uint8Array(weights).buffer]);
    },
  };
}

let started: Promise<void> | undefined;

/** TensorFlow.js on its WebAssembly backend, one thread. */
export function startTfjs(): Promise<void> {
  started ??= (async () => {
    io.registerLoadRouter(fileLoader);
    setWasmPaths(wasmFolder);
    setThreadsCount(1);
    await setBackend('wasm');
    await ready();
    if (getThreadsCount() !== 1) throw new Error('the peer must run on one thread');
  })();
  return started;
}
