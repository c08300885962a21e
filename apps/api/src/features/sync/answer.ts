import { createHash } from 'node:crypto';
import { encodeEnvelope, envelopeSigningInput, type PayloadKind } from '@svc/core/pack';
import { LEASE_MS, type LinkFailureReason, type SyncManifest, type WipeReason } from '@svc/protocol';
import type { SigningKey } from '../../crypto/signing-key.ts';
import type { DeviceKey } from './device-key.ts';
import type { PackParts } from './snapshot.ts';
import type { DeviceSoftware } from './store.ts';

/** A device's validated request. */
export interface SyncRequest {
  readonly deviceKey: DeviceKey;
  /** As received: 16 bytes in base64url. */
  readonly nonce: string;
  /** The list version that the device holds; 0 for none. */
  readonly since: number;
  /** Counter of the last answer that the device stored; null when it sends none. */
  readonly counter: number | null;
  readonly software: DeviceSoftware;
  /** How the device takes payloads; null: inline, as older devices do. */
  readonly payloads: 'by-link' | LinkFailureReason | null;
}

/** An answer's body in parts, so that a pack for many devices is in memory once. */
export interface SyncAnswer {
  /** The envelope up to the payload. */
  readonly envelopeHead: Uint8Array;
  /** Read-only; no part for an answer without one. */
  readonly payload: PackParts;
  /** Call it when the whole answer was sent. */
  sent(): void;
}

/** Fields of a manifest that do not come from the request. */
type ManifestContent = Omit<SyncManifest, keyof ReturnType<typeof header> | 'command' | 'reason'> & {
  readonly signingKeys: readonly string[];
  readonly syncCounter: number;
};

type Addressee = Pick<SyncManifest, 'listId' | 'deviceId'>;

const NOTHING = new Uint8Array(0);
/** SHA-256 of an empty input, in base64url. */
export const SHA256_OF_NOTHING = createHash('sha256').digest('base64url');

function header(to: Addressee, request: SyncRequest, issuedAtMs: number) {
  return {
    format: 1,
    listId: to.listId,
    deviceId: to.deviceId,
    deviceKeyThumbprint: request.deviceKey.thumbprint.toString('base64url'),
    nonce: request.nonce,
    issuedAt: new Date(issuedAtMs).toISOString(),
    leaseExpiresAt: new Date(issuedAtMs + LEASE_MS).toISOString(),
  } as const;
}

export function keepManifest(
  to: Addressee,
  request: SyncRequest,
  issuedAtMs: number,
  content: ManifestContent,
): SyncManifest {
  return { ...header(to, request, issuedAtMs), command: 'keep', ...content };
}

export function wipeManifest(
  to: Addressee,
  request: SyncRequest,
  issuedAtMs: number,
  reason: WipeReason,
): SyncManifest {
  return {
    ...header(to, request, issuedAtMs),
    command: 'wipe',
    reason,
    fromVersion: 0,
    toVersion: 0,
    recordCount: 0,
    payloadSha256: SHA256_OF_NOTHING,
    stateHash: '',
    retentionDeadline: null,
    enrollmentClosed: true,
    headTurnAlternative: 'none',
    epochs: [],
  };
}

/** Signs a manifest (Ed25519, RFC 8032) and puts it in its envelope; its hash of the payload binds the payload. */
export function signAnswer(
  key: SigningKey,
  manifest: SyncManifest,
  payloadKind: PayloadKind,
  payload: PackParts = [],
): Omit<SyncAnswer, 'sent'> {
  const bytes = Buffer.from(JSON.stringify(manifest), 'utf8');
  const signature = key.sign(envelopeSigningInput(payloadKind, bytes));
  return {
    envelopeHead: encodeEnvelope({ payloadKind, manifest: bytes, keyId: key.keyId, signature, payload: NOTHING }),
    payload,
  };
}
