import type { SeededRandom } from '@svc/api/testing';
import type { TransportAnswer, TransportRequest } from '@svc/device-sdk/adapters';
import { DEVICE_KEY_HEADER, NONCE_HEADER, SYNC_COUNTER_HEADER, SYNC_MEDIA_TYPE } from '@svc/protocol';
import { signal } from '../support/service.ts';
import type { Told } from './promise-checker.ts';
import type { SimulatedService } from './simulated-service.ts';
import type { TrueTime } from './true-time.ts';

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

/** As the service replies. */
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

/** A delayed request. */
interface Gate {
  readonly way: Way;
  readonly reached: ReturnType<typeof signal>;
  readonly opened: ReturnType<typeof signal>;
}

/** The device that asks. */
interface Asker {
  /** Called when an answer is on its way, with the list keys sealed in it. */
  hear(told: Told, keys: readonly { readonly name: string; readonly key: Uint8Array }[]): void;
}

/** The network between the devices and the service. */
export interface SimulatedNetwork {
  readonly random: SeededRandom;
  readonly service: SimulatedService;
  readonly time: TrueTime;
  /** Answers so far, for replays. */
  readonly seen: Reply[];
}

/** A device's connection to the service. */
export class Crossing {
  readonly #network: SimulatedNetwork;
  /** What happens to the requests of the next sync. */
  plan: NetworkPlan = 'good';
  /** Questions of the running sync, or of the last one. */
  questions = 0;
  #gate: Gate | null = null;
  /** The request at the service, or the last one. */
  #asked: Promise<unknown> = Promise.resolve();
  /** Thrown if the device would take it for a network failure. */
  #broken: unknown = null;

  constructor(network: SimulatedNetwork) {
    this.#network = network;
  }

  /** Delays the next request. @returns its arrival at the gate, and a function that opens the gate */
  holdUp(way: Way): { readonly reached: Promise<void>; readonly open: () => void } {
    const [reached, opened] = [signal(), signal()];
    this.#gate = { way, reached, opened };
    return { reached: reached.came, open: opened.come };
  }

  /** Later requests are not delayed. */
  endHoldUp(): void {
    this.#gate = null;
  }

  /** Waits for a request that the device has abandoned. @throws errors that the device did not see */
  async settle(): Promise<void> {
    await this.#asked;
    this.rethrow();
  }

  /** @throws errors that the device did not see */
  rethrow(): void {
    if (this.#broken !== null) throw this.#broken;
  }

  async carry(asker: Asker, request: TransportRequest): Promise<TransportAnswer> {
    this.questions += 1;
    const { random, seen, time } = this.#network;
    const { plan } = this;
    if (plan === 'no-way-there') throw new Error('no route');
    if (plan === 'portal') return answerOf(200, 'text/html', PORTAL);
    if (plan === 'lying-portal') return answerOf(200, SYNC_MEDIA_TYPE, PORTAL);
    if (plan === 'refused') return answerOf(random.pick(REFUSALS), 'application/problem+json', PORTAL);
    const earlier = seen[random.between(0, Math.max(0, seen.length - 1))];
    const [askedAtMs, gate] = [time.now(), this.#gate];
    if (plan === 'duplicated') await this.#ask(asker, request, askedAtMs, gate);
    const reply = await this.#ask(asker, request, askedAtMs, gate);
    if (reply.status === 200) seen.push(reply);
    const { status, mediaType, body } = reply;
    if (request.signal.aborted || plan === 'no-way-back') throw new Error('no route');
    const cut = body.subarray(0, random.between(0, Math.max(0, body.length - 1)));
    switch (plan) {
      case 'truncated':
        return answerOf(status, mediaType, cut);
      case 'interrupted':
        return answerOf(status, mediaType, cut, true);
      case 'corrupted': {
        const wrong = Uint8Array.from(body);
        const at = random.between(0, wrong.length - 1);
        wrong[at] = (wrong[at] ?? 0) ^ (1 << random.between(0, 7));
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

  #ask(asker: Asker, request: TransportRequest, askedAtMs: number, gate: Gate | null): Promise<Reply> {
    const asked = this.#passOn(asker, request, askedAtMs, gate);
    // The device may have stopped waiting and continues.
    this.#asked = asked.catch((error: unknown) => {
      this.#broken ??= error;
    });
    return asked;
  }

  async #passOn(asker: Asker, { headers, url }: TransportRequest, askedAtMs: number, gate: Gate | null) {
    const { service } = this.#network;
    const call = {
      authorization: headers.Authorization ?? '',
      deviceKey: headers[DEVICE_KEY_HEADER] ?? '',
      nonce: headers[NONCE_HEADER] ?? '',
      since: new URL(url).searchParams.get('since') ?? '',
      counter: headers[SYNC_COUNTER_HEADER],
    };
    if (gate?.way === 'there') await passing(gate);
    const { reply, answer } = await service.answer(call);
    if (answer !== null) asker.hear({ ...answer, askedAtMs }, await service.keysOf(answer));
    if (gate?.way === 'back') await passing(gate);
    return reply;
  }
}

async function passing(gate: Gate): Promise<void> {
  gate.reached.come();
  await gate.opened.came;
}
