import { concatBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { recordDeleteAfterMs } from '@svc/core/pack';
import { type ArrivalsReport, arrivalsSigningInput } from '@svc/protocol/sync';
import type { AdmissionLog, Entry, QueuedRef } from '../admissions/admission-log.ts';
import type { ArrivalKind } from '../admissions/arrivals.ts';
import { ONGOING_WINDOW_MS, type QueuedCheckIn, reEntryRule } from '../admissions/page.ts';
import type { KeyStore, ListKeys } from '../storage/key-store.ts';
import { signArrivals } from '../storage/list-keys.ts';
import type { FoundRecord } from '../trust/find-record.ts';
import type { DeviceIdentity } from '../trust/trust-state.ts';
import type { StoredState } from './stored-state.ts';

/** A message as Standard Webhooks has it. */
export interface OutgoingCheckIn {
  readonly url: string;
  readonly personId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function bodyOf(
  { type, personId, atMs, checkedInAtMs, again }: QueuedCheckIn,
  { listId, deviceId }: DeviceIdentity,
): Uint8Array {
  const about = { listId, deviceId, personId, checkedInAt: new Date(checkedInAtMs).toISOString() };
  const data = type === 'person.checked-in' ? { ...about, again } : about;
  return utf8(JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }));
}

/** The log of admissions under the vault's lock: by the rule of the list, and signed with its secret. */
export class StoredAdmissions {
  readonly #log: AdmissionLog;
  readonly #stored: StoredState;
  readonly #keyStore: KeyStore;
  readonly #change: <T>(action: () => Promise<T>) => Promise<T>;

  constructor(
    log: AdmissionLog,
    stored: StoredState,
    keyStore: KeyStore,
    change: <T>(action: () => Promise<T>) => Promise<T>,
  ) {
    this.#log = log;
    this.#stored = stored;
    this.#keyStore = keyStore;
    this.#change = change;
  }

  /**
   * Admits a verified person by the list's rule of re-entry. Durable when it resolves.
   * @returns null if the list has changed since the person was found
   * @throws FaceError `storage-failed`
   */
  admit({ personId, generation, record }: FoundRecord): Promise<Entry | null> {
    return this.#change(async () => {
      const { list, wipe } = this.#stored.state;
      if (list === null || wipe !== null || list.generation !== generation) return null;
      const entrant = { personId, deleteAfterMs: recordDeleteAfterMs(record) };
      return this.#log.admit(entrant, reEntryRule(list), this.#nowMs());
    });
  }

  /**
   * Counts somebody who was not let in, if the list counts arrivals. An ID without a record is remembered for twelve hours,
   * so that it counts once.
   * @param record of the person; null for none
   * @throws FaceError `storage-failed`
   */
  turnAway(personId: string, kind: ArrivalKind, record: Uint8Array | null): Promise<void> {
    return this.#change(async () => {
      if (this.#stored.state.list?.arrivals !== 'counts') return;
      const nowMs = this.#nowMs();
      const deleteAfterMs = record === null ? nowMs + ONGOING_WINDOW_MS : recordDeleteAfterMs(record);
      await this.#log.turnAway({ personId, deleteAfterMs }, kind, nowMs);
    });
  }

  /**
   * What this device counted so far, to be told under the number of its last answer; null if the list does not count. What
   * its clock, before it was corrected, counted in times to come waits for them.
   * @throws FaceError `storage-failed`
   */
  arrivals(): Promise<ArrivalsReport | null> {
    return this.#change(async () => {
      const { list, identity, syncCounter: sequence } = this.#stored.state;
      if (list?.arrivals !== 'counts' || identity === null || sequence === undefined) return null;
      const counted = (await this.#log.arrivals()).filter(({ startsAtMs }) => startsAtMs <= this.#nowMs());
      const buckets = counted.map(({ startsAtMs, ...counts }) => ({
        startsAt: new Date(startsAtMs).toISOString(),
        ...counts,
      }));
      return { listId: identity.listId, sequence, buckets };
    });
  }

  /** The signature of a report; null without a list or secret. @throws FaceError `storage-failed` */
  signArrivals = (report: ArrivalsReport): Promise<Uint8Array | null> =>
    this.#withKeys((keys) => signArrivals(keys, arrivalsSigningInput(report)));

  /** @returns false if the person does not count as admitted @throws FaceError `storage-failed` */
  takeBack(personId: string): Promise<boolean> {
    return this.#change(() => this.#log.takeBack(personId, reEntryRule(this.#stored.state.list), this.#nowMs()));
  }

  refs(): readonly QueuedRef[] {
    return this.#log.queue;
  }

  /**
   * A check-in, signed to be sent now. `gone`: it is not in the queue any more. `unaddressed`: the list has no address
   * for check-ins now.
   * @throws FaceError `storage-failed`
   */
  async prepare(ref: QueuedRef): Promise<OutgoingCheckIn | 'gone' | 'unaddressed'> {
    const { list, identity } = this.#stored.state;
    const url = list?.checkIn?.url;
    if (url === undefined || identity === null) return 'unaddressed';
    const queued = await this.#change(() => this.#log.queued(ref));
    if (queued === null) return 'gone';
    const body = bodyOf(queued, identity);
    const seconds = String(Math.floor(this.#stored.time().nowMs / 1_000));
    const signed = concatBytes(utf8(`${queued.id}.${seconds}.`), body);
    const signature = await this.#withKeys((keys) => keys.signCheckIn(signed));
    if (signature === null) return 'unaddressed';
    const headers = {
      'content-type': 'application/json',
      'webhook-id': queued.id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${base64.encode(signature)}`,
    };
    return { url, personId: queued.personId, headers, body };
  }

  /** Drops a check-in from the queue, with the personId. @throws FaceError `storage-failed` */
  settle(ref: QueuedRef): Promise<void> {
    return this.#change(() => this.#log.settle(ref));
  }

  /** Null without a list. */
  #withKeys<T>(sign: (keys: ListKeys) => Promise<T>): Promise<T | null> {
    return this.#change(async () => {
      const { list } = this.#stored.state;
      const keys = list === null ? null : await this.#keyStore.listKeys(list.generation);
      try {
        return keys === null ? null : await sign(keys);
      } finally {
        keys?.wipe();
      }
    });
  }

  #nowMs(): number {
    return Math.floor(this.#stored.time().nowMs);
  }
}
