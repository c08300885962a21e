import type { TransportAnswer, TransportRequest } from '@svc/device-sdk/adapters';
import { DEVICE_KEY_HEADER, NONCE_HEADER, SYNC_COUNTER_HEADER } from '@svc/protocol';
import type { Answer, Told } from './promise-checker.ts';
import type { NetworkPlan, Reply, SimulatedNetwork, Way } from './simulated-network.ts';
import type { SimulatedService } from './simulated-service.ts';
import type { TrueTime } from './true-time.ts';

/** A request on its way that is held up. */
interface Gate {
  readonly way: Way;
  readonly reached: () => void;
  readonly opened: Promise<void>;
}

/** Who asks. */
interface Asker {
  /** Whether it may have lost the key that the service has pinned. */
  readonly mayHaveLostKey: boolean;
  /** An answer is on its way, with the list keys that are sealed in it. */
  hear(told: Told, keys: readonly { readonly name: string; readonly key: Uint8Array }[]): void;
}

interface Ends {
  readonly network: SimulatedNetwork;
  readonly service: SimulatedService;
  readonly time: TrueTime;
}

/** A device's way to the service and back. */
export class Crossing {
  readonly #ends: Ends;
  /** What becomes of the requests of the sync that comes. */
  plan: NetworkPlan = 'good';
  /** The backup that the node serves that answers (its number null: the newest); null for the service as it is. */
  stale: { readonly backup: number | null } | null = null;
  /** Questions of the sync that runs, or ran last. */
  questions = 0;
  #gate: Gate | null = null;
  /** The request that is with the service, or was last. */
  #asked: Promise<unknown> = Promise.resolve();
  /** Thrown where the device would take it for a network that failed. */
  #broken: unknown = null;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  /** The next request is held up. @returns when it has come to the gate, and what opens that */
  holdUp(way: Way): { readonly reached: Promise<void>; readonly open: () => void } {
    let reach = () => {};
    let open = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gate = { way, reached: reach, opened };
    return { reached, open };
  }

  /** Requests that come after the one that was held up are not. */
  endHoldUp(): void {
    this.#gate = null;
  }

  /** Waits for a request that the device has given up. @throws what broke behind a device's back */
  async settle(): Promise<void> {
    await this.#asked;
    this.rethrow();
  }

  /** @throws what broke behind a device's back */
  rethrow(): void {
    if (this.#broken !== null) throw this.#broken;
  }

  carry(asker: Asker, request: TransportRequest): Promise<TransportAnswer> {
    this.questions += 1;
    const askedAtMs = this.#ends.time.now();
    const [gate, stale] = [this.#gate, this.stale];
    return this.#ends.network.carry(request, this.plan, () => {
      const asked = this.#ask(asker, request, { askedAtMs, gate, stale });
      // The device may have given up waiting, and goes on.
      this.#asked = asked.catch((error: unknown) => {
        this.#broken ??= error;
      });
      return asked;
    });
  }

  async #ask(
    asker: Asker,
    { headers, url }: TransportRequest,
    o: { readonly askedAtMs: number; readonly gate: Gate | null; readonly stale: Crossing['stale'] },
  ): Promise<Reply> {
    const { askedAtMs, gate, stale } = o;
    const { service } = this.#ends;
    const call = {
      authorization: headers.Authorization ?? '',
      deviceKey: headers[DEVICE_KEY_HEADER] ?? '',
      nonce: headers[NONCE_HEADER] ?? '',
      since: new URL(url).searchParams.get('since') ?? '',
      counter: headers[SYNC_COUNTER_HEADER],
    };
    if (gate?.way === 'there') await passing(gate);
    const answers: Answer[] = [];
    const onAnswer = (answer: Answer) => answers.push(answer);
    const reply =
      stale === null
        ? await service.answer(call, onAnswer, asker.mayHaveLostKey)
        : await service.answerStale(stale.backup, call, onAnswer);
    for (const answer of answers) {
      asker.hear({ ...answer, askedAtMs }, answer.isStale ? [] : await service.keysOf(answer));
    }
    if (gate?.way === 'back') await passing(gate);
    return reply;
  }
}

async function passing(gate: Gate): Promise<void> {
  gate.reached();
  await gate.opened;
}
