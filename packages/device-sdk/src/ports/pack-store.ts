/**
 * Where sealed packs and the one state record lie. Nothing in it is secret; everything in it may be read by whoever has the device.
 * A kill at any instant leaves each item as it was before or as it was to become. Rejections are storage failures.
 */
export interface PackStore {
  /** The state record; null when none was ever written. */
  readState(): Promise<Uint8Array | null>;
  /** Replaces it, atomically and durably: this is the switch from one pack to the next. */
  writeState(state: Uint8Array): Promise<void>;
  /** Durable before it resolves. `generation`: a whole number from 1. Replaces. */
  putPack(generation: number, pack: Uint8Array): Promise<void>;
  /** Owned by the caller; null when there is none. */
  readPack(generation: number): Promise<Uint8Array | null>;
  /** Idempotent. */
  deletePack(generation: number): Promise<void>;
  /** In no order. */
  packGenerations(): Promise<readonly number[]>;
}
