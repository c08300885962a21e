import { verify } from 'node:crypto';
import { HOUR_MS, MINUTE_MS, PACKS_PATH, type PayloadQuery } from '@svc/protocol';
import type { SigningKey } from '../../crypto/signing-key.ts';

/** What a link leads to: enough for any node to build the payload again. */
export interface LinkedPayload extends Pick<PayloadQuery, 'account' | 'list' | 'from' | 'to'> {
  /** SHA-256 of the payload, base64url. */
  readonly payloadSha256: string;
}

/** A link works for one to two of these. */
const WINDOW_MS = HOUR_MS;
/** Clocks of a service's nodes are not set alike. */
const CLOCK_MS = MINUTE_MS;

/** Differs from what is signed of an answer, which begins with `svc/sync/v1`. */
const signedText = ({ payloadSha256, account, list, from, to }: LinkedPayload, expires: number) =>
  Buffer.from(['svc/payload/v1', payloadSha256, account, list, from, to, expires].join('\0'));

/** Path and query of a payload, in the one form that is served: in another one a cache would hold it again. */
function linkText({ payloadSha256, account, list, from, to, expires, signature }: PayloadQuery & LinkedPayload) {
  const query = new URLSearchParams({ account, list, from: `${from}`, to: `${to}`, expires: `${expires}`, signature });
  return `${PACKS_PATH}/${payloadSha256}?${query}`;
}

/**
 * Path and query of a payload. It is the same for all devices that are sent the payload within an hour, whichever node
 * answers them, so that a cache has it once: the end is a full hour, and Ed25519 signs deterministically (RFC 8032).
 */
export function payloadLink(key: SigningKey, payload: LinkedPayload, nowMs: number): string {
  const expires = ((Math.floor(nowMs / WINDOW_MS) + 2) * WINDOW_MS) / 1000;
  const signature = Buffer.from(key.sign(signedText(payload, expires))).toString('base64url');
  return linkText({ ...payload, expires, signature });
}

/**
 * Whole seconds that a link still works, at most two hours.
 * @param link path and query, as they were requested
 * @param publicKeys those announced to devices, raw, in base64url: during a change of keys the former one's links work on
 * @returns null for a link that the service did not make, or that has ended
 */
export function secondsLeft(
  publicKeys: readonly string[],
  link: string,
  linked: PayloadQuery & LinkedPayload,
  nowMs: number,
): number | null {
  const { expires } = linked;
  const left = Math.floor(expires - nowMs / 1000);
  if (left <= 0 || left * 1000 > 2 * WINDOW_MS + CLOCK_MS) return null;
  const signature = Buffer.from(linked.signature, 'base64url');
  if (link !== linkText({ ...linked, signature: signature.toString('base64url') })) return null;
  const signed = signedText(linked, expires);
  const isOurs = publicKeys.some((x) =>
    verify(null, signed, { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }, signature),
  );
  return isOurs ? Math.min(left, (2 * WINDOW_MS) / 1000) : null;
}
