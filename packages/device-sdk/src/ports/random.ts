/** A cryptographically secure generator: nonces and directions come from it. */
export interface Random {
  /** `length` fresh bytes, owned by the caller. */
  bytes(length: number): Uint8Array;
}
