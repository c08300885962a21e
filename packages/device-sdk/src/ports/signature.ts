/**
 * Whether `signature` (64 bytes) is the Ed25519 signature (RFC 8032) of the message under a raw public key of 32 bytes.
 * Anything that is no signature or no key is answered false, or thrown: both refuse.
 */
export type VerifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;
