import type { DevicePorts } from '../config.ts';
import { markFromServer, readTrustedTime, type TimeMark, type TrustedTime } from '../trust/clock-rule.ts';
import { newTrustState, openTrustState, sealTrustState, type TrustState } from '../trust/trust-state.ts';

type StatePorts = Pick<DevicePorts, 'keyStore' | 'packStore' | 'clock'>;

/** The stored state; `state` is null if there is none or this device did not write it. */
export async function readState({ keyStore, packStore }: Omit<StatePorts, 'clock'>) {
  const sealed = await packStore.readState();
  return { sealed, state: sealed === null ? null : await openTrustState(sealed, keyStore) };
}

/** The state record in memory and in the store, and trusted time, whose mark is stored with it. */
export class StoredState {
  readonly #ports: StatePorts;
  #state: TrustState;
  #mark: TimeMark;

  /** @param state as read from the store; null for a new device of this token */
  constructor(ports: StatePorts, tokenHash: string, state: TrustState | null) {
    this.#ports = ports;
    this.#state = state ?? newTrustState(tokenHash);
    const { highestMs, wallLagMs } = this.#state;
    this.#mark = { highestMs, wallLagMs, monotonicMs: null };
  }

  get state(): TrustState {
    return this.#state;
  }

  time(): TrustedTime {
    const time = readTrustedTime(this.#mark, this.#reading());
    this.#mark = time.mark;
    return time;
  }

  /** Takes the time of an authentic answer. @returns restores the time before */
  takeServerTime(issuedAtMs: number, sentAtMonotonicMs: number): () => void {
    const before = this.#mark;
    this.#mark = markFromServer(issuedAtMs, sentAtMonotonicMs, this.#reading());
    return () => {
      this.#mark = before;
    };
  }

  /** Changes the state in memory, for what must hold even if it cannot be written. */
  set(state: TrustState): void {
    this.#state = state;
  }

  /** Writes the state with the time mark; memory changes only after it is written. */
  async write(state = this.#state): Promise<void> {
    const { highestMs, wallLagMs } = this.#mark;
    const next = { ...state, highestMs, wallLagMs };
    await this.#ports.packStore.writeState(await sealTrustState(next, this.#ports.keyStore));
    this.#state = next;
  }

  #reading() {
    const { clock } = this.#ports;
    return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
  }
}
