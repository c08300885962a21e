import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import type { Transport } from '../ports/transport.ts';

/** What a receiver got. */
export interface ReceivedCheckIn {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * An organiser's server that verifies each check-in by the library of Standard Webhooks, at the fake time, and drops
 * repeated ids. Needs `vi.useFakeTimers({ toFake: ['Date'] })`.
 */
export class FakeReceiver {
  readonly #webhook: Webhook;
  readonly #nowMs: () => number;
  /** Each id once, in the order of arrival. */
  readonly received: ReceivedCheckIn[] = [];
  /** All arrivals, repeated ones too. */
  requests = 0;
  /** Status of the answer to a check-in, which counts as received from 200 to 299. */
  status: (checkIn: ReceivedCheckIn) => number = () => 204;
  /** What the network does before and after the request; a rejection is a lost connection. */
  before: (body: string) => Promise<void> = async () => undefined;
  after: () => Promise<void> = async () => undefined;

  constructor(secret: Uint8Array, nowMs: () => number) {
    this.#webhook = new Webhook(Buffer.from(secret).toString('base64'));
    this.#nowMs = nowMs;
  }

  readonly transport: Transport = async ({ body, headers, signal }) => {
    const text = new TextDecoder().decode(body);
    await this.before(text);
    signal.throwIfAborted();
    this.requests += 1;
    vi.setSystemTime(this.#nowMs());
    this.#webhook.verify(text, { ...headers });
    const checkIn = { id: headers['webhook-id'] ?? '', ...(JSON.parse(text) as Omit<ReceivedCheckIn, 'id'>) };
    const status = this.status(checkIn);
    const isNew = !this.received.some(({ id }) => id === checkIn.id);
    if (status >= 200 && status < 300 && isNew) this.received.push(checkIn);
    await this.after();
    return { status, mediaType: '', contentLength: null, body: (async function* () {})() };
  };
}
