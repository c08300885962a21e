import { ed25519 } from '@noble/curves/ed25519.js';
import { formatId, uuidv7 } from '@svc/protocol';
import { generateDeviceKeyPair, rawPublicKey } from '../../crypto/hpke.ts';

/** A list or device that is not the one that asks. */
export const other = (prefix: 'lst' | 'dev') => formatId(prefix, uuidv7(9, new Uint8Array(10).fill(9)));

/** The signing key of nobody whom the device knows. */
export const strangerSecret = new Uint8Array(32).fill(77);
export const strangerKey = ed25519.getPublicKey(strangerSecret);

/** Another device’s public key. */
export const strangerPoint = async () => rawPublicKey(await generateDeviceKeyPair(false));
