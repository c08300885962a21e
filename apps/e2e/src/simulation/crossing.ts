import type { TransportAnswer, TransportRequest } from '@svc/device-sdk/adapters';
import { DEVICE_KEY_HEADER, NONCE_HEADER, SYNC_COUNTER_HEADER } from '@svc/protocol';
import type { Answer, Told } from './promise-checker.ts';
import type { NetworkPlan, Reply, SimulatedNetwork, Way } from './simulated-network.ts';
import type { SimulatedService } from './simulated-service.ts';
import type { TrueTime } from './true-time.ts';

/** A delayed request. */
interface Gate {
  readonly way: Way;
  readonly reached: () => void;
  readonly opened: Promise<void>;
}

/** The device that asks. */
interface Asker {
  /** Whether it may have lost the key that the service has pinned. */
  readonly mayHaveLostKey: boolean;
  /** Called when an answer is on its way, with the list keys sealed in it. */
  hear(told: Told, keys: readonly { readonly name: string; readonly key: Uint8Array }[]): void;
}

interface Ends {
  readonly network: SimulatedNetwork;
  readonly service: SimulatedService;
  readonly time: TrueTime;
}

/** A device's connection to the service. */
export class Crossing {
  readonly #ends: Ends;
  /** What happens to the requests of the next sync. */
  plan: NetworkPlan = 'good';
  /** The backup served by the answering node (number null: the newest); null for the current service. */
  stale: { readonly backup: number | null } | null = null;
  /** Questions of the running sync, or of the last one. */
  questions = 0;
  #gate: Gate | null = null;
  /** The request at the service, or the last one. */
  #asked: Promise<unknown> = Promise.resolve();
  /** Thrown if the device would take it for a network failure. */
  #broken: unknown = null;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  /** Delays the next request. @returns its arrival at the gate, and a function that opens the gate */
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

  carry(asker: Asker, request: TransportRequest): Promise<TransportAnswer> {
    this.questions += 1;
    const askedAtMs = this.#ends.time.now();
    const [gate, stale] = [this.#gate, this.stale];
    return this.#ends.network.carry(request, this.plan, () => {
      const asked = this.#ask(asker, request, { askedAtMs, gate, stale });
      // The device may have stopped waiting and continues.
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
