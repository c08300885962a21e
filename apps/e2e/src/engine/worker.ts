/**
 * Runs in the browser's worker: loads the engine from addresses and makes a template of one photo. Bundled by the test
 * as a classic script.
 */
import { loadCore, type PixelImage } from '@svc/core';
import { createCombinedRuntime, createFaceEngine } from '@svc/face-engine';
import { createTfjsTfliteBrowserRuntime, openModelBundleAt } from '@svc/face-engine/browser';

interface WorkerScope {
  onmessage: ((event: { data: Pick<PixelImage, 'width' | 'height'> }) => void) | null;
  postMessage(answer: readonly number[] | string): void;
}

const scope = globalThis as unknown as WorkerScope;

/** Of the raw RGB picture at `/picture`. */
async function enrol({ width, height }: Pick<PixelImage, 'width' | 'height'>): Promise<readonly number[] | string> {
  const core = await loadCore();
  // As is the default in Node.
  const runtime = '/tfjs-tflite/tflite_web_api_cc_simd';
  const fallback = await createTfjsTfliteBrowserRuntime({ glueUrl: `${runtime}.js`, wasm: `${runtime}.wasm` });
  const bundle = await openModelBundleAt('/models/');
  const engine = await createFaceEngine({ core, runtime: createCombinedRuntime({ core, fallback }), bundle });
  const data = new Uint8Array(await (await fetch('/picture')).arrayBuffer());
  const result = await engine.enrol({ data, width, height, channels: 3 });
  return result.ok ? [...result.reference] : result.reason;
}

scope.onmessage = ({ data }) => {
  enrol(data).then(
    (answer) => scope.postMessage(answer),
    (error: unknown) => scope.postMessage(String(error)),
  );
};
