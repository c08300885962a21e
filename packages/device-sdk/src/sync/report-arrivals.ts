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
  /** Buckets that the service is known to have, as they were sent since the start. */
  readonly #delivered = new Map<string, string>();

  constructor(options: ArrivalsReporterOptions) {
    this.#options = options;
  }

  /**
   * Sends the buckets that the service may lack, after each sync. Also if there are none, so that reports do not tell
   * when somebody came. Never rejects: what was not delivered is sent with the next sync.
   */
  async report(cancel: AbortSignal): Promise<void> {
    try {
      const counted = await this.#options.counts.arrivals();
      if (counted === null) return;
      const lacking = counted.buckets.filter((one) => this.#delivered.get(one.startsAt) !== JSON.stringify(one));
      do {
        const buckets = lacking.splice(0, MAX_ARRIVAL_BUCKETS);
        if (!(await this.#send({ ...counted, buckets }, cancel))) return;
        for (const one of buckets) this.#delivered.set(one.startsAt, JSON.stringify(one));
      } while (lacking.length > 0);
    } catch {
      // The network or the stores; the counts are where they were.
    }
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
