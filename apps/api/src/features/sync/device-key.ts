import { createHash, ECDH } from 'node:crypto';
import { DEVICE_KEY_BYTES, deviceKeyHeaderSchema } from '@svc/protocol';
import { ServiceError } from '../../platform/errors.ts';

/** A device's public key from a request. */
export interface DeviceKey {
  /** Uncompressed P-256 point (SEC 1 section 2.3.3), 65 bytes, on the curve. */
  readonly raw: Buffer;
  /** SHA-256 of `raw`. */
  readonly thumbprint: Buffer;
}

/**
 * Parses `Svc-Device-Key`. The point must be on the curve: sealing to any other would leak the sealing key's secrets
 * bit by bit (invalid-curve attack).
 * @throws ServiceError 'device-key-invalid'
 */
export function readDeviceKey(header: string | undefined): DeviceKey {
  if (!deviceKeyHeaderSchema.safeParse(header).success) throw new ServiceError('device-key-invalid');
  const raw = Buffer.from(header ?? '', 'base64url');
  if (raw.length !== DEVICE_KEY_BYTES || raw[0] !== 0x04 || !isOnCurve(raw)) {
    throw new ServiceError('device-key-invalid');
  }
  return { raw, thumbprint: createHash('sha256').update(raw).digest() };
}

function isOnCurve(point: Buffer): boolean {
  try {
    // OpenSSL rejects a point that is not on the curve when decoding it.
    ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'uncompressed');
    return true;
  } catch {
    return false;
  }
}
