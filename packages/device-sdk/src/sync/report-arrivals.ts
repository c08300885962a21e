import { ARRIVALS_PATH, type ArrivalsReport, MAX_ARRIVAL_BUCKETS } from '@svc/protocol/sync';
import { toBase64Url } from '../platform/bytes.ts';
import type { Timers } from '../platform/platform.ts';
import { withTimeout } from '../platform/timing.ts';
import type { Transport } from '../platform/transport.ts';
import type { StoredAdmissions } from '../vault/stored-admissions.ts';

/** As the check-ins have. */
const TIMEOUT_MS = 10_000;

export interface ArrivalsReporterOptions {
  readonly counts: Pick<StoredAdmissions, 'arrivals' | 'signArrivals'>;
  readonly baseUrl: string;
  readonly deviceToken: string;
  readonly ports: { readonly transport: Transport; readonly timers: Timers };
}

/** Delivers what the device counted to the service. */
export class ArrivalsReporter {
  readonly #options: ArrivalsReporterOptions;
  /** Whether the service may lack what is older than a day: until a report since the start, and the last one, was taken. */
  #isBehind = true;
  #sent: Promise<void> = Promise.resolve();

  constructor(options: ArrivalsReporterOptions) {
    this.#options = options;
  }

  /** Resolves when no report is being sent. */
  get sent(): Promise<void> {
    return this.#sent;
  }

  /** Sends a report after each sync, one at a time. What is not delivered is sent with the next one. */
  report(cancel: AbortSignal): void {
    // The network or the stores can fail; the counts are where they were.
    this.#sent = this.#sent.then(() => this.#report(cancel)).catch(() => undefined);
  }

  /** Each time all of the last day, which a service may lack that was restored, and which is as long whoever came. */
  async #report(cancel: AbortSignal): Promise<void> {
    const counted = await this.#options.counts.arrivals();
    if (counted === null) return;
    const { buckets } = counted;
    const first = this.#isBehind ? 0 : Math.max(0, buckets.length - MAX_ARRIVAL_BUCKETS);
    this.#isBehind = true;
    for (let end = buckets.length; end === buckets.length || end > first; end -= MAX_ARRIVAL_BUCKETS) {
      const part = buckets.slice(Math.max(first, end - MAX_ARRIVAL_BUCKETS), end);
      if (!(await this.#send({ ...counted, buckets: part }, cancel))) return;
    }
    this.#isBehind = false;
  }

  /** @returns whether the service has it */
  async #send(report: ArrivalsReport, cancel: AbortSignal): Promise<boolean> {
    const { counts, baseUrl, deviceToken, ports } = this.#options;
    const signature = await counts.signArrivals(report);
    if (signature === null) return false;
    const body = new TextEncoder().encode(JSON.stringify({ ...report, signature: toBase64Url(signature) }));
    const headers = { Authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' };
    return withTimeout({ timeoutMs: TIMEOUT_MS, timers: ports.timers, cancel }, async (signal) => {
      const { status } = await ports.transport({ url: `${baseUrl}${ARRIVALS_PATH}`, headers, body, signal });
      return status === 204;
    });
  }
}
