import { z } from 'zod';

const faceErasureReasons = ['erased', 'consent-withdrawn', 'expired'] as const;
export type FaceErasureReason = (typeof faceErasureReasons)[number];

const id = z.string().min(1);
const list = { accountId: id, listId: id };
const erasureSchema = z.discriminatedUnion('kind', [
  z.object({
    ...{ kind: z.literal('face'), ...list, epoch: z.int(), version: z.int() },
    /** base64url, 16 bytes */
    tag: id,
    /** The reason to report if a crash prevented the erasure itself from being committed; absent in old entries. */
    reason: z.enum(faceErasureReasons).optional(),
  }),
  z.object({ kind: z.literal('list'), ...list }),
  z.object({ kind: z.literal('account'), accountId: id }),
  z.object({ kind: z.literal('device'), ...list, deviceId: id }),
  z.object({ kind: z.literal('api-key'), accountId: id, keyId: id }),
  z.object({ kind: z.literal('webhook'), accountId: id, webhookId: id }),
  z.object({ kind: z.literal('user'), accountId: id, userId: id }),
  z.object({ kind: z.literal('passkey'), accountId: id, userId: id, passkeyId: id }),
  /** A user's sessions and links that began until then, in Unix milliseconds. */
  z.object({ kind: z.literal('user-sessions'), accountId: id, userId: id, untilMs: z.int() }),
]);

/**
 * Something that was erased, without names. A face is identified by the `version` at which it was sealed: a later face
 * with the same tag is a different one.
 */
export type Erasure = Readonly<z.infer<typeof erasureSchema>>;

export interface RememberedErasure {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly atMs: number;
  readonly erasure: Erasure;
}

/** The highest version of a list that was sent to a device. */
export interface SeenVersion {
  readonly accountId: string;
  readonly listId: string;
  readonly version: number;
}

/**
 * Erasures that must be repeated after an older backup of the database is restored, kept as long as such backups may
 * exist. Stored with the keys, never in the database's backup.
 */
export interface ErasureMemory {
  /** Durable when it resolves. Call it before committing the erasure. */
  remember(erasures: readonly Erasure[], atMs: number): Promise<void>;
  /** Number of the newest erasure, 0 for none; all earlier ones are readable by then. */
  last(): Promise<number>;
  /** Erasures after a number, in order. */
  after(seq: number, limit: number): Promise<RememberedErasure[]>;
  /** Records that a version of a list is handed out; lower versions are ignored. */
  noteVersion(seen: SeenVersion): Promise<void>;
  /** Ordered by list id, starting after `afterListId`. */
  seenVersions(afterListId: string, limit: number): Promise<SeenVersion[]>;
  /** Forgets erasures remembered before a time, up to and including a number. */
  forget(beforeMs: number, through: number): Promise<void>;
  /** Unix milliseconds before which entries may have been forgotten; null if none were. */
  forgottenBefore(): Promise<number | null>;
}

/** An erasure as text, the same for every kind of store. */
export const encodeErasure = (erasure: Erasure): string => JSON.stringify(erasure);

/** @throws Error when {@link encodeErasure} did not make the text */
export const decodeErasure = (text: string): Erasure => erasureSchema.parse(JSON.parse(text));
