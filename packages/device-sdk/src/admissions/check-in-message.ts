import { base64 } from '@scure/base';
import { concatBytes } from '../bytes.ts';
import type { QueuedCheckIn } from './page.ts';

/** List and device of a message. */
export interface Sender {
  readonly listId: string;
  readonly deviceId: string;
}

/** HMAC-SHA-256 (32 bytes) under the check-in secret; null if there is none. */
export type SignCheckIn = (message: Uint8Array) => Promise<Uint8Array | null>;

/**
 * A check-in as Standard Webhooks has it: body and headers.
 * @param nowMs time of the attempt
 * @returns null if there is no secret to sign with
 */
export async function checkInMessage(
  { id, type, personId, atMs, checkedInAtMs, again }: QueuedCheckIn,
  { listId, deviceId }: Sender,
  nowMs: number,
  sign: SignCheckIn,
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } | null> {
  const checkedInAt = new Date(checkedInAtMs).toISOString();
  const about = { listId, deviceId, personId, checkedInAt };
  const data = type === 'person.checked-in' ? { ...about, again } : about;
  const utf8 = new TextEncoder();
  const body = utf8.encode(JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }));
  const seconds = String(Math.floor(nowMs / 1_000));
  const signature = await sign(concatBytes(utf8.encode(`${id}.${seconds}.`), body));
  if (signature === null) return null;
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${base64.encode(signature)}`,
  };
  return { headers, body };
}
