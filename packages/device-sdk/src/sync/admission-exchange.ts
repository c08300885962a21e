import {
  ADMISSIONS_PATH,
  type AdmissionClaim,
  admissionsAnswerSchema,
  NONCE_BYTES,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  SYNC_MEDIA_TYPE,
} from '@svc/protocol/sync';
import type { ClaimVerdict } from '../admissions/admission-log.ts';
import type { WholePorts } from '../config.ts';
import { toBase64Url } from '../platform/bytes.ts';
import { withTimeout } from '../platform/timing.ts';
import { type ResolvedRegion, trustedSigningKeys } from '../trust/region.ts';
import type { Claims, OutgoingAdmissions } from '../vault/stored-admissions.ts';
import type { Vault } from '../vault/vault.ts';
import { openEnvelope } from './check-answer.ts';
import { readBody, refuseOtherAnswers } from './fetch-answer.ts';
import { SyncRefusal } from './sync-result.ts';

/** How long a verified person waits at most for the service. */
const CLAIM_TIMEOUT_MS = 1_500;
const TIMEOUT_MS = 10_000;
/** After a failure nobody waits for this long. */
const PAUSE_MS = 15_000;
/** How long an answer tells that the service is reached; it is asked each minute, or at least with each sync. */
const REACHED_MS = 10 * 60_000;
const MAX_ANSWER_BYTES = 2 ** 20;

export interface AdmissionExchangeOptions {
  readonly vault: Vault;
  readonly region: ResolvedRegion;
  readonly deviceToken: string;
  readonly ports: WholePorts;
  /** Called after each exchange. */
  readonly onEnd: () => void;
}

/** Shares whom this door and the list's others let in, by way of the service. */
export class AdmissionExchange implements Claims {
  readonly #options: AdmissionExchangeOptions;
  readonly #cancel = new AbortController();
  #running: Promise<void> | null = null;
  /** By the monotonic clock: of the last answer or the start, and of the failure since. */
  #reachedAtMs: number;
  #failedAtMs: number | null = null;

  constructor(options: AdmissionExchangeOptions) {
    this.#options = options;
    this.#reachedAtMs = this.#nowMs();
  }

  /** Whether the service answered the last time, and lately; true at the start. */
  get isReached(): boolean {
    return this.#failedAtMs === null && this.#nowMs() - this.#reachedAtMs < REACHED_MS;
  }

  /**
   * Asks whether a person may be let in; null if the service does not answer in time. After a failure nobody waits, and
   * the service is asked beside. Never rejects.
   */
  async claim(claim: AdmissionClaim): Promise<ClaimVerdict> {
    if (this.#failedAtMs !== null && this.#nowMs() - this.#failedAtMs < PAUSE_MS) {
      void this.share();
      return null;
    }
    const answer = await this.#ask(CLAIM_TIMEOUT_MS, claim);
    if (answer === null) return null;
    const { elsewhere } = answer;
    if (elsewhere === null) return { elsewhere };
    const atMs = Date.parse(elsewhere.at);
    return { elsewhere: elsewhere.own ? { atMs } : { atMs, door: elsewhere.door } };
  }

  /** Tells what the service has not heard of, and learns what others told. Never rejects. */
  share(): Promise<void> {
    this.#running ??= this.#share().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Ends running exchanges, and refuses later ones. */
  async close(): Promise<void> {
    this.#cancel.abort();
    await this.#running;
  }

  async #share(): Promise<void> {
    for (let isMore = true; isMore && !this.#cancel.signal.aborted; ) {
      const answer = await this.#ask(TIMEOUT_MS);
      isMore = answer !== null && (answer.more || this.#options.vault.admissions.unsent > 0);
    }
  }

  async #ask(timeoutMs: number, claim?: AdmissionClaim) {
    const { vault, ports, onEnd } = this.#options;
    const { signal: cancel } = this.#cancel;
    let isOut = false;
    try {
      const nonce = toBase64Url(ports.random.bytes(NONCE_BYTES));
      const asked = await withTimeout({ timeoutMs, timers: ports.timers, cancel }, async (signal) => {
        const outgoing = await vault.admissions.prepareExchange(nonce, claim);
        if (outgoing === null || signal.aborted) return null;
        isOut = true;
        return { outgoing, answer: await this.#fetch(outgoing, nonce, signal) };
      });
      if (asked === null) return null;
      isOut = false;
      [this.#reachedAtMs, this.#failedAtMs] = [this.#nowMs(), null];
      if (claim === undefined) await vault.admissions.takeAnswer(asked.outgoing, asked.answer);
      return asked.answer;
    } catch {
      // A disk that fails says nothing of the network; what it did not take comes again.
      if (isOut) this.#failedAtMs = this.#nowMs();
      return null;
    } finally {
      onEnd();
    }
  }

  #nowMs(): number {
    return this.#options.ports.clock.monotonicMs();
  }

  /** @throws SyncRefusal for an answer that is not the service's, or to another request */
  async #fetch({ request, signature, listId, deviceId }: OutgoingAdmissions, nonce: string, signal: AbortSignal) {
    const { region, deviceToken, ports, vault } = this.#options;
    const answer = await ports.transport({
      url: `${region.baseUrl}${ADMISSIONS_PATH}`,
      headers: {
        Authorization: `Bearer ${deviceToken}`,
        Accept: SYNC_MEDIA_TYPE,
        'Content-Type': 'application/json',
        [NONCE_HEADER]: nonce,
        [SIGNATURE_HEADER]: signature,
      },
      body: new TextEncoder().encode(JSON.stringify(request)),
      signal,
    });
    refuseOtherAnswers(answer);
    const signingKeys = trustedSigningKeys(region.signingKeys, vault.state.signing);
    const { manifest } = await openEnvelope(await readBody(answer, MAX_ANSWER_BYTES), { signingKeys });
    const read = admissionsAnswerSchema.parse(JSON.parse(new TextDecoder().decode(manifest)));
    if (read.nonce !== nonce) throw new SyncRefusal('other-nonce');
    if (read.deviceId !== deviceId) throw new SyncRefusal('other-device');
    if (read.listId !== listId) throw new SyncRefusal('other-list');
    return read;
  }
}
