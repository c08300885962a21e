import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** A signing secret as its owner is shown it: `whsec_` and base64, as Standard Webhooks has it. */
export function formatWebhookSecret(key: Uint8Array): string {
  return `${PREFIX}${Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('base64')}`;
}

/**
 * Headers of a notification by Standard Webhooks: HMAC-SHA-256 over id, time and body, one signature a key.
 * @param deliveryId the same at each attempt
 * @param atMs the attempt's time; receivers refuse what is minutes old
 * @param keys the newest first; stay the caller's
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
