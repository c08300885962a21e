import type { PixelImage } from '@svc/core';
import type { Aead } from '@svc/core/aead';
import { sealRecord } from '@svc/core/pack';
import {
  type EnrolResult,
  type FaceAnalysis,
  type FaceEngine,
  meanTemplate,
  type PassiveLiveness,
  recipeFor,
  wipeAnalysis,
} from '@svc/face-engine';
import { testPhotoNameOf } from '@svc/protocol';
import { DAMAGED, type DecodedPhoto } from './decode-photo.ts';
import type { SealResult, SealTask, UnreadableImage } from './port.ts';

/**
 * The passive check of an enrolment photo, with the calibrated threshold for single photos.
 * @param open loads the check at the first photo; called again for the next one if it fails
 */
export function createLooksLive(
  engine: Pick<FaceEngine, 'open'>,
  open: () => Promise<PassiveLiveness | null>,
): (pixels: PixelImage, face: FaceAnalysis) => Promise<boolean> {
  let opened: Promise<PassiveLiveness | null> | null = null;
  return async (pixels, face) => {
    opened ??= open();
    const check = await opened.catch((error: unknown) => {
      opened = null;
      throw error;
    });
    const least = check?.calibration.photoAtLeast ?? null;
    if (check === null || least === null) throw new Error('there is no passive check of photos');
    const image = engine.open(pixels);
    try {
      const scored = await check.score(image, face);
      return scored !== null && scored.score >= least;
    } finally {
      image.dispose();
    }
  };
}

export interface SealPhotoParts {
  readonly engine: Pick<FaceEngine, 'core' | 'recipes' | 'enrol'>;
  /**
   * False when a photo seems to show a picture of a face, or shows too little to decide.
   * @throws FaceError 'model-missing'
   */
  readonly looksLive: (pixels: DecodedPhoto, face: FaceAnalysis) => Promise<boolean>;
  readonly decode: (photo: Uint8Array) => Promise<DecodedPhoto | UnreadableImage>;
  readonly aead: Aead;
}

type Refusal = Omit<Extract<SealResult, { ok: false }>, 'timings'>;

/** Durations by kind of work. */
class Stages {
  #at = performance.now();
  readonly #ms = { decodeMs: 0, analyseMs: 0, sealMs: 0 };

  done(stage: 'decodeMs' | 'analyseMs' | 'sealMs'): void {
    const now = performance.now();
    this.#ms[stage] += now - this.#at;
    this.#at = now;
  }

  get timings() {
    return { ...this.#ms };
  }
}

/** What a test photo leads to, without a face: a drawn template, or the refusal of its name. Wipes the photo. */
function drawnTemplate(photo: Uint8Array, dimension: number): Float32Array | Refusal {
  const name = testPhotoNameOf(photo);
  photo.fill(0);
  if (name === null) return { ok: false, reason: 'not-a-test-photo' };
  if (name === 'image-invalid') return { ok: false, reason: name, image: DAMAGED };
  if (name !== 'enrolled' && name !== 'different-person') return { ok: false, reason: name };
  const template = new Float32Array(dimension);
  template[name === 'enrolled' ? 0 : 1] = 1;
  return template;
}

/** One photo's template, which the caller wipes, or the reason for none. Wipes the photo and its pixels. */
async function templateOf(
  { engine, decode, looksLive }: SealPhotoParts,
  photo: Uint8Array,
  { engineId, checkPhoto }: Pick<SealTask, 'engineId' | 'checkPhoto'>,
  stages: Stages,
): Promise<Float32Array | Refusal> {
  let pixels: DecodedPhoto | null = null;
  let enrolled: EnrolResult;
  try {
    const decoded = await decode(photo);
    stages.done('decodeMs');
    if ('reason' in decoded) return { ok: false, reason: 'image-invalid', image: decoded };
    pixels = decoded;
    enrolled = await engine.enrol(pixels, { engineId });
    if (enrolled.ok && checkPhoto && !(await looksLive(pixels, enrolled.analysis))) {
      enrolled.reference.fill(0);
      wipeAnalysis(enrolled.analysis);
      return { ok: false, reason: 'photo-not-live' };
    }
    stages.done('analyseMs');
  } finally {
    photo.fill(0);
    pixels?.data.fill(0);
  }
  if (!enrolled.ok) {
    const { reason, measured, limit } = enrolled;
    return { ok: false, reason, measured, limit };
  }
  wipeAnalysis(enrolled.analysis);
  return enrolled.reference;
}

/**
 * Turns photos into a sealed record. Templates exist only in this function, until the record is sealed. Photos are
 * decoded one at a time, each further one must match the first, and the record contains their mean. Always wipes
 * photos, pixels, templates and the list key.
 */
export async function sealPhoto(parts: SealPhotoParts, task: SealTask): Promise<SealResult> {
  const { core, recipes } = parts.engine;
  const { photo, additionalPhotos = [], listKey, listId, epoch, engineId, personId, deleteAfterMs } = task;
  const photos = [photo, ...additionalPhotos];
  const stages = new Stages();
  const templates: Float32Array[] = [];
  const refuse = (refusal: Refusal, i: number): SealResult => ({
    ...refusal,
    ...(i === 0 ? {} : { additional: i - 1 }),
    timings: stages.timings,
  });
  try {
    const recipe = recipeFor(recipes, engineId);
    if (recipe === undefined) throw new Error('this worker has not the engine of the epoch');
    for (const [i, each] of photos.entries()) {
      const template = task.isTest
        ? drawnTemplate(each, recipe.dimension)
        : await templateOf(parts, each, task, stages);
      if (!(template instanceof Float32Array)) return refuse(template, i);
      templates.push(template);
      const [first = template] = templates;
      // Negated comparison, so that NaN is rejected.
      const isSame = i === 0 || core.cosine(first, template) >= recipe.matchThreshold;
      if (!isSame) return refuse({ ok: false, reason: 'different-person' }, i);
    }
    if (templates.length > 1)
      templates.push(
        meanTemplate(
          core,
          templates.map((template) => ({ template, weight: 1 })),
        ),
      );
    const template = templates.at(-1);
    if (template === undefined) throw new Error('there is no photo');
    const { dimension } = recipe;
    const binding = { listId, epoch, engineId, dimension, personId, deleteAfterMs };
    const record = await sealRecord(parts.aead, { ...binding, listKey, template });
    stages.done('sealMs');
    return { ok: true, record, timings: stages.timings };
  } finally {
    for (const each of photos) each.fill(0);
    for (const template of templates) template.fill(0);
    listKey.fill(0);
  }
}
