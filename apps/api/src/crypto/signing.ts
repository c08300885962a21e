import { z } from 'zod';
import type { Clock } from '../platform/ports.ts';
import type { SigningNote } from './key-storage.ts';
import { type SigningKey, SigningKeyError, type SigningSource, signingKeyIdOf } from './signing-key.ts';

const recordSchema = z.object({
  current: z.string(),
  keys: z.array(z.object({ publicKey: z.string(), announcedAt: z.string() })).min(1),
});

/** The signing keys announced to devices, the same on every node. Public keys are raw, in base64url. */
export type SigningRecord = z.infer<typeof recordSchema>;

export async function readSigningRecord(note: Pick<SigningNote, 'read'>): Promise<SigningRecord | null> {
  const text = await note.read();
  return text === null ? null : recordSchema.parse(JSON.parse(text));
}

/** @param from as read @throws SigningKeyError when it was changed meanwhile */
export async function replaceSigningRecord(
  note: SigningNote,
  from: SigningRecord | null,
  to: SigningRecord,
): Promise<void> {
  const text = (record: SigningRecord) => JSON.stringify({ current: record.current, keys: record.keys });
  const isReplaced = await note.replace(from === null ? null : text(from), text(to));
  if (!isReplaced) throw new SigningKeyError('another process changed the signing keys at the same time');
}

/** The keys that sign answers. */
export type Signing = Awaited<ReturnType<typeof openSigning>>;

export interface SigningKeys {
  /** The key that signs. */
  readonly key: SigningKey;
  /** All announced public keys, raw, in base64url. */
  readonly announced: readonly string[];
}

/** A running node notices a key change within this time. */
const FRESH_MS = 2_000;

/** @throws SigningKeyError with a one-line message, when the key that devices trust is not configured */
export function requireCurrent(record: SigningRecord, keys: readonly SigningKey[]): SigningKey {
  const key = keys.find(({ publicKey }) => publicKey === record.current);
  if (key !== undefined) return key;
  const here = keys.length === 0 ? 'none is' : `${keys.map(({ keyId }) => keyId).join(', ')} is`;
  throw new SigningKeyError(
    `this deployment’s devices trust the signing key ${signingKeyIdOf(record.current)}, and ${here} configured here: check SVC_SIGNING_KEY and SVC_SIGNING_KEY_FILE`,
  );
}

/**
 * Opens a node's signing keys. The deployment's first start creates a missing key; later ones expect the same.
 * @throws SigningKeyError when the configured keys are not this deployment's
 */
export async function openSigning(o: {
  readonly note: SigningNote;
  readonly source: SigningSource;
  readonly clock: Clock;
}) {
  if ((await o.note.read()) === null) {
    if ((await o.source.read()).length === 0) await o.source.create();
    const keys = await o.source.read();
    const [first] = keys;
    if (first === undefined) throw new SigningKeyError('SVC_SIGNING_KEY contains no key');
    const announcedAt = new Date(o.clock.now()).toISOString();
    const record = { current: first.publicKey, keys: keys.map(({ publicKey }) => ({ publicKey, announcedAt })) };
    await o.note.replace(null, JSON.stringify(record));
  }

  async function read(): Promise<SigningKeys> {
    const record = await readSigningRecord(o.note);
    if (record === null) throw new SigningKeyError('the record of what devices trust is gone');
    const key = requireCurrent(record, await o.source.read());
    return { key, announced: record.keys.map(({ publicKey }) => publicKey) };
  }

  let known = await read();
  let readAtMs = performance.now();
  return {
    /** As last read. */
    known: (): SigningKeys => known,
    /** Read now, or a moment ago. */
    async current(): Promise<SigningKeys> {
      if (performance.now() - readAtMs < FRESH_MS) return known;
      readAtMs = performance.now();
      // A node without the new key continues with the former one, which devices trust while it is announced.
      known = await read().catch(() => known);
      return known;
    },
  };
}
