import type { Aead } from '@svc/core/aead';
import { sealRecord } from '@svc/core/pack';
import { type FaceEngine, wipeAnalysis } from '@svc/face-engine';
import type { Random } from '../ports.ts';
import { type DecodedPhoto, DecodeTimeoutError } from './decode-photo.ts';
import type { SealResult, SealTask } from './port.ts';

const SALT_BYTES = 24;

export interface SealPhotoParts {
  readonly engine: Pick<FaceEngine, 'engineId' | 'dimension' | 'enrol'>;
  readonly decode: (photo: Uint8Array) => Promise<DecodedPhoto | null>;
  readonly aead: Aead;
  readonly random: Random;
}

/**
 * Photo in, sealed record out: the template exists only inside this function, and only until it is sealed.
 * Wipes the photo, the pixels, the template and the list key, whatever happens.
 */
export async function sealPhoto(parts: SealPhotoParts, task: SealTask): Promise<SealResult> {
  const { engine } = parts;
  const startedAt = performance.now();
  let decodedAt = startedAt;
  let analysedAt = startedAt;
  const timings = () => ({
    decodeMs: decodedAt - startedAt,
    analyseMs: Math.max(0, analysedAt - decodedAt),
    sealMs: Math.max(0, performance.now() - Math.max(decodedAt, analysedAt)),
  });
  const { photo, listKey, listId, epoch, engineId, personId, deleteAfterMs } = task;
  let pixels: DecodedPhoto | null = null;
  let template: Float32Array | null = null;
  try {
    if (engineId !== engine.engineId) throw new Error('this worker has another engine than the epoch');
    pixels = await parts.decode(photo);
    decodedAt = performance.now();
    if (pixels === null) return { ok: false, reason: 'image-invalid', timings: timings() };
    const enrolled = await engine.enrol(pixels);
    analysedAt = performance.now();
    if (!enrolled.ok) {
      const { reason, measured, limit } = enrolled;
      return { ok: false, reason, measured, limit, timings: timings() };
    }
    template = enrolled.reference;
    wipeAnalysis(enrolled.analysis);
    const { dimension } = engine;
    const salt = parts.random.bytes(SALT_BYTES);
    const binding = { listId, epoch, engineId, dimension, personId, deleteAfterMs };
    const record = await sealRecord(parts.aead, { ...binding, listKey, template, salt });
    return { ok: true, record, timings: timings() };
  } catch (error) {
    if (error instanceof DecodeTimeoutError) return { ok: false, reason: 'overloaded' };
    throw error;
  } finally {
    photo.fill(0);
    pixels?.data.fill(0);
    template?.fill(0);
    listKey.fill(0);
  }
}
