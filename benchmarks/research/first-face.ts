import type { FaceCore, PixelImage } from '@svc/core';
import {
  createCoreRuntime,
  createFaceEngine,
  type EngineImage,
  type FaceAnalysis,
  type FaceEngine,
  facesIn,
  openPassiveLiveness,
  wipeAnalysis,
} from '@svc/face-engine';
import type { ModelBundle } from '@svc/face-models';

/** Asks `work` about the widest confirmed face of a picture, and wipes its analysis afterwards. Null without a face. */
export async function withFace<T>(
  engine: FaceEngine,
  picture: PixelImage,
  work: (face: FaceAnalysis, image: EngineImage) => T | Promise<T>,
): Promise<T | null> {
  const image = engine.open(picture);
  let faces: readonly FaceAnalysis[] = [];
  try {
    faces = await facesIn(engine, image);
    const [face] = faces;
    return face === undefined ? null : await work(face, image);
  } finally {
    for (const face of faces) wipeAnalysis(face);
    image.dispose();
  }
}

/** Enrols pictures, embeds and scores their widest faces, by all networks. @param watch is told files, and each input */
export async function openLook(
  core: FaceCore,
  bundle: ModelBundle,
  watch: (file: Uint8Array) => (input: Float32Array) => void,
) {
  const inner = createCoreRuntime(core);
  async function load(file: Uint8Array) {
    const [model, tell] = [await inner.load(file), watch(file)];
    return { ...model, run: () => Promise.resolve(tell(model.input(0).slice())).then(model.run) };
  }
  const runtime = { ...inner, load };
  const engine = await createFaceEngine({ core, runtime, bundle });
  const passive = await openPassiveLiveness({ runtime, bundle });
  const engineIds = engine.recipes.map(({ engineId }) => engineId);
  await engine.prepare(engineIds);
  return async (picture: PixelImage, mirror = true): Promise<void> => {
    await engine.enrol(picture);
    await withFace(engine, picture, async (face, image) => {
      for (const engineId of engineIds) (await engine.embed(image, face, { engineId, mirror })).fill(0);
      await passive?.score(image, face);
    });
  };
}
