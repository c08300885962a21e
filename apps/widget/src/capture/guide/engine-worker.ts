/** The engine's side of the worker: a classic dedicated worker, because the runtime is loaded by importScripts. */
import { answerRequests } from '@svc/capture-web';
import { FaceError, loadCore, type PixelImage } from '@svc/core';
import { analyserModels, createFaceAnalyser, type FaceAnalyser, facesIn, wipeAnalysis } from '@svc/face-engine';
import { createLiteRtBrowserRuntime, openModelBundleAt } from '@svc/face-engine/browser';
import type { ModelBundle, ModelName } from '@svc/face-models';
import type { Guidance } from '../../ports.ts';
import { adviceOf, lightOf } from './advice.ts';
import type { GuideOperations } from './engine-line.ts';

/** A bundle that fetches all models at once, before they are asked for. */
function readAhead(bundle: ModelBundle, names: readonly ModelName[]): ModelBundle {
  const coming = new Map(names.map((name) => [name, bundle.read(name)]));
  // The reader of each model gets the rejection.
  for (const read of coming.values()) read.catch(() => undefined);
  return { ...bundle, read: (name) => coming.get(name) ?? bundle.read(name) };
}

let analyser: Promise<FaceAnalyser> | null = null;

answerRequests<GuideOperations>(async (request) => {
  switch (request.name) {
    case 'start':
      analyser ??= load(request.ask.folder);
      await analyser;
      return null;
    case 'look':
      if (analyser === null) throw new FaceError('runtime-failed', 'the engine was not started');
      return look(await analyser, request.ask.frame);
  }
});

/** Loads the runtime without `eval`: the worker's policy allows WebAssembly but no evaluation of text. */
async function load(folder: string): Promise<FaceAnalyser> {
  const [core, runtime, bundle] = await Promise.all([
    loadCore(),
    createLiteRtBrowserRuntime({ glueUrl: `${folder}litert.js`, wasm: `${folder}litert.wasm` }),
    openModelBundleAt(folder).then((found) => readAhead(found, analyserModels)),
  ]);
  return createFaceAnalyser({ core, runtime, bundle });
}

/** Only the advice leaves the worker; pixels, landmarks and measures stay here. */
async function look(engine: FaceAnalyser, frame: PixelImage): Promise<Guidance> {
  const light = lightOf(frame);
  const image = engine.open(frame);
  // The core has copied it.
  frame.data.fill(0);
  try {
    const faces = await facesIn(engine, image);
    const guidance = adviceOf({ width: frame.width, height: frame.height, light, faces });
    faces.forEach(wipeAnalysis);
    return guidance;
  } finally {
    image.dispose();
  }
}
