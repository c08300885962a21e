import { z } from 'zod';

const faceErasureReasons = ['erased', 'consent-withdrawn', 'expired'] as const;
export type FaceErasureReason = (typeof faceErasureReasons)[number];

/**
 * Something that was taken away for good, without a name in it. A face's `version` is the one it was sealed at: a later
 * face under the same tag is another.
 */
export type Erasure =
  | {
      readonly kind: 'face';
      readonly accountId: string;
      readonly listId: string;
      readonly epoch: number;
      /** base64url, 16 bytes */
      readonly tag: string;
      readonly version: number;
      /**
       * Why, for whoever is told of it when a crash kept the erasure itself from being committed; absent in old
       * entries.
       */
      readonly reason?: FaceErasureReason | undefined;
    }
  | { readonly kind: 'list'; readonly accountId: string; readonly listId: string }
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'device'; readonly accountId: string; readonly listId: string; readonly deviceId: string }
  | { readonly kind: 'api-key'; readonly accountId: string; readonly keyId: string }
  | { readonly kind: 'webhook'; readonly accountId: string; readonly webhookId: string };

export interface RememberedErasure {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly atMs: number;
  readonly erasure: Erasure;
}

/** The highest version of a list that a device was ever sent. */
export interface SeenVersion {
  readonly accountId: string;
  readonly listId: string;
  readonly version: number;
}

/**
 * What must stay gone when an older backup of the database is restored, for as long as such a backup may live. Lies
 * with the keys, never in the backup that it is about.
 */
export interface ErasureMemory {
  /** Durable when it resolves. To be called before the erasure itself is committed. */
  remember(erasures: readonly Erasure[], atMs: number): Promise<void>;
  /** Number of the newest; all before it can be read by then. 0 for none. */
  last(): Promise<number>;
  /** In order, those after the number. */
  after(seq: number, limit: number): Promise<RememberedErasure[]>;
  /** Notes that a version of a list is handed out; a lower one than noted changes nothing. */
  noteVersion(seen: SeenVersion): Promise<void>;
  /** In the order of the lists' ids, those after the one named. */
  seenVersions(afterListId: string, limit: number): Promise<SeenVersion[]>;
  /** Forgets what was remembered before a time, and at most through a number. */
  forget(beforeMs: number, through: number): Promise<void>;
  /** Numbers what follows behind another memory, whose place this one takes. Never goes back. */
  continueAfter(seq: number, forgottenBeforeMs: number | null): Promise<void>;
  /** Unix milliseconds before which something may have been forgotten; null while nothing was. */
  forgottenBefore(): Promise<number | null>;
}

const id = z.string().min(1);
const list = { accountId: id, listId: id };
const erasureSchema = z.discriminatedUnion('kind', [
  z.object({
    ...{ kind: z.literal('face'), ...list, epoch: z.int(), tag: id, version: z.int() },
    reason: z.enum(faceErasureReasons).optional(),
  }),
  z.object({ kind: z.literal('list'), ...list }),
  z.object({ kind: z.literal('account'), accountId: id }),
  z.object({ kind: z.literal('device'), ...list, deviceId: id }),
  z.object({ kind: z.literal('api-key'), accountId: id, keyId: id }),
  z.object({ kind: z.literal('webhook'), accountId: id, webhookId: id }),
]);

/** An erasure as text, the same in every kind of store. */
export const encodeErasure = (erasure: Erasure): string => JSON.stringify(erasure);

/** @throws Error when the text is not what {@link encodeErasure} made */
export const decodeErasure = (text: string): Erasure => erasureSchema.parse(JSON.parse(text));
