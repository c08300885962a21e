import type { EnrolReason } from '@svc/face-engine';
import type { StageTimings } from '../metrics/metrics.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Share } from '../platform/fair-share.ts';

/** What a worker is started with. */
export interface WorkerSettings {
  /** Address of the module that does the work. */
  readonly module: string;
  /** The engine that is loaded at the start; the preferred one of those that are installed when left out. */
  readonly engineId?: string | undefined;
  /** Folder of the add-on models; null for none. */
  readonly addOnDirectory: string | null;
}

/** The passive check that photos are given to. */
export const PHOTO_CHECK = 'minifasnet';

/** One photo on its way to a sealed record. */
export interface SealTask {
  /** A JPEG or PNG as it was sent; handed over to the worker, so the sender keeps no copy. */
  readonly photo: Uint8Array<ArrayBuffer>;
  /** Further ones of the same person, handed over as well. */
  readonly additionalPhotos?: readonly Uint8Array<ArrayBuffer>[];
  /** 32 bytes; the worker gets a copy of its own and wipes it, the caller wipes this one. */
  readonly listKey: Uint8Array;
  readonly listId: string;
  readonly epoch: number;
  /** The photos are looked at for being pictures of pictures. */
  readonly checkPhoto: boolean;
  /** The engine that the epoch's records are made by; loaded where it is not yet. */
  readonly engineId: string;
  readonly personId: string;
  readonly deleteAfterMs: number;
}

export type SealResult = { readonly timings?: StageTimings } & (
  | { readonly ok: true; readonly record: Uint8Array }
  | {
      readonly ok: false;
      /** 'image-invalid': also of a picture that could not be decoded in its time. */
      readonly reason: 'image-invalid' | 'different-person' | 'photo-not-live' | EnrolReason;
      /** Which of the additional photos it is about, from 0; absent for the first photo. */
      readonly additional?: number | undefined;
      readonly measured?: number | undefined;
      readonly limit?: number | undefined;
    }
);

/** A place in the queue, taken once the photo is there: whoever is still sending stands in nobody's way. */
export interface Admission {
  /**
   * Waits for a worker, then for its answer; each has a limit of its own.
   * @throws InferenceError when the worker failed; ServiceError 'overloaded' when no worker was free or none came to an
   * end in time, or
   *   when the caller has gone before one was free or the place was lost to a share that held fewer for its weight
   */
  seal(task: SealTask): Promise<SealResult>;
  /** Gives the place back; once is enough, twice does no harm. */
  release(): void;
}

/** Photo in, sealed record out. Nothing else of a face ever leaves a worker. */
export interface InferencePool {
  /**
   * Whether there is a place for one more of a share at this moment: asked before a body is read, so that overload
   * costs no memory.
   */
  hasRoom(share: Share): boolean;
  /**
   * A share may hold every place as long as no other wants one; who then holds more for its weight gives way. Turns go
   * by the same weights. Null when every place is taken, and by shares that hold no more.
   * @param gone aborted when nobody waits for the answer any more: what has not begun by then is not begun
   */
  admit(share: Share, gone: AbortSignal): Admission | null;
  /** True once a worker has its models loaded and checked. */
  isReady(): boolean;
  close(): Promise<void>;
}

export class InferenceError extends Error {
  override readonly name = 'InferenceError';
}

/** Work that has a place in the queue as long as it lasts. @throws ServiceError 'overloaded' where there is none */
export async function withPlace<T>(
  pool: Pick<InferencePool, 'admit'>,
  share: Share,
  gone: AbortSignal,
  work: (admission: Admission) => Promise<T>,
): Promise<T> {
  const admission = pool.admit(share, gone);
  if (admission === null) throw new ServiceError('overloaded');
  try {
    return await work(admission);
  } finally {
    admission.release();
  }
}
