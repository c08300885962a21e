import type { PackIndex } from '@svc/core/pack';
import type { HeldList } from '../trust/trust-state.ts';

/** A pack that is read in ranges. Immutable: another content has another generation. */
export interface PackReader {
  readonly byteLength: number;
  /**
   * A copy of exactly `length` bytes from `offset` (integers from 0). Rejects beyond the end of the pack and after
   * {@link close}.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Releases the pack. Idempotent. */
  close(): Promise<void>;
}

/**
 * Port to the storage of sealed packs, the one state record, and the sealed pages of the log of admissions. The content is not secret: anyone with the device may
 * read it. Changes are atomic, also when the process is killed. A rejection means `storage-failed`.
 */
export interface PackStore {
  /** The state record; null if none was written. */
  readState(): Promise<Uint8Array | null>;
  /** Replaces the state record, atomically and durably. This switches from one pack to the next. */
  writeState(state: Uint8Array): Promise<void>;
  /**
   * Writes `parts` one after another, copying each, without holding them all in memory; replaces an earlier pack.
   * Durable once it resolves. If it rejects or `parts` throws, the earlier pack is unchanged. `generation`: an integer
   * from 1.
   */
  writePack(generation: number, parts: AsyncIterable<Uint8Array>): Promise<void>;
  /** Null if there is none. The caller closes the reader before the pack is deleted or replaced. */
  openPack(generation: number): Promise<PackReader | null>;
  /** Idempotent. */
  deletePack(generation: number): Promise<void>;
  /** Stored generations, in any order. */
  listPacks(): Promise<readonly number[]>;
  /** A page of the log of admissions, owned by the caller; null if there is none. */
  readPage(page: number): Promise<Uint8Array | null>;
  /** Replaces a page with a copy, atomically and durably. `page`: an integer from 1. */
  writePage(page: number, content: Uint8Array): Promise<void>;
  /** Idempotent. */
  deletePage(page: number): Promise<void>;
  /** Stored pages, in any order. */
  listPages(): Promise<readonly number[]>;
}

/** The active list: its pack in the store, and its index in memory. */
export interface HeldPack {
  readonly list: HeldList;
  readonly index: PackIndex;
  readonly reader: PackReader;
}
