import { concatBytes } from '@noble/hashes/utils.js';
import {
  ATTENDANCES_HEADER,
  type Attendance,
  DEVICE_KEY_HEADER,
  ENGINES_HEADER,
  type LinkFailureReason,
  NONCE_HEADER,
  PAYLOADS_HEADER,
  SDK_VERSION_HEADER,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
  SYNC_PATH,
} from '@svc/protocol/sync';
import type { Timers } from '../platform/platform.ts';
import { Stopped, withTimeout } from '../platform/timing.ts';
import type { Transport, TransportAnswer } from '../platform/transport.ts';
import { LinkFailure, SyncRefusal } from './sync-result.ts';

/** This package's version, as in its package.json. */
export const SDK_VERSION = '0.2.0';

export interface SyncQuestion {
  readonly baseUrl: string;
  readonly deviceToken: string;
  /** base64url. */
  readonly deviceKey: string;
  /** base64url. */
  readonly nonce: string;
  readonly since: number;
  /** The number of the last stored answer; undefined before the first. */
  readonly counter: number | undefined;
  /** Engines of the device, preferred first. */
  readonly engineIds: readonly string[];
  /** What the device can serve. */
  readonly attendances: readonly Attendance[];
  /** Whether a large payload may come by link, or why a link has just failed; null: inline. */
  readonly payloads: 'by-link' | LinkFailureReason | null;
}

export interface FetchLimits {
  readonly maxBytes: number;
  /** For the whole answer, body included. */
  readonly timeoutMs: number;
}

/**
 * Requests an answer and returns its body.
 * @param cancel ends the request
 * @throws SyncRefusal for any other answer, a body over the limit, and a timeout
 */
export async function fetchSyncAnswer(
  question: SyncQuestion,
  limits: FetchLimits,
  ports: { readonly transport: Transport; readonly timers: Timers },
  cancel: AbortSignal,
): Promise<Uint8Array> {
  try {
    const options = { timeoutMs: limits.timeoutMs, timers: ports.timers, cancel };
    return await withTimeout(options, (signal) => ask(question, limits, ports.transport, signal));
  } catch (cause) {
    if (cause instanceof SyncRefusal) throw cause;
    if (cause instanceof Stopped) throw new SyncRefusal(cause.why === 'timeout' ? 'timed-out' : 'disposed');
    throw new SyncRefusal('offline', { cause });
  }
}

/** A path of the service, or an https URL (http on this machine) without a user. */
const LINK = /^((https:\/\/|http:\/\/(?=(localhost|127\.0\.0\.1|\[::1\])[:/]))[^\s@/?#\\]+)?\/[^\s#\\]*$/;

/**
 * Fetches the payload at a manifest's link, without a token, a key or any other header. Its hash is not checked.
 * @param bytes its length, as signed
 * @throws LinkFailure for any other answer, and a timeout; SyncRefusal `too-long`, `disposed`
 */
export async function fetchPayload(
  { url, bytes, baseUrl }: { readonly url: string; readonly bytes: number; readonly baseUrl: string },
  limits: FetchLimits,
  ports: { readonly transport: Transport; readonly timers: Timers },
  cancel: AbortSignal,
): Promise<Uint8Array> {
  if (bytes > limits.maxBytes) throw new SyncRefusal('too-long');
  if (!LINK.test(url)) throw new LinkFailure('unavailable');
  try {
    return await withTimeout({ timeoutMs: limits.timeoutMs, timers: ports.timers, cancel }, async (signal) => {
      const whole = url.startsWith('/') ? `${baseUrl}${url}` : url;
      const answer = await ports.transport({ url: whole, headers: {}, signal });
      if (answer.status === 404 || answer.status === 410) throw new LinkFailure('gone');
      if (answer.status !== 200) throw new LinkFailure('unavailable');
      return readBody({ ...answer, contentLength: bytes }, bytes);
    });
  } catch (cause) {
    if (cause instanceof LinkFailure) throw cause;
    if (cause instanceof Stopped && cause.why !== 'timeout') throw new SyncRefusal('disposed');
    throw new LinkFailure('unavailable', { cause });
  }
}

async function ask(
  { baseUrl, deviceToken, deviceKey, nonce, since, counter, engineIds, attendances, payloads }: SyncQuestion,
  { maxBytes }: FetchLimits,
  transport: Transport,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const answer = await transport({
    url: `${baseUrl}${SYNC_PATH}?since=${since}`,
    headers: {
      Authorization: `Bearer ${deviceToken}`,
      Accept: SYNC_MEDIA_TYPE,
      [DEVICE_KEY_HEADER]: deviceKey,
      [NONCE_HEADER]: nonce,
      ...(counter === undefined ? {} : { [SYNC_COUNTER_HEADER]: String(counter) }),
      // All that the organiser is shown of a device beside the time of its sync and the version it holds.
      [SDK_VERSION_HEADER]: SDK_VERSION,
      [ENGINES_HEADER]: engineIds.join(', '),
      [ATTENDANCES_HEADER]: attendances.join(', '),
      ...(payloads === null ? {} : { [PAYLOADS_HEADER]: payloads }),
    },
    signal,
  });
  refuseOtherAnswers(answer);
  if (answer.contentLength !== null && answer.contentLength > maxBytes) throw new SyncRefusal('too-long');
  return readBody(answer, maxBytes);
}

/** The whole body; of the announced length in one piece, so that a large answer is not in memory twice. */
export async function readBody({ contentLength, body }: TransportAnswer, maxBytes: number): Promise<Uint8Array> {
  const announced = new Uint8Array(contentLength ?? 0);
  const rest: Uint8Array[] = [];
  let [length, filled] = [0, 0];
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new SyncRefusal('too-long');
    if (rest.length === 0 && length <= announced.length) {
      announced.set(chunk, filled);
      filled = length;
    } else rest.push(chunk);
  }
  return rest.length === 0 ? announced.subarray(0, filled) : concatBytes(announced.subarray(0, filled), ...rest);
}

/** Only a signed envelope can wipe: any other answer, such as a captive portal's page, is a failed sync. */
export function refuseOtherAnswers({ status, mediaType }: TransportAnswer): void {
  if (status === 401 || status === 403) throw new SyncRefusal('unauthorised');
  if (status === 409) throw new SyncRefusal('device-key-mismatch');
  if (status === 429) throw new SyncRefusal('rate-limited');
  if (status >= 500) throw new SyncRefusal('server-error');
  if (status !== 200 || mediaType !== SYNC_MEDIA_TYPE) throw new SyncRefusal('unexpected-answer');
}
