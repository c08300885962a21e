/**
 * Runs in the browser's worker: loads the engine from addresses and makes a template of one photo. Bundled by the test
 * as a classic script.
 */
import { type FaceCore, loadCore, type PixelImage } from '@svc/core';
import { createCombinedRuntime, createFaceEngine, type TfliteRuntime } from '@svc/face-engine';
import {
  createLiteRtBrowserRuntime,
  createTfjsTfliteBrowserRuntime,
  openModelBundleAt,
} from '@svc/face-engine/browser';

interface WorkerScope {
  onmessage: ((event: { data: EngineRequest }) => void) | null;
  postMessage(answer: EngineAnswer): void;
}

export interface EngineRequest {
  /** tfjs-tflite is combined with the core's own kernels, as is the default in Node. */
  readonly runtime: 'tfjs-tflite' | 'litert';
  /** Address of a raw RGB picture. */
  readonly picture: { readonly url: string; readonly width: number; readonly height: number };
}

export type EngineAnswer =
  | { readonly reference: number[]; readonly yawDeg: number; readonly noseX: number }
  | { readonly error: string };

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data }) => {
  enrol(data).then(
    (answer) => scope.postMessage(answer),
    (error: unknown) => scope.postMessage({ error: String(error) }),
  );
};

async function enrol({ runtime: kind, picture }: EngineRequest): Promise<EngineAnswer> {
  const core = await loadCore();
  const runtime = await createRuntime(kind, core);
  const engine = await createFaceEngine({ core, runtime, bundle: await openModelBundleAt('/models/') });
  const response = await fetch(picture.url);
  const image: PixelImage = {
    data: new Uint8Array(await response.arrayBuffer()),
    width: picture.width,
    height: picture.height,
    channels: 3,
  };
  const result = await engine.enrol(image);
  engine.dispose();
  runtime.dispose();
  if (!result.ok) return { error: result.reason };
  const { pose, landmarks } = result.analysis;
  return { reference: [...result.reference], yawDeg: pose.yawDeg, noseX: landmarks[3] ?? Number.NaN };
}

async function createRuntime(kind: EngineRequest['runtime'], core: FaceCore): Promise<TfliteRuntime> {
  if (kind === 'litert') {
    return createLiteRtBrowserRuntime(runtimeAt('/litert/', 'litert_wasm_compat_internal'));
  }
  const fallback = await createTfjsTfliteBrowserRuntime(runtimeAt('/tfjs-tflite/', 'tflite_web_api_cc_simd'));
  return createCombinedRuntime({ core, fallback });
}

const runtimeAt = (folder: string, name: string) => ({ glueUrl: `${folder}${name}.js`, wasm: `${folder}${name}.wasm` });
