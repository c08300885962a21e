/** What runs in the browser's worker: engine from addresses, one photo to one template. Bundled by the test, as a classic script. */
import { loadCore, type PixelImage } from '@svc/core';
import { createFaceEngine } from '@svc/face-engine';
import {
  createLiteRtBrowserRuntime,
  createTfjsTfliteBrowserRuntime,
  hasRelaxedSimd,
  openModelBundleAt,
} from '@svc/face-engine/browser';

interface WorkerScope {
  onmessage: ((event: { data: EngineRequest }) => void) | null;
  postMessage(answer: EngineAnswer): void;
}

export interface EngineRequest {
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
  const runtime = await (kind === 'litert'
    ? createLiteRtBrowserRuntime(
        runtimeAt('/litert/', hasRelaxedSimd() ? 'litert_wasm_internal' : 'litert_wasm_compat_internal'),
      )
    : createTfjsTfliteBrowserRuntime(runtimeAt('/tfjs-tflite/', 'tflite_web_api_cc_simd')));
  const engine = await createFaceEngine({
    core: await loadCore(),
    runtime,
    bundle: await openModelBundleAt('/models/'),
  });
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

const runtimeAt = (folder: string, name: string) => ({ glueUrl: `${folder}${name}.js`, wasm: `${folder}${name}.wasm` });
