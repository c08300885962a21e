/**
 * Entry of an inference thread: a single-threaded engine and the picture decoder. The pool calls its functions by name.
 */
import { createWasmAead } from '@svc/core/aead';
import { openPassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { workerData } from 'piscina';
import { decodePhoto, restrictDecoders } from './decode-photo.ts';
import { drawLogo as draw } from './draw-logo.ts';
import { PHOTO_CHECK, type SealResult, type SealTask, type UnreadableImage, type WorkerSettings } from './port.ts';
import { createLooksLive, type SealPhotoParts, sealPhoto } from './seal-photo.ts';

restrictDecoders();

const { engineId, addOnDirectory }: WorkerSettings = workerData;

/**
 * Devices do the passive liveness check, except for lists that request it for photos: its model is loaded at the first
 * such photo.
 */
const parts: Promise<SealPhotoParts> = createNodeFaceEngine({
  addOnDirectory,
  passiveModel: null,
  ...(engineId === undefined ? {} : { engineId }),
}).then(({ engine, runtime, bundle }) => ({
  engine,
  looksLive: createLooksLive(engine, () => openPassiveLiveness({ runtime, bundle }, PHOTO_CHECK)),
  decode: decodePhoto,
  aead: createWasmAead(engine.core),
}));
// Callers get the rejection later; prevents an unhandled one until then.
parts.catch(() => undefined);

/** Resolves when the thread's models are loaded and their golden outputs verified. */
export async function warmUp(): Promise<void> {
  await parts;
}

export async function seal(task: SealTask): Promise<SealResult> {
  return sealPhoto(await parts, task);
}

/** Needs no engine: an organiser can set a logo before the models are loaded. */
export function drawLogo(image: Uint8Array): Promise<Uint8Array | UnreadableImage> {
  return draw(image);
}
