import { FaceError } from '@svc/core';
import { lookupTagOf } from '@svc/core/pack';
import type { WholePorts } from '../config.ts';
import { fromBase64Url, toBase64Url } from '../platform/bytes.ts';
import type { KeyStore } from '../storage/key-store.ts';
import {
  type ArrivalBucket,
  type ArrivalKind,
  keptArrivals,
  sumOfBuckets,
  withArrival,
  withoutArrival,
} from './arrivals.ts';
import {
  type Admission,
  type CheckInType,
  decodePage,
  EMPTY_PAGE,
  encodePage,
  isEmpty,
  isOver,
  type LearntAdmission,
  ONGOING_WINDOW_MS,
  type Page,
  type QueuedCheckIn,
  type ReEntryRule,
  tagText,
  type UnsentAdmission,
} from './page.ts';

/** A person is always on the same page. An admission rewrites one page, so more pages make it cheaper. */
export const PAGES = 64;
/** The smallest page in the store; larger ones double, so that sizes tell little about numbers. */
const SMALLEST_PAGE_BYTES = 4_096;
/** Some 500,000 people, 100,000 whose tickets are counted, or 70,000 undelivered check-ins; above it the log is full. */
const LARGEST_PAGE_BYTES = 2 ** 18;
const SALT_BYTES = 32;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const AEAD_TAG_BYTES = 16;
const OVERHEAD_BYTES = SALT_BYTES + AEAD_TAG_BYTES;
const ID_BYTES = 16;
const LABEL = new TextEncoder().encode('svc/admissions/v1');

type LogPorts = Pick<WholePorts, 'keyStore' | 'packStore' | 'aead' | 'random'>;

export interface Entrant {
  readonly personId: string;
  readonly deleteAfterMs: number;
}

export type Entry =
  /** `recorded`: the log has it. `alreadyAdmittedAtMs`: the last time before, null for the first time. */
  | {
      readonly kind: 'admitted';
      readonly recorded: boolean;
      readonly alreadyAdmittedAtMs: number | null;
      readonly door?: string;
    }
  | { readonly kind: 'refused'; readonly alreadyAdmittedAtMs: number; readonly door?: string };

/** When a person was let in before, and the name of the door if it was another one. */
export interface Before {
  readonly atMs: number;
  readonly door?: string;
}

/** What the service says of a claim: another door's admission, if one counts. Null: it was not reached in time. */
export type ClaimVerdict = { readonly elsewhere: Before | null } | null;

/** A person at a door that shares its admissions. */
export interface SharedEntrant {
  /** 16 bytes in base64url, under the list's admission key. */
  readonly tag: string;
  readonly sequence: number;
  /** What the service said of the claim; null: it was not reached, and has to be told. */
  readonly verdict: ClaimVerdict;
}

/** A change of what another door told; null: it does not count any more. */
export type Learnt = Pick<LearntAdmission, 'tag'> & { readonly admission: Omit<LearntAdmission, 'tag'> | null };

export interface QueuedRef {
  readonly sequence: number;
  readonly page: number;
}

/** What is known of a stored page without reading it again. */
interface PageFacts {
  /** The next time at which something of it is over: of the first admission, and of the first deadline. */
  readonly firstAtMs: number;
  readonly nextDeleteAfterMs: number;
  readonly sequences: readonly number[];
  readonly unsent: readonly number[];
  /** How some tickets are counted. */
  readonly buckets: readonly ArrivalBucket[];
}

/**
 * The log of the people whom this device let in, of what is still to be told of them, and of how many came, sealed in
 * pages under a key of its own. An admission, its message and its count are written at once: none is there without the
 * others. The caller runs one method at a time.
 */
export class AdmissionLog {
  readonly #ports: LogPorts;
  /** By page; null before the first use. */
  #facts: Map<number, PageFacts> | null = null;
  /** False after a failed write, when it is unknown what the store has. */
  #isCurrent = false;
  #lastSequence = 0;

  constructor(ports: LogPorts) {
    this.#ports = ports;
  }

  /** Undelivered check-ins, the first one first; none before the log was read. */
  get queue(): readonly QueuedRef[] {
    return [...(this.#facts ?? [])]
      .flatMap(([page, { sequences }]) => sequences.map((sequence) => ({ sequence, page })))
      .sort((a, b) => a.sequence - b.sequence);
  }

  /** Forgets what is in memory, after the stores were erased or before they are read again. */
  forget(): void {
    this.#facts = null;
  }

  /**
   * Lets a verified person in, or not. Durable when it resolves.
   * @throws FaceError `storage-failed`, also for a full log, and where a page that was altered might name the person and
   *   the policy is to refuse
   */
  async admit(
    { personId, deleteAfterMs }: Entrant,
    rule: ReEntryRule,
    nowMs: number,
    shared: SharedEntrant | null = null,
  ): Promise<Entry> {
    const isLogged = rule.policy !== 'off' || rule.tells;
    if (!isLogged && rule.countsFromMs === null)
      return { kind: 'admitted', recorded: false, alreadyAdmittedAtMs: null };
    await this.#load();
    const { tag, page } = await this.#placeOf(personId);
    const content = await this.#readFor(rule, page);
    const { admissions, queued, arrivals, unsent } = content;
    const verdict = shared?.verdict ?? null;
    const own = ownOf(content, tag, rule, nowMs);
    // Where the service answered, what was learnt before is outdated.
    const before = own ?? (verdict ? verdict.elsewhere : shared && (await this.#learnt(shared.tag, rule, nowMs)));
    // Trusted time can be corrected backwards by a sync.
    const beforeMs = before === null ? null : Math.min(before.atMs, nowMs);
    const door = before?.door === undefined ? {} : { door: before.door };
    if (rule.policy === 'refuse' && beforeMs !== null) {
      return { kind: 'refused', alreadyAdmittedAtMs: beforeMs, ...door };
    }
    const again = beforeMs !== null;
    const message = { personId, atMs: nowMs, checkedInAtMs: nowMs, again, deleteAfterMs };
    const isUnsent = shared !== null && !(verdict !== null && before === null);
    const kind = again ? 'admitted-again' : 'admitted';
    await this.#write(page, {
      ...content,
      admissions: isLogged ? [...without(admissions, tag), { tag, atMs: nowMs, deleteAfterMs }] : admissions,
      queued: rule.tells ? [...queued, this.#message('person.checked-in', message)] : queued,
      arrivals: withArrival(arrivals, { tag, kind: 'admitted', atMs: nowMs, deleteAfterMs }, rule),
      unsent: isUnsent
        ? [...unsent, { tag: shared.tag, sequence: shared.sequence, atMs: nowMs, deleteAfterMs, kind }]
        : unsent,
    });
    if (rule.policy !== 'warn') return { kind: 'admitted', recorded: isLogged, alreadyAdmittedAtMs: null };
    return { kind: 'admitted', recorded: true, alreadyAdmittedAtMs: beforeMs, ...door };
  }

  /** Whether this device let the person in. @throws FaceError as {@link admit} */
  async knows(personId: string, rule: ReEntryRule, nowMs: number): Promise<boolean> {
    await this.#load();
    const { tag, page } = await this.#placeOf(personId);
    return ownOf(await this.#readFor(rule, page), tag, rule, nowMs) !== null;
  }

  /**
   * Counts somebody who was not let in, unless the ticket is counted as this or better. Durable when it resolves.
   * @throws FaceError `storage-failed`
   */
  async turnAway(
    { personId, deleteAfterMs }: Entrant,
    kind: ArrivalKind,
    rule: ReEntryRule,
    nowMs: number,
  ): Promise<void> {
    if (rule.countsFromMs === null) return;
    await this.#load();
    const { tag, page } = await this.#placeOf(personId);
    const content = await this.#readOrForget(page);
    const arrivals = withArrival(content.arrivals, { tag, kind, atMs: nowMs, deleteAfterMs }, rule);
    if (arrivals !== content.arrivals) await this.#write(page, { ...content, arrivals });
  }

  /** How many came, by five minutes, the earliest first, with nobody at `others`. @throws FaceError `storage-failed` */
  async arrivals(others: readonly ArrivalBucket[]): Promise<readonly ArrivalBucket[]> {
    return sumOfBuckets([others, ...[...(await this.#load()).values()].map(({ buckets }) => buckets)]);
  }

  /**
   * The person counts as not let in from here on. Durable when it resolves.
   * @param shared as the list's other devices know the person, who are told in any case: the service may have a claim
   *   that came to nothing here; null if they are not told
   * @returns false if the person was not let in
   * @throws FaceError `storage-failed`
   */
  async takeBack(
    personId: string,
    rule: ReEntryRule,
    nowMs: number,
    shared: Omit<SharedEntrant, 'verdict'> | null = null,
  ): Promise<boolean> {
    if ((await this.#load()).size === 0 && shared === null) return false;
    const { tag, page } = await this.#placeOf(personId);
    const content = await this.#read(page);
    const { admissions, queued, arrivals, unsent } = content;
    const isHim = (one: { readonly tag: string }) => one.tag === tag;
    const counted = arrivals.seen.find((one) => isHim(one) && one.kind === 'admitted');
    // What is not logged, because nobody is told or refused, is counted all the same.
    const taken = admissions.find((one) => isHim(one) && !isOver(one, rule.windowMs, nowMs)) ?? counted;
    const { atMs: checkedInAtMs, deleteAfterMs } = taken ?? { atMs: nowMs, deleteAfterMs: nowMs + ONGOING_WINDOW_MS };
    const end = shared && ({ ...shared, atMs: checkedInAtMs, deleteAfterMs, kind: 'taken-back' } as const);
    if (taken === undefined) {
      if (end !== null) await this.#write(page, { ...content, unsent: [...unsent, end] });
      return false;
    }
    const message = { personId, atMs: nowMs, checkedInAtMs, again: false, deleteAfterMs };
    await this.#write(page, {
      ...content,
      admissions: without(admissions, tag),
      queued: rule.tells ? [...queued, this.#message('person.check-in-taken-back', message)] : queued,
      arrivals: counted === undefined ? arrivals : withoutArrival(arrivals, tag),
      unsent: end === null ? unsent : [...unsent, end],
    });
    return true;
  }

  /** How many admissions the service has not heard of. */
  get unsent(): number {
    return [...(this.#facts ?? [])].reduce((sum, [, { unsent }]) => sum + unsent.length, 0);
  }

  /** The first of them, up to a number, in their order. @throws FaceError `storage-failed` */
  async firstUnsent(limit: number): Promise<readonly UnsentAdmission[]> {
    const all: UnsentAdmission[] = [];
    for (const [page, { unsent }] of await this.#load()) {
      if (unsent.length > 0) all.push(...(await this.#readOrForget(page)).unsent);
    }
    return all.sort((a, b) => a.sequence - b.sequence).slice(0, limit);
  }

  /**
   * Drops what the service has heard of, and stores what other doors told.
   * @throws FaceError `storage-failed`; some of it may be stored
   */
  async learn(heard: ReadonlySet<number>, learnt: readonly Learnt[], rule: ReEntryRule): Promise<void> {
    const pages = new Map<number, Learnt[]>();
    for (const [page, { unsent }] of await this.#load()) {
      if (unsent.some((sequence) => heard.has(sequence))) pages.set(page, []);
    }
    for (const one of learnt) {
      const page = sharedPageOf(one.tag);
      pages.set(page, [...(pages.get(page) ?? []), one]);
    }
    for (const [page, changes] of pages) {
      const content = await this.#readFor(rule, page).catch((error: unknown) => {
        // It stays: nobody of it is let in.
        if (error instanceof AlteredPage) return null;
        throw error;
      });
      if (content === null) continue;
      const byTag = new Map(content.learnt.map((one) => [one.tag, one]));
      for (const { tag, admission } of changes) {
        if (admission === null) byTag.delete(tag);
        else byTag.set(tag, { tag, ...admission });
      }
      const unsent = content.unsent.filter(({ sequence }) => !heard.has(sequence));
      if (changes.length === 0 && unsent.length === content.unsent.length) continue;
      await this.#write(page, { ...content, unsent, learnt: [...byTag.values()] });
    }
  }

  /** What another door told. @param tag of the list */
  async #learnt(tag: string, rule: ReEntryRule, nowMs: number): Promise<Before | null> {
    const { learnt } = await this.#readFor(rule, sharedPageOf(tag));
    return learnt.find((one) => one.tag === tag && !isOver(one, rule.windowMs, nowMs)) ?? null;
  }

  /** An altered page is replaced where nobody is refused: it would lose every later admission too. */
  #readFor({ policy }: ReEntryRule, page: number): Promise<Page> {
    return this.#read(page).catch((error: unknown) => {
      if (policy === 'refuse') throw error;
      return emptyIfAltered(error);
    });
  }

  /** The content of a queued check-in; null if it is gone, also with a page that was altered. @throws FaceError `storage-failed` */
  async queued({ page, sequence }: QueuedRef): Promise<QueuedCheckIn | null> {
    await this.#load();
    if (!this.#isQueued(page, sequence)) return null;
    return (await this.#readOrForget(page)).queued.find((one) => one.sequence === sequence) ?? null;
  }

  /** Drops a check-in that was delivered, and with it the personId. @throws FaceError `storage-failed` */
  async settle({ page, sequence }: QueuedRef): Promise<void> {
    await this.#load();
    if (!this.#isQueued(page, sequence)) return;
    const content = await this.#readOrForget(page);
    const { queued } = content;
    if (!this.#isQueued(page, sequence)) return;
    await this.#write(page, { ...content, queued: queued.filter((one) => one.sequence !== sequence) });
  }

  /**
   * Deletes admissions that are over, and everything of people whose deadline has passed. A full disk must not preserve
   * them: if a page cannot be rewritten, it is deleted first.
   * @throws FaceError `storage-failed`
   */
  async deleteDue({ windowMs }: Pick<ReEntryRule, 'windowMs'>, nowMs: number): Promise<void> {
    const facts = await this.#load();
    const isDueOne = (one: Omit<Admission, 'tag'>) => isOver(one, windowMs, nowMs);
    const isDue = (page: number) => {
      const { firstAtMs: atMs, nextDeleteAfterMs: deleteAfterMs, buckets } = facts.get(page) ?? factsOf(EMPTY_PAGE);
      const kept = keptArrivals({ seen: [], buckets }, isDueOne, nowMs).buckets;
      return isDueOne({ atMs, deleteAfterMs }) || kept.length < buckets.length;
    };
    for (const page of [...facts.keys()]) {
      if (!isDue(page)) continue;
      const { admissions, queued, arrivals, unsent, learnt } = await this.#readOrForget(page);
      if (!isDue(page)) continue;
      const counts = (one: Admission) => !isDueOne(one);
      const isKept = (one: { readonly deleteAfterMs: number }) => one.deleteAfterMs > nowMs;
      const rest = {
        ...{ admissions: admissions.filter(counts), learnt: learnt.filter(counts) },
        ...{ queued: queued.filter(isKept), unsent: unsent.filter(isKept) },
        arrivals: keptArrivals(arrivals, isDueOne, nowMs),
      };
      await this.#write(page, rest).catch(async () => {
        await this.#ports.packStore.deletePage(page);
        await this.#load();
        await this.#write(page, rest);
      });
    }
  }

  #isQueued(page: number, sequence: number): boolean {
    return this.#facts?.get(page)?.sequences.includes(sequence) === true;
  }

  #message(type: CheckInType, about: Omit<QueuedCheckIn, 'id' | 'sequence' | 'type'>): QueuedCheckIn {
    const id = `chk_${toBase64Url(this.#ports.random.bytes(ID_BYTES))}`;
    this.#lastSequence += 1;
    return { id, sequence: this.#lastSequence, type, ...about };
  }

  /** Reads all pages once. Pages whose key is gone are deleted: an interrupted deletion left them. */
  async #load(): Promise<Map<number, PageFacts>> {
    if (this.#facts !== null && this.#isCurrent) return this.#facts;
    const { keyStore, packStore } = this.#ports;
    const facts = new Map<number, PageFacts>();
    const pages = await packStore.listPages();
    const isOpenable = pages.length > 0 && (await keyStore.hasAdmissionKey());
    for (const page of pages) {
      if (isOpenable) facts.set(page, factsOf(await this.#read(page).catch(emptyIfAltered)));
      else await packStore.deletePage(page);
    }
    for (const { sequences } of facts.values()) this.#lastSequence = Math.max(this.#lastSequence, ...sequences);
    this.#facts = facts;
    this.#isCurrent = true;
    return facts;
  }

  async #placeOf(personId: string): Promise<{ readonly tag: string; readonly page: number }> {
    const { keyStore } = this.#ports;
    const derive = (...what: Parameters<KeyStore['deriveFromAdmissionKey']>) =>
      keyStore.deriveFromAdmissionKey(...what);
    const tag = await lookupTagOf(derive, personId);
    return { tag: tagText(tag), page: 1 + ((tag[0] ?? 0) % PAGES) };
  }

  /** @throws AlteredPage; errors of the stores */
  async #read(page: number): Promise<Page> {
    const sealed = await this.#ports.packStore.readPage(page);
    if (sealed === null) return EMPTY_PAGE;
    const secrets = await this.#secretsOf(sealed.subarray(0, SALT_BYTES), page);
    try {
      const plaintext = await this.#ports.aead.open(...keyAndNonce(secrets), sealed.subarray(SALT_BYTES), LABEL);
      try {
        return decodePage(plaintext);
      } finally {
        plaintext.fill(0);
      }
    } catch (cause) {
      throw new AlteredPage(cause);
    } finally {
      secrets.fill(0);
    }
  }

  /**
   * A page that was altered counts as empty from here on, as after a restart, and stays in the store: a policy to refuse
   * needs it there.
   */
  #readOrForget(page: number): Promise<Page> {
    return this.#read(page).catch((error: unknown) => {
      const empty = emptyIfAltered(error);
      this.#facts?.set(page, factsOf(empty));
      return empty;
    });
  }

  async #write(page: number, content: Page): Promise<void> {
    const facts = this.#facts;
    // Until the store has answered, it may have the old page or the new one.
    this.#isCurrent = false;
    if (isEmpty(content)) {
      await this.#ports.packStore.deletePage(page);
      facts?.delete(page);
    } else {
      await this.#ports.packStore.writePage(page, await this.#seal(page, content));
      facts?.set(page, factsOf(content));
    }
    this.#isCurrent = true;
  }

  async #seal(page: number, content: Page): Promise<Uint8Array> {
    const plaintext = encodePage(content, paddedBytes);
    const salt = this.#ports.random.bytes(SALT_BYTES);
    const secrets = await this.#secretsOf(salt, page);
    try {
      const sealed = await this.#ports.aead.seal(...keyAndNonce(secrets), plaintext, LABEL);
      const bytes = new Uint8Array(SALT_BYTES + sealed.length);
      bytes.set(salt);
      bytes.set(sealed, SALT_BYTES);
      return bytes;
    } finally {
      plaintext.fill(0);
      secrets.fill(0);
    }
  }

  /** Key and nonce of one sealing, which the salt and the page's number determine. */
  #secretsOf(salt: Uint8Array, page: number): Promise<Uint8Array> {
    const info = new Uint8Array(LABEL.length + 1);
    info.set(LABEL);
    info[LABEL.length] = page;
    return this.#ports.keyStore.deriveFromAdmissionKey(salt, info, KEY_BYTES + NONCE_BYTES);
  }
}

const keyAndNonce = (secrets: Uint8Array): [Uint8Array, Uint8Array] => [
  secrets.subarray(0, KEY_BYTES),
  secrets.subarray(KEY_BYTES),
];

/** Of a tag of the list, in base64url. */
const sharedPageOf = (tag: string): number => 1 + ((fromBase64Url(tag)?.[0] ?? 0) % PAGES);

function ownOf({ admissions }: Page, tag: string, { windowMs }: ReEntryRule, nowMs: number): Before | null {
  const own = admissions.find((one) => one.tag === tag && !isOver(one, windowMs, nowMs));
  return own === undefined ? null : { atMs: own.atMs };
}

const without = (admissions: readonly Admission[], tag: string) => admissions.filter((one) => one.tag !== tag);

class AlteredPage extends FaceError {
  constructor(cause: unknown) {
    super('storage-failed', 'a page of the log of admissions is not as the device left it', { cause });
  }
}

function emptyIfAltered(error: unknown): Page {
  if (error instanceof AlteredPage) return EMPTY_PAGE;
  throw error;
}

function factsOf({ admissions, queued, arrivals: { seen, buckets }, unsent, learnt }: Page): PageFacts {
  let firstAtMs = Number.POSITIVE_INFINITY;
  let nextDeleteAfterMs = Number.POSITIVE_INFINITY;
  for (const { atMs } of [...admissions, ...seen, ...learnt]) firstAtMs = Math.min(firstAtMs, atMs);
  for (const { deleteAfterMs } of [...admissions, ...queued, ...seen, ...unsent, ...learnt]) {
    nextDeleteAfterMs = Math.min(nextDeleteAfterMs, deleteAfterMs);
  }
  const numbers = (all: readonly { readonly sequence: number }[]) => all.map(({ sequence }) => sequence);
  return { firstAtMs, nextDeleteAfterMs, sequences: numbers(queued), unsent: numbers(unsent), buckets };
}

/** Length of the padded plaintext, so that a sealed page has a power of two of bytes. @throws FaceError `storage-failed` */
function paddedBytes(bytes: number): number {
  let size = SMALLEST_PAGE_BYTES;
  while (size - OVERHEAD_BYTES < bytes) size *= 2;
  if (size > LARGEST_PAGE_BYTES) throw new FaceError('storage-failed', 'the log of admissions is full');
  return size - OVERHEAD_BYTES;
}
