import { concatBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { lookupTagOf, recordDeleteAfterMs } from '@svc/core/pack';
import {
  ADMISSIONS_SIGNING,
  type AdmissionClaim,
  type AdmissionsAnswer,
  type AdmissionsRequest,
  type AnsweredAdmission,
  type ArrivalsReport,
  admissionsSigningInput,
  arrivalsSigningInput,
  MAX_ADMISSIONS_SENT,
} from '@svc/protocol/sync';
import type { AdmissionLog, ClaimVerdict, Entry, Learnt, QueuedRef } from '../admissions/admission-log.ts';
import { type ArrivalKind, lastDayFrom } from '../admissions/arrivals.ts';
import { ONGOING_WINDOW_MS, type QueuedCheckIn, type ReEntryRule, reEntryRule } from '../admissions/page.ts';
import { toBase64Url } from '../platform/bytes.ts';
import type { KeyStore, ListKeys } from '../storage/key-store.ts';
import { ADMISSION_KEY, signArrivals, signBy } from '../storage/list-keys.ts';
import type { FoundRecord } from '../trust/find-record.ts';
import type { AdmissionConflict, DeviceIdentity, HeldList } from '../trust/trust-state.ts';
import type { StoredState } from './stored-state.ts';

/** A message as Standard Webhooks has it. */
export interface OutgoingCheckIn {
  readonly url: string;
  readonly personId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A request to share admissions. */
export interface OutgoingAdmissions extends DeviceIdentity {
  readonly request: AdmissionsRequest;
  /** HMAC-SHA-256, base64url. */
  readonly signature: string;
}

/** Whether a door decided with the others. `off`: the list shares no admissions. */
export type Sharing = 'off' | 'together' | 'alone';

export const sharesAdmissions = (list: HeldList | null): boolean =>
  list?.reEntryScope === 'list' && (list.reEntry ?? 'off') !== 'off';

/** Where a door asks about a person. */
export interface Claims {
  /** Whether the service answers. */
  readonly isReached: boolean;
  readonly claim: (claim: AdmissionClaim) => Promise<ClaimVerdict>;
}

/** Numbers that may be given before the state is written again. One for each millisecond of an hour. */
const RESERVED_NUMBERS = 3_600_000;
/** Conflicts that are kept; older ones are dropped. */
const MAX_CONFLICTS = 20;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function bodyOf(
  { type, personId, atMs, checkedInAtMs, again }: QueuedCheckIn,
  { listId, deviceId }: DeviceIdentity,
): Uint8Array {
  const about = { listId, deviceId, personId, checkedInAt: new Date(checkedInAtMs).toISOString() };
  const data = type === 'person.checked-in' ? { ...about, again } : about;
  return utf8(JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }));
}

interface Lock {
  /** Runs one change of the stores at a time. */
  readonly change: <T>(action: () => Promise<T>) => Promise<T>;
  /** Called with the active list after a change of what is kept of it. */
  readonly renew: (list: HeldList) => void;
}

/** The log of admissions under the vault's lock: by the rule of the list, and signed with its secret. */
export class StoredAdmissions {
  readonly #log: AdmissionLog;
  readonly #stored: StoredState;
  readonly #keyStore: KeyStore;
  readonly #change: Lock['change'];
  readonly #renew: Lock['renew'];
  #lastSequence: number | null = null;

  constructor(log: AdmissionLog, stored: StoredState, keyStore: KeyStore, { change, renew }: Lock) {
    this.#log = log;
    this.#stored = stored;
    this.#keyStore = keyStore;
    this.#change = change;
    this.#renew = renew;
  }

  /** People whom this door and another one let in, when neither knew, for as long as they count. */
  get conflicts(): readonly AdmissionConflict[] {
    const { list } = this.#stored.state;
    return countingConflicts(list?.shared?.conflicts ?? [], reEntryRule(list), this.#nowMs());
  }

  /** How many admissions the service has not heard of. */
  get unsent(): number {
    return this.#log.unsent;
  }

  /**
   * Admits a verified person by the list's rule of re-entry. Durable when it resolves.
   * @param claims asks the service whether another door let the person in; not where this one did
   * @returns null if the list has changed since the person was found
   * @throws FaceError `storage-failed`
   */
  async admit(found: FoundRecord, claims: Claims): Promise<(Entry & { readonly sharing: Sharing }) | null> {
    const { personId } = found;
    const shared = await this.#change(async () => {
      const { list } = this.#stored.state;
      if (!this.#isOf(found) || !sharesAdmissions(list)) return null;
      const [tag, atMs] = [await this.#sharedTagOf(personId), this.#nowMs()];
      if (tag === null) return null;
      const isKnown = await this.#log.knows(personId, reEntryRule(list), atMs);
      return { tag, atMs, isKnown, sequence: await this.#nextSequence(atMs) };
    });
    const claim = shared && { tag: shared.tag, sequence: shared.sequence, at: new Date(shared.atMs).toISOString() };
    const verdict = claim === null || shared?.isKnown ? null : await claims.claim(claim);
    return this.#change(async () => {
      const { list } = this.#stored.state;
      if (!this.#isOf(found)) return null;
      const entrant = { personId, deleteAfterMs: recordDeleteAfterMs(found.record) };
      const told = shared && { ...shared, verdict };
      const entry = await this.#log.admit(entrant, reEntryRule(list), shared?.atMs ?? this.#nowMs(), told);
      const isTogether = verdict !== null || (shared?.isKnown === true && claims.isReached);
      return { ...entry, sharing: sharesAdmissions(list) ? (isTogether ? 'together' : 'alone') : 'off' };
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
      const nowMs = this.#nowMs();
      const deleteAfterMs = record === null ? nowMs + ONGOING_WINDOW_MS : recordDeleteAfterMs(record);
      await this.#log.turnAway({ personId, deleteAfterMs }, kind, reEntryRule(this.#stored.state.list), nowMs);
    });
  }

  /**
   * What this device counted so far, to be told under the number of its last answer; null if the list does not count. Of
   * the last day each five minutes in which it counted, so that its length does not tell when somebody came. What its
   * clock, before it was corrected, counted in times to come waits for them.
   * @throws FaceError `storage-failed`
   */
  arrivals(): Promise<ArrivalsReport | null> {
    return this.#change(async () => {
      const { list, identity, syncCounter: sequence } = this.#stored.state;
      if (list?.arrivals !== 'counts' || identity === null || sequence === undefined) return null;
      const nowMs = this.#nowMs();
      const all = await this.#log.arrivals(lastDayFrom(list.countsFromMs ?? nowMs, nowMs));
      const counted = all.filter(({ startsAtMs }) => startsAtMs <= nowMs);
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
    return this.#change(async () => {
      const { list } = this.#stored.state;
      const tag = sharesAdmissions(list) ? await this.#sharedTagOf(personId) : null;
      const nowMs = this.#nowMs();
      const shared = tag === null ? null : { tag, sequence: await this.#nextSequence(nowMs) };
      return this.#log.takeBack(personId, reEntryRule(list), nowMs, shared);
    });
  }

  /**
   * A signed request with what the service has not heard of, or with a claim alone; null where the list shares nothing.
   * @throws FaceError `storage-failed`
   */
  prepareExchange(nonce: string, claim?: AdmissionClaim): Promise<OutgoingAdmissions | null> {
    return this.#change(async () => {
      const { list, identity } = this.#stored.state;
      if (identity === null || list === null || !sharesAdmissions(list)) return null;
      const unsent = claim ? [] : await this.#log.firstUnsent(MAX_ADMISSIONS_SENT);
      const entries = unsent.map(({ tag, sequence, atMs, kind }) => {
        return { tag, sequence, at: new Date(atMs).toISOString(), kind };
      });
      const { cursor: since = 0, origin } = list.shared ?? {};
      const about = { listId: identity.listId, since, ...(origin === undefined ? {} : { origin }) };
      const request = { ...about, entries, ...(claim && { claim }) };
      const info = utf8(ADMISSIONS_SIGNING + identity.deviceId);
      const input = admissionsSigningInput(nonce, request);
      const signed = await this.#keys((keys) => signBy(keys, ADMISSION_KEY, info, input));
      if (signed === null) return null;
      const signature = toBase64Url(signed);
      return { ...identity, request, signature };
    });
  }

  /** Takes over a checked answer. @throws FaceError `storage-failed`; the next answer repeats it */
  takeAnswer({ request }: OutgoingAdmissions, answer: AdmissionsAnswer): Promise<void> {
    return this.#change(async () => {
      const { list } = this.#stored.state;
      if (list === null || !sharesAdmissions(list)) return;
      const heard = new Set(request.entries.map(({ sequence }) => sequence));
      const { cursor = 0, conflicts = [] } = list.shared ?? {};
      // Another answer came first: what has changed since may be undone by this one.
      const entries = cursor === request.since ? answer.entries : [];
      const learnt = entries.map((entry) => learntOf(entry, list));
      await this.#log.learn(heard, learnt, reEntryRule(list));
      if (cursor !== request.since) return;
      const next = {
        ...{ cursor: answer.cursor, origin: answer.origin },
        conflicts: countingConflicts(entries.reduce(withConflict, conflicts), reEntryRule(list), this.#nowMs()).slice(
          -MAX_CONFLICTS,
        ),
      };
      const shared = { ...list, shared: next };
      this.#stored.set({ ...this.#stored.state, list: shared });
      this.#renew(shared);
      await this.#stored.write();
    });
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
    return this.#change(() => this.#keys(sign));
  }

  /** Null without a list. Of a change. */
  async #keys<T>(action: (keys: ListKeys) => Promise<T>): Promise<T | null> {
    const { list } = this.#stored.state;
    const keys = list === null ? null : await this.#keyStore.listKeys(list.generation);
    try {
      return keys === null ? null : await action(keys);
    } finally {
      keys?.wipe();
    }
  }

  #isOf({ generation }: FoundRecord): boolean {
    const { list, wipe } = this.#stored.state;
    return list !== null && wipe === null && list.generation === generation;
  }

  /** Null if the device has no admission key. */
  #sharedTagOf(personId: string): Promise<string | null> {
    return this.#keys(async (keys) => {
      const derive = keys.keyOf(ADMISSION_KEY);
      return derive === null ? null : toBase64Url(await lookupTagOf(derive, personId));
    });
  }

  /** Ascends, also over restarts and a corrected clock. Of a change. @throws errors of the store */
  async #nextSequence(nowMs: number): Promise<number> {
    const { state } = this.#stored;
    const { reservedSequence = 0 } = state;
    const next = Math.max((this.#lastSequence ?? reservedSequence) + 1, nowMs);
    if (next > reservedSequence) await this.#stored.write({ ...state, reservedSequence: next + RESERVED_NUMBERS });
    this.#lastSequence = next;
    return next;
  }

  #nowMs(): number {
    return Math.floor(this.#stored.time().nowMs);
  }
}

/** Own admissions are in the log by themselves. */
function learntOf({ tag, at, door, own, takenBack }: AnsweredAdmission, { retentionDeadlineMs }: HeldList): Learnt {
  const atMs = Date.parse(at);
  const deleteAfterMs = retentionDeadlineMs ?? atMs + ONGOING_WINDOW_MS;
  return { tag, admission: own || takenBack ? null : { atMs, door, deleteAfterMs } };
}

const countingConflicts = (all: readonly AdmissionConflict[], { windowMs }: ReEntryRule, nowMs: number) =>
  all.filter(({ atMs, otherAtMs }) => windowMs === null || Math.max(atMs, otherAtMs) + windowMs > nowMs);

/** With the conflict of an entry in which this device took part, and without an earlier one of the same person. */
function withConflict(
  conflicts: readonly AdmissionConflict[],
  { tag, also, ...entry }: AnsweredAdmission,
): readonly AdmissionConflict[] {
  const others = conflicts.filter((one) => one.tag !== tag);
  const [own, other] = also?.own === true ? [also, entry] : [entry, also];
  if (!own.own || other === null || entry.takenBack) return others.length === conflicts.length ? conflicts : others;
  return [...others, { tag, atMs: Date.parse(own.at), otherAtMs: Date.parse(other.at), door: other.door }];
}
