/**
 * Entry of an inference thread: one engine, single-threaded, and the photo decoder. The pool calls its two functions by
 * name.
 */
import { createWasmAead } from '@svc/core/aead';
import { openPassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { workerData } from 'piscina';
import { decodePhoto, restrictDecoders } from './decode-photo.ts';
import { createLooksLive } from './looks-live.ts';
import { PHOTO_CHECK, type SealResult, type SealTask, type WorkerSettings } from './port.ts';
import { type SealPhotoParts, sealPhoto } from './seal-photo.ts';

restrictDecoders();

const { engineId, addOnDirectory }: WorkerSettings = workerData;

/**
 * Passive liveness is the device's matter but for lists that ask for it: its model is loaded with the first photo of
 * one.
 */
const parts: Promise<SealPhotoParts> = createNodeFaceEngine({
  addOnDirectory,
  passiveModel: null,
  ...(engineId === undefined ? {} : { engineId }),
}).then(({ engine, runtime, bundle }) => ({
  engine,
  looksLive: createLooksLive(engine, () => openPassiveLiveness({ core: engine.core, runtime, bundle }, PHOTO_CHECK)),
  decode: decodePhoto,
  aead: createWasmAead(engine.core),
}));
// Whoever asks for the parts learns why there are none; nobody may be asking yet.
parts.catch(() => undefined);

/** Resolves when this thread has its models loaded and checked against their golden outputs. */
export async function warmUp(): Promise<void> {
  await parts;
}

export async function seal(task: SealTask): Promise<SealResult> {
  return sealPhoto(await parts, task);
}
