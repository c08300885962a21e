import type { SeededRandom } from '@svc/api/testing';
import type { TransportAnswer, TransportRequest } from '@svc/device-sdk/adapters';
import { SYNC_MEDIA_TYPE } from '@svc/protocol';

/** What happens to a request and to its answer. */
export const networkPlans = [
  'good',
  'no-way-there',
  'no-way-back',
  'truncated',
  'interrupted',
  'corrupted',
  'replayed',
  'duplicated',
  'portal',
  'lying-portal',
  'refused',
] as const;
export type NetworkPlan = (typeof networkPlans)[number];

/** State of a request. */
export type Way = 'there' | 'back';

/** An answer of the service. */
export interface Reply {
  readonly status: number;
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** Called when it has arrived. */
  sent(): Promise<void>;
}

const PORTAL = new TextEncoder().encode('<!doctype html><title>Welcome to the guest network</title>');
const REFUSALS = [401, 403, 404, 429, 500, 503] as const;

const answerOf = (status: number, mediaType: string, body: Uint8Array, fails = false): TransportAnswer => ({
  status,
  mediaType,
  contentLength: fails ? null : body.length,
  body: (async function* () {
    for (let at = 0; at < body.length; at += 700) yield body.subarray(at, at + 700);
    if (fails) throw new Error('the connection broke');
  })(),
});

/** The network between a device and the service. */
export class SimulatedNetwork {
  readonly #random: SeededRandom;
  /** Answers seen so far, for replays. */
  readonly #seen: Reply[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** @param ask passes a request to the service */
  async carry(request: TransportRequest, plan: NetworkPlan, ask: () => Promise<Reply>): Promise<TransportAnswer> {
    if (plan === 'no-way-there') throw new Error('no route');
    if (plan === 'portal') return answerOf(200, 'text/html', PORTAL);
    if (plan === 'lying-portal') return answerOf(200, SYNC_MEDIA_TYPE, PORTAL);
    if (plan === 'refused') return answerOf(this.#random.pick(REFUSALS), 'application/problem+json', PORTAL);
    const earlier = this.#seen[this.#random.between(0, Math.max(0, this.#seen.length - 1))];
    if (plan === 'duplicated') await ask();
    const reply = await ask();
    if (reply.status === 200) this.#seen.push(reply);
    const { status, mediaType, body } = reply;
    if (request.signal.aborted || plan === 'no-way-back') throw new Error('no route');
    const cut = body.subarray(0, this.#random.between(0, Math.max(0, body.length - 1)));
    switch (plan) {
      case 'truncated':
        return answerOf(status, mediaType, cut);
      case 'interrupted':
        return answerOf(status, mediaType, cut, true);
      case 'corrupted': {
        const wrong = Uint8Array.from(body);
        const at = this.#random.between(0, wrong.length - 1);
        wrong[at] = (wrong[at] ?? 0) ^ (1 << this.#random.between(0, 7));
        return answerOf(status, mediaType, wrong);
      }
      case 'replayed':
        if (earlier !== undefined) return answerOf(earlier.status, earlier.mediaType, earlier.body);
        throw new Error('no route');
      case 'good':
      case 'duplicated':
        await reply.sent();
        return answerOf(status, mediaType, body);
    }
  }
}
