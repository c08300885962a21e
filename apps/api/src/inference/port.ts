import type { EnrolReason } from '@svc/face-engine';
import type { ImageFault } from '@svc/protocol';
import type { StageTimings } from '../metrics/metrics.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Share } from '../platform/fair-share.ts';

/** Start parameters of a worker. */
export interface WorkerSettings {
  /** URL of the worker module. */
  readonly module: string;
  /** The engine to load at the start; default: the preferred installed one. */
  readonly engineId?: string | undefined;
  /** Folder of the add-on models; null for none. */
  readonly addOnDirectory: string | null;
}

/** The passive check for photos. */
export const PHOTO_CHECK = 'minifasnet';

/** One enrolment's photos, to become a sealed record. */
export interface SealTask {
  /** A JPEG or PNG as received; transferred to the worker, so that the sender keeps no copy. */
  readonly photo: Uint8Array<ArrayBuffer>;
  /** Further photos of the same person, also transferred. */
  readonly additionalPhotos?: readonly Uint8Array<ArrayBuffer>[];
  /** 32 bytes; copied to the worker, which wipes its copy. The caller wipes this one. */
  readonly listKey: Uint8Array;
  readonly listId: string;
  readonly epoch: number;
  /** Check the photos for being pictures of pictures. */
  readonly checkPhoto: boolean;
  /** Of a test account: test photos alone are taken, and no engine looks at them. */
  readonly isTest: boolean;
  /** The engine of the epoch's records; loaded on demand. */
  readonly engineId: string;
  readonly personId: string;
  readonly deleteAfterMs: number;
}

/** Why a picture cannot be read. Holds nothing of it but its format and its dimensions. */
export interface UnreadableImage {
  readonly reason: ImageFault;
  /** One sentence. */
  readonly detail: string;
  /** Media type of another format; pixels, longest side, ratio of the sides or scans beyond the limit. */
  readonly measured?: number | string;
  /** In the unit of `measured`; without it, seconds. */
  readonly limit?: number;
}

export type SealResult = { readonly timings?: StageTimings } & (
  | { readonly ok: true; readonly record: Uint8Array }
  | {
      readonly ok: false;
      readonly reason: 'image-invalid' | 'different-person' | 'photo-not-live' | 'not-a-test-photo' | EnrolReason;
      /** Index of the additional photo, from 0; absent for the first photo. */
      readonly additional?: number | undefined;
      /** Of 'image-invalid'. */
      readonly image?: UnreadableImage | undefined;
      readonly measured?: number | undefined;
      readonly limit?: number | undefined;
    }
);

/** A place in the queue, taken when the photo is complete, so that slow senders do not block others. */
export interface Admission {
  /**
   * Waits for a worker, then for its answer, each with a time limit.
   * @throws InferenceError when the worker failed; ServiceError 'overloaded' when no worker was free or finished in
   * time, when the caller disconnected before, or when the place was lost to a share that held fewer for its weight
   */
  seal(task: SealTask): Promise<SealResult>;
  /** Releases the place; idempotent. */
  release(): void;
}

/** Threads that read pictures: photos become sealed records. No other face data ever leaves a worker. */
export interface InferencePool {
  /** Whether a share can get another place now; called before a body is read, so that overload needs no memory. */
  hasRoom(share: Share): boolean;
  /**
   * A share may hold all places while no other wants one; then the share that holds the most for its weight yields.
   * Turns are distributed by the same weights. Null when every place is taken by shares that hold no more.
   * @param gone aborted when the caller disconnects: waiting work is then dropped
   */
  admit(share: Share, gone: AbortSignal): Admission | null;
  /**
   * Has a worker draw an organiser's logo anew; takes a place and a turn like an enrolment.
   * @param image a JPEG or PNG as received; transferred to the worker
   * @returns a PNG without anything else of the file
   * @throws as {@link Admission.seal}
   */
  drawLogo(image: Uint8Array<ArrayBuffer>, share: Share, gone: AbortSignal): Promise<Uint8Array | UnreadableImage>;
  /** True once a worker has loaded and checked its models. */
  isReady(): boolean;
  close(): Promise<void>;
}

export class InferenceError extends Error {
  override readonly name = 'InferenceError';
}

/** Works with a place in the queue. @throws ServiceError 'overloaded' when there is none */
export async function withPlace<T>(
  pool: Pick<InferencePool, 'admit'>,
  share: Share,
  gone: AbortSignal,
  work: (place: Admission) => Promise<T>,
): Promise<T> {
  const place = pool.admit(share, gone);
  if (place === null) throw new ServiceError('overloaded');
  try {
    return await work(place);
  } finally {
    place.release();
  }
}
