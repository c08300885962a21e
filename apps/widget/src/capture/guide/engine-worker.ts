/** The engine's side of the worker. */
import { answerRequests } from '@svc/capture-web';
import { FaceError, loadCore, type PixelImage } from '@svc/core';
import { createCoreRuntime, createFaceAnalyser, type FaceAnalyser, facesIn, wipeAnalysis } from '@svc/face-engine';
import { createModelBundle, type ModelBundle, parseManifest } from '@svc/face-models';
import { adviceOf, lightOf, reviewOf, type Sight } from './advice.ts';
import type { EngineFiles, GuideOperations } from './engine-host.ts';

let analyser: Promise<FaceAnalyser> | null = null;

answerRequests<GuideOperations>(async (request) => {
  switch (request.name) {
    case 'start':
      // Again after wrong bytes.
      analyser = load(request.ask);
      await analyser;
      return null;
    case 'look':
      return answerAbout(request.ask.frame, adviceOf);
    case 'review':
      return answerAbout(request.ask.frame, reviewOf);
  }
});

/** Both models run in the core, without another runtime. */
async function load({ files }: GuideOperations['start']['ask']): Promise<FaceAnalyser> {
  const core = await loadCore();
  return createFaceAnalyser({
    core,
    runtime: createCoreRuntime(core),
    bundle: bundleOf(files),
  });
}

function contentOf(files: EngineFiles, name: string): Uint8Array<ArrayBuffer> {
  const content = files[name];
  if (content === undefined) throw new FaceError('model-missing', 'a file of the engine is missing');
  return content;
}

/** The models among the files. */
function bundleOf(files: EngineFiles): ModelBundle {
  const json = contentOf(files, 'manifest.json');
  try {
    const manifest = parseManifest(new TextDecoder().decode(json));
    return createModelBundle({ manifest, fetch: ({ file }) => Promise.resolve(contentOf(files, file)) });
  } catch (cause) {
    throw new FaceError('model-mismatch', 'the model manifest is damaged', { cause });
  }
}

/** Only the answer leaves the worker; pixels, landmarks and measures stay here. */
async function answerAbout<T>(frame: PixelImage, answer: (sight: Sight) => T): Promise<T> {
  if (analyser === null) throw new FaceError('runtime-failed', 'the engine was not started');
  const engine = await analyser;
  const light = lightOf(frame);
  const image = engine.open(frame);
  // The core has copied it.
  frame.data.fill(0);
  try {
    const faces = await facesIn(engine, image);
    const answered = answer({ width: frame.width, height: frame.height, light, faces });
    faces.forEach(wipeAnalysis);
    return answered;
  } finally {
    image.dispose();
  }
}
