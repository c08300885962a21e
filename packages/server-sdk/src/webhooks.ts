import type { WebhookNotificationBody } from '@svc/protocol';

/**
 * A notification with a valid signature; `type` determines `data`. A newer service may send types that are not in the
 * union. `id` is the same for every attempt and replay: store it to act only once.
 */
export type WebhookNotification = WebhookNotificationBody & { readonly id: string };

/** Why a notification was rejected. */
export type WebhookRefusal = 'headers-missing' | 'too-old' | 'signature-wrong' | 'body-invalid';

/** The request did not come from the service, or is a replay: answer 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookRefusal;
  constructor(code: WebhookRefusal) {
    super(code);
    this.code = code;
  }
}

const DEFAULT_TOLERANCE_SECONDS = 300;

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError('headers-missing');
  return value;
}

/** Null for text that is not base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

async function importSecret(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length < 16) throw new TypeError('a webhook secret starts with whsec_ and is base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function readNotification(id: string, body: Uint8Array): WebhookNotification {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new WebhookVerificationError('body-invalid');
  }
  const { type, timestamp, data } = (parsed ?? {}) as Partial<WebhookNotification>;
  if (typeof type !== 'string' || typeof timestamp !== 'string' || typeof data !== 'object' || data === null) {
    throw new WebhookVerificationError('body-invalid');
  }
  return { id, type, timestamp, data } as WebhookNotification;
}

/**
 * Verifies a notification (Standard Webhooks): HMAC-SHA-256 over id, time and the raw body.
 * @param o.body as received, unparsed
 * @param o.secrets `whsec_…`; during a rotation the new one and the former one
 * @param o.toleranceSeconds largest difference of its time from `nowMs`; default 300
 * @throws WebhookVerificationError; TypeError for an invalid secret
 */
export async function verifyWebhook(o: {
  readonly body: Uint8Array | string;
  readonly headers: HeaderSource;
  readonly secrets: readonly string[];
  readonly toleranceSeconds?: number;
  readonly nowMs?: number;
}): Promise<WebhookNotification> {
  const id = headerOf(o.headers, 'webhook-id');
  const timestamp = headerOf(o.headers, 'webhook-timestamp');
  const signatures = headerOf(o.headers, 'webhook-signature').split(' ');
  const body = typeof o.body === 'string' ? new TextEncoder().encode(o.body) : o.body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const keys = await Promise.all(o.secrets.map(importSecret));
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('headers-missing');
  const ageSeconds = Math.abs((o.nowMs ?? Date.now()) / 1000 - Number(timestamp));
  if (ageSeconds > (o.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS)) throw new WebhookVerificationError('too-old');
  for (const signature of signatures) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : null;
    if (bytes === null) continue;
    for (const key of keys) {
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return readNotification(id, body);
    }
  }
  throw new WebhookVerificationError('signature-wrong');
}
