import { ed25519 } from '@noble/curves/ed25519.js';
import { formatId, uuidv7 } from '@svc/protocol';
import { generateDeviceKeyPair, rawPublicKey } from '../../crypto/hpke.ts';

/** Id of another list or device than the one under test. */
export const other = (prefix: 'lst' | 'dev') => formatId(prefix, uuidv7(9, new Uint8Array(10).fill(9)));

/** An Ed25519 key pair that the device does not trust. */
export const foreignSecret = new Uint8Array(32).fill(77);
export const foreignKey = ed25519.getPublicKey(foreignSecret);

/** The raw P-256 public key of another device. */
export const foreignPoint = async () => rawPublicKey(await generateDeviceKeyPair(false));
