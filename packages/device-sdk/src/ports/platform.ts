/** Two clocks: one that people set, one that only runs. */
export interface Clock {
  /** Milliseconds since 1970 as the device believes; may jump either way, so it is never trusted alone. */
  wallMs(): number;
  /** Milliseconds since some point in this run of the program; never steps back. */
  monotonicMs(): number;
}

/** Calls later. Injected, so that a test decides when time passes. */
export interface Timers {
  /** Calls `callback` once after about `delayMs`; the answer cancels it. Must not keep a process alive by itself. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A cryptographically secure generator: nonces and directions come from it. */
export interface Random {
  /** `length` fresh bytes, owned by the caller. */
  bytes(length: number): Uint8Array;
}

/**
 * Whether `signature` (64 bytes) is the Ed25519 signature (RFC 8032) of the message under a raw public key of 32 bytes.
 * Anything that is no signature or no key is answered false, or thrown: both refuse.
 */
export type VerifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;
