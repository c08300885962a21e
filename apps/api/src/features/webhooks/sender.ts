import { createHmac } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { WebhookFailure } from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { inSpan } from '../../tracing/span.ts';
import type { Uses } from '../uses.ts';
import type { ReceiverPolicy } from './receiver-policy.ts';

/** Result of one attempt. Any 2xx status is a delivery; any other answer, including redirects, is a failure. */
export type Attempt =
  | { readonly isDelivered: true; readonly status: number }
  | { readonly isDelivered: false; readonly status: number | null; readonly failure: WebhookFailure };

/** Sends a notification once; resolves when the connection is closed. Never rejects. */
export type SendNotification = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
) => Promise<Attempt>;

/** All IPv4 and IPv6 addresses of a name; empty when it has none. */
export type ResolveHost = (name: string) => Promise<string[]>;

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16_384;
const MAX_HEADER_BYTES = 16_384;
const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|EPROTO)/;

class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
}
class NameNotFoundError extends Error {
  override readonly name = 'NameNotFoundError';
}

/** Asks the system's name servers and ignores `/etc/hosts`, whose names are not public. */
export async function resolveHost(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/**
 * Connects to exactly the address that was checked: there is no second look-up, so a name that resolves differently a
 * moment later has no effect (DNS rebinding).
 */
function pinnedLookup(policy: ReceiverPolicy, resolve: ResolveHost): LookupFunction {
  return (name, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(name);
      if (addresses.length === 0) throw new NameNotFoundError(name);
      if (!addresses.every((address) => policy.isAddressAllowed(address))) throw new AddressNotAllowedError();
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    answer().then(
      (addresses) => {
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new NameNotFoundError(), []),
    );
  };
}

function failureOf(error: Error, signal: AbortSignal): WebhookFailure {
  if (signal.aborted) return 'timeout';
  if (error instanceof AddressNotAllowedError) return 'address-not-allowed';
  if (error instanceof NameNotFoundError) return 'name-not-found';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return TLS_CODES.test(code) ? 'tls' : 'connection';
}

function attemptOf(status: number): Attempt {
  if (status >= 200 && status < 300) return { isDelivered: true, status };
  return { isDelivered: false, status, failure: 'status' };
}

/** Lets a receiver finish a short answer, to avoid a broken connection, and discards the rest of a long one. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
}

export function createSender(o: {
  readonly policy: ReceiverPolicy;
  readonly resolve: ResolveHost;
  readonly timeoutMs?: number;
  /** Replaces the system's certificate authorities; PEM. */
  readonly certificateAuthorities?: string;
}): SendNotification {
  const lookup = pinnedLookup(o.policy, o.resolve);
  return (text, headers, body) => {
    if (!o.policy.isUrlAllowed(text)) {
      return Promise.resolve({ isDelivered: false, status: null, failure: 'url-not-allowed' });
    }
    const url = new URL(text);
    const signal = AbortSignal.timeout(o.timeoutMs ?? TIMEOUT_MS);
    const options: RequestOptions = {
      method: 'POST',
      // A separate connection: an agent could use a proxy from an environment variable.
      agent: false,
      lookup,
      signal,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'User-Agent': 'svc-webhooks/1',
        Connection: 'close',
      },
    };
    return new Promise((resolve) => {
      let answered: Attempt | null = null;
      const onResponse = (response: IncomingMessage) => {
        const attempt = attemptOf(response.statusCode ?? 0);
        answered = attempt;
        // Resolves only when the connection is closed, so that an open one counts as in progress.
        response.once('close', () => resolve(attempt));
        drain(response);
      };
      const request =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, ca: o.certificateAuthorities, rejectUnauthorized: true }, onResponse)
          : httpRequest(url, options, onResponse);
      request.on('error', (error) =>
        resolve(answered ?? { isDelivered: false, status: null, failure: failureOf(error, signal) }),
      );
      request.end(body);
    });
  };
}

const SPAN = { kind: 'client' } as const;

/** Times attempts by outcome. Neither metrics nor traces contain their destination or content. */
export function observeSend(send: SendNotification, metrics: Pick<Metrics, 'deliveryAttempted'>): SendNotification {
  return (url, headers, body) => {
    const startedAt = performance.now();
    return inSpan('webhook.delivery', SPAN, async (span) => {
      const attempt = await send(url, headers, body);
      const outcome = attempt.isDelivered ? 'delivered' : attempt.failure;
      span.setAttribute('svc.outcome', outcome);
      if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status);
      metrics.deliveryAttempted({ outcome, seconds: (performance.now() - startedAt) / 1_000 });
      return attempt;
    });
  };
}

const SECRET_BYTES = 32;

/** A new signing secret in the form of Standard Webhooks: `whsec_` and base64; its key is only kept sealed. */
export const createSigningSecret = (
  o: Uses<'keyRing' | 'random'>,
  accountId: string,
  seal: (vault: AccountVault, key: Uint8Array) => Buffer,
) =>
  withAccountVault(o, accountId, (vault) => {
    const key = o.random.bytes(SECRET_BYTES);
    try {
      const text = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('base64');
      return { secret: `whsec_${text}`, sealed: seal(vault, key) };
    } finally {
      key.fill(0);
    }
  });

/**
 * Headers of a notification (Standard Webhooks): HMAC-SHA-256 over id, time and body, one signature per key.
 * @param deliveryId the same for each attempt
 * @param atMs time of the attempt; receivers reject old ones
 * @param keys newest first; not wiped here
 */
export function signNotification(
  deliveryId: string,
  atMs: number,
  body: Uint8Array,
  keys: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${deliveryId}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return { 'webhook-id': deliveryId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
