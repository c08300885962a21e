import { z } from 'zod';
import type { Clock } from '../platform/ports.ts';
import type { SigningNote } from './key-storage.ts';
import { type SigningKey, SigningKeyError, type SigningSource, signingKeyIdOf } from './signing-key.ts';

const recordSchema = z.object({
  current: z.string(),
  keys: z.array(z.object({ publicKey: z.string(), announcedAt: z.string() })).min(1),
});

/** What devices are told of signing keys, the same on every node. Public halves are raw, in base64url. */
export type SigningRecord = z.infer<typeof recordSchema>;

export async function readSigningRecord(note: Pick<SigningNote, 'read'>): Promise<SigningRecord | null> {
  const text = await note.read();
  return text === null ? null : recordSchema.parse(JSON.parse(text));
}

/** @param from as it was read @throws SigningKeyError when somebody else has changed it meanwhile */
export async function replaceSigningRecord(
  note: SigningNote,
  from: SigningRecord | null,
  to: SigningRecord,
): Promise<void> {
  const text = (record: SigningRecord) => JSON.stringify({ current: record.current, keys: record.keys });
  const isReplaced = await note.replace(from === null ? null : text(from), text(to));
  if (!isReplaced) throw new SigningKeyError('the signing keys were changed by somebody else at the same moment');
}

/** The keys that answers are signed by. */
export interface Signing {
  /** As they are now. */
  current(): Promise<SigningKeys>;
  /** As they were when they were looked at last. */
  known(): SigningKeys;
}

export interface SigningKeys {
  /** The one that signs. */
  readonly key: SigningKey;
  /** Public halves of all that devices are told of, raw, in base64url. */
  readonly announced: readonly string[];
}

/** A change over is seen by a running node within so long. */
const FRESH_MS = 2_000;

/** @throws SigningKeyError in one line, when the key that devices trust is not at hand */
export function requireCurrent(record: SigningRecord, keys: readonly SigningKey[]): SigningKey {
  const key = keys.find(({ publicKey }) => publicKey === record.current);
  if (key !== undefined) return key;
  const here = keys.length === 0 ? 'none is' : `${keys.map(({ keyId }) => keyId).join(', ')} is`;
  throw new SigningKeyError(
    `this deployment’s devices trust the signing key ${signingKeyIdOf(record.current)}, and ${here} configured here: look at SVC_SIGNING_KEY and SVC_SIGNING_KEY_FILE`,
  );
}

/**
 * Opens the signing keys of a node. The first start of all makes a key where there is none; from then on the deployment
 * remembers it.
 * @throws SigningKeyError when the keys at hand are not this deployment's
 */
export async function openSigning(o: {
  readonly note: SigningNote;
  readonly source: SigningSource;
  readonly clock: Clock;
}): Promise<Signing> {
  if ((await o.note.read()) === null) {
    if ((await o.source.read()).length === 0) await o.source.create();
    const keys = await o.source.read();
    const [first] = keys;
    if (first === undefined) throw new SigningKeyError('SVC_SIGNING_KEY holds no key');
    const announcedAt = new Date(o.clock.now()).toISOString();
    const record = { current: first.publicKey, keys: keys.map(({ publicKey }) => ({ publicKey, announcedAt })) };
    await o.note.replace(null, JSON.stringify(record));
  }

  async function read(): Promise<SigningKeys> {
    const record = await readSigningRecord(o.note);
    if (record === null) throw new SigningKeyError('what devices trust is not remembered any more');
    const key = requireCurrent(record, await o.source.read());
    return { key, announced: record.keys.map(({ publicKey }) => publicKey) };
  }

  let known = await read();
  let readAtMs = performance.now();
  return {
    known: () => known,
    async current() {
      if (performance.now() - readAtMs < FRESH_MS) return known;
      readAtMs = performance.now();
      // A node that lacks the new key goes on with the former one, which devices trust as long as it is announced.
      known = await read().catch(() => known);
      return known;
    },
  };
}
