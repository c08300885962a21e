import { assertIdentifier, assertUint, concat, fields, maxU32, Reader, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';

/** 0: no payload, 1: a whole pack, 2: a delta. */
export type PayloadKind = 0 | 1 | 2;

/** The body of a sync answer: a signed manifest and the payload that it describes. */
export interface Envelope {
  readonly payloadKind: PayloadKind;
  /** JSON in UTF-8, 1 byte to 1 MiB. These exact bytes are signed. */
  readonly manifest: Uint8Array;
  /** Id of the signing key: 1 to 255 printable ASCII characters. */
  readonly keyId: string;
  /** Ed25519 over `envelopeSigningInput`, 64 bytes. */
  readonly signature: Uint8Array;
  /** Empty when payloadKind is 0. */
  readonly payload: Uint8Array;
}

const magic = utf8('SVCSYNC1');
const signatureBytes = 64;
const maxManifestBytes = 1 << 20;

function envelopeInvalid(why: string): FaceError {
  return new FaceError('envelope-invalid', `not a sync envelope: ${why}`);
}

/** @throws FaceError `invalid-argument` for a value out of range */
export function encodeEnvelope(e: Envelope): Uint8Array {
  assertIdentifier(e.keyId, 'keyId');
  assertUint(e.payloadKind, 2, 'payloadKind');
  assertUint(e.manifest.length - 1, maxManifestBytes - 1, 'manifest length');
  if (e.signature.length !== signatureBytes) throw new FaceError('invalid-argument', 'a signature has 64 bytes');
  if (e.payloadKind === 0 && e.payload.length > 0) {
    throw new FaceError('invalid-argument', 'a payload needs its kind');
  }
  return concat([
    magic,
    uint(e.payloadKind, 1),
    uint(e.manifest.length, 4),
    e.manifest,
    uint(e.keyId.length, 1),
    utf8(e.keyId),
    e.signature,
    e.payload,
  ]);
}

/**
 * Splits an envelope into views of `bytes`. Verifies nothing.
 * @throws FaceError `envelope-invalid`
 */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  const reader = new Reader(bytes, envelopeInvalid);
  reader.expect(magic);
  const payloadKind = reader.u8();
  if (payloadKind !== 0 && payloadKind !== 1 && payloadKind !== 2) throw envelopeInvalid('unknown payload kind');
  const manifestLength = reader.u32();
  if (manifestLength === 0 || manifestLength > maxManifestBytes) throw envelopeInvalid('manifest length');
  const manifest = reader.take(manifestLength);
  const keyId = reader.identifier(reader.u8());
  const signature = reader.take(signatureBytes);
  const payload = reader.take(reader.remaining);
  if (payloadKind === 0 && payload.length > 0) throw envelopeInvalid('trailing bytes');
  return { payloadKind, manifest, keyId, signature, payload };
}

/** The signed bytes: `"svc/sync/v1" 0x00`, the payload kind, the manifest. The manifest's hash binds the payload. */
export function envelopeSigningInput(payloadKind: number, manifest: Uint8Array): Uint8Array {
  assertUint(payloadKind, 2, 'payloadKind');
  return concat([utf8('svc/sync/v1\0'), uint(payloadKind, 1), manifest]);
}

/** HPKE `info` (RFC 9180) for sealing a list key to a device. */
export function listKeySealInfo(c: {
  readonly listId: string;
  readonly deviceId: string;
  readonly epoch: number;
}): Uint8Array {
  assertIdentifier(c.listId, 'listId');
  assertIdentifier(c.deviceId, 'deviceId');
  assertUint(c.epoch, maxU32, 'epoch');
  return fields(utf8('svc/list-key/v1'), utf8(c.listId), utf8(c.deviceId), uint(c.epoch, 4));
}

/** HPKE `info` (RFC 9180) for sealing the secret that signs a list's check-ins to a device. */
export const checkInSecretSealInfo = (device: ListDevice): Uint8Array => sealInfo('svc/check-in-secret/v1', device);

/** HPKE `info` (RFC 9180) for sealing the key of a list's shared admissions to a device. */
export const admissionKeySealInfo = (device: ListDevice): Uint8Array => sealInfo('svc/admission-key/v1', device);

/** HPKE `info` (RFC 9180) for sealing the secret that signs a device's counts of arrivals to the device. */
export const arrivalsSecretSealInfo = (device: ListDevice): Uint8Array => sealInfo('svc/arrivals-secret/v1', device);

interface ListDevice {
  readonly listId: string;
  readonly deviceId: string;
}

function sealInfo(purpose: string, { listId, deviceId }: ListDevice): Uint8Array {
  assertIdentifier(listId, 'listId');
  assertIdentifier(deviceId, 'deviceId');
  return fields(utf8(purpose), utf8(listId), utf8(deviceId));
}
