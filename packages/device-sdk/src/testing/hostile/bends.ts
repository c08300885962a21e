import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  type DeltaInput,
  encodeDelta,
  encodePack,
  type PackInput,
  parseDelta,
  parsePack,
  recordSize,
} from '@svc/core/pack';
import { formatId, type SyncEpoch, uuidv7 } from '@svc/protocol';
import { toBase64Url } from '../../platform/bytes.ts';
import type { TransportAnswer } from '../../platform/transport.ts';
import { generateDeviceKeyPair, rawPublicKey } from '../../storage/hpke.ts';
import type { SyncFailure } from '../../sync/sync-result.ts';
import { DIMENSION, type Draft, type FakeService } from '../fake-service.ts';

/**
 * The honest answer to a device that holds version 3: the whole list at version 4, the changes from 3 to 4 (one new
 * person, one erased), no change, or a wipe.
 */
export type HonestAnswer = 'whole' | 'changes' | 'unchanged' | 'wipe';

/** One lie of a service, a key thief or a man in the middle, and the check that must detect it. */
export interface HostileCase {
  readonly name: string;
  readonly instead: HonestAnswer;
  /** Makes the service, honest until now, lie. */
  readonly lie: (service: FakeService) => void;
  readonly reason: SyncFailure;
  /** The reason at a first sync, without held data; null if it is no lie there. Default: the same reason. */
  readonly atFirst?: SyncFailure | null;
}

/** Turns an honest draft into a lie. */
export type Bend = (draft: Draft, service: FakeService) => void | Promise<void>;

type Options = Pick<HostileCase, 'atFirst'> & { readonly instead?: HonestAnswer };
/** Of answers to a device that is up to date, of changes, and of wipes. */
export const held: Options = { instead: 'unchanged', atFirst: null };
export const changing: Options = { instead: 'changes', atFirst: null };
export const wiping: Options = { instead: 'wipe' };

type Row<Lie> = readonly [name: string, reason: SyncFailure, lie: Lie, options?: Options];

/** Envelopes whose draft is changed before it is signed. */
export const bent = (rows: readonly Row<Bend>[], common: Options = {}): HostileCase[] =>
  rows.map(([name, reason, bend, options]) => ({
    ...{ name, reason, instead: 'whole', ...common, ...options },
    lie: (service) => {
      service.bend = (draft) => bend(draft, service);
    },
  }));

type Answer = (honest: () => Promise<Uint8Array>, service: FakeService) => Promise<TransportAnswer>;

/** Something other than an honest envelope. */
export const answered = (rows: readonly Row<Answer>[]): HostileCase[] =>
  rows.map(([name, reason, answer, options]) => ({
    ...{ name, reason, instead: 'whole', ...options },
    lie: (service) => {
      service.answer = (honest) => answer(honest, service);
    },
  }));

export const text = (content: string) => new TextEncoder().encode(content);

/** Flips the lowest bit of a byte; a negative index counts from the end. */
export const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
};

/** Id of another list or device than the one under test. */
export const other = (prefix: 'lst' | 'dev') => formatId(prefix, uuidv7(9, new Uint8Array(10).fill(9)));

/** An Ed25519 key pair that the device does not trust. */
export const foreignSecret = new Uint8Array(32).fill(77);
export const foreignKey = ed25519.getPublicKey(foreignSecret);

/** The raw P-256 public key of another device. */
export const foreignPoint = async () => rawPublicKey(await generateDeviceKeyPair(false));

/** Changes fields of the manifest. */
export const manifest =
  (change: (m: Draft['manifest']) => object): Bend =>
  (draft) => {
    draft.manifest = { ...draft.manifest, ...change(draft.manifest) };
  };
/** Replaces the manifest’s JSON bytes. */
export const manifestBytes =
  (change: (json: string) => Uint8Array): Bend =>
  (draft) => {
    draft.manifestBytes = change(JSON.stringify(draft.manifest));
  };

/** Replaces the JSON, whatever its type. */
export const json = (change: (m: Record<string, unknown>) => object): Bend =>
  manifestBytes((honest) => text(JSON.stringify(change(JSON.parse(honest)))));

/** Changes fields of each epoch of the manifest. */
export const epochs = (change: (epoch: SyncEpoch) => object): Bend =>
  manifest((m) => ({ epochs: m.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));

/** Bytes of a sealed record of these lists. */
export const RECORD_BYTES = recordSize(DIMENSION);

type Bytes = (bytes: Uint8Array) => Uint8Array;

/** Changes the bytes of the signed envelope. */
export const body =
  (change: Bytes): Bend =>
  (draft) => {
    draft.body = change;
  };

/** Replaces the payload of an honest manifest, with its hash. */
export const repacked =
  (change: Bytes): Bend =>
  (draft) => {
    draft.payload = change(draft.payload);
    draft.manifest = { ...draft.manifest, payloadSha256: toBase64Url(sha256(draft.payload)) };
  };

const packOf = (payload: Uint8Array): PackInput => {
  const { listId, listVersion, ...pack } = parsePack(payload);
  return { listId, listVersion, epochs: pack.epochs.map((epoch) => ({ ...epoch, records: [...epoch.records()] })) };
};
/** Another well-formed pack. */
export const edited = (change: (pack: PackInput) => PackInput): Bend =>
  repacked((payload) => encodePack(change(packOf(payload))));
export const eachEpoch =
  (change: (epoch: PackInput['epochs'][number]) => object) =>
  (pack: PackInput): PackInput => ({
    ...pack,
    epochs: pack.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })),
  });

const pieces = (bytes: Uint8Array, length: number) =>
  Array.from({ length: bytes.length / length }, (_, i) => bytes.slice(i * length, (i + 1) * length));
/** Other well-formed changes. */
export const editedDelta = (change: (delta: DeltaInput) => DeltaInput): Bend =>
  repacked((payload) => {
    const delta = parseDelta(payload);
    const unpacked = delta.epochs.map((epoch) => ({
      ...epoch,
      upserts: pieces(epoch.upserts, RECORD_BYTES),
      removals: pieces(epoch.removals, 16),
    }));
    return encodeDelta(change({ ...delta, epochs: unpacked }));
  });
export const eachDelta =
  (change: (epoch: DeltaInput['epochs'][number]) => object) =>
  (delta: DeltaInput): DeltaInput => ({
    ...delta,
    epochs: delta.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })),
  });
