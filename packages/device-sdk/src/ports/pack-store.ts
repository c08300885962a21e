/** A pack that is read in ranges. It never changes: a pack of another content has another generation. */
export interface PackReader {
  readonly byteLength: number;
  /**
   * Exactly `length` bytes from `offset` (whole numbers from 0), a copy; rejects where the pack has fewer, and after
   * {@link close}.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Lets the pack go. Idempotent. */
  close(): Promise<void>;
}

/**
 * Where sealed packs and the one state record lie. Nothing in it is secret; everything in it may be read by whoever has
 * the device. A kill at any instant leaves each item as it was before or as it was to become. Rejections are storage
 * failures.
 */
export interface PackStore {
  /** The state record; null when none was ever written. */
  readState(): Promise<Uint8Array | null>;
  /** Replaces it, atomically and durably: this is the switch from one pack to the next. */
  writeState(state: Uint8Array): Promise<void>;
  /**
   * Joins `parts` as they come, without holding them all in memory. Durable once it resolves; where it rejects, or
   * `parts` throws, nothing of them is left that {@link openPack} would open, and what lay there before is as it was.
   * Replaces. `generation`: a whole number from 1. Keeps copies.
   */
  writePack(generation: number, parts: AsyncIterable<Uint8Array>): Promise<void>;
  /** Null when there is none. Its reader is closed before the pack is deleted or replaced. */
  openPack(generation: number): Promise<PackReader | null>;
  /** Idempotent. */
  deletePack(generation: number): Promise<void>;
  /** Generations, in no order. */
  listPacks(): Promise<readonly number[]>;
}
