import type { SyncManifest } from '@svc/protocol';
import type { TruePerson } from './truth.ts';
import { promise, Violation } from './violation.ts';

const DAY_MS = 24 * 60 * 60_000;
const FULL_WIPE_MS = 30 * DAY_MS;

/** What the service told a device in one answer, and whom it spoke of. */
export interface Told {
  readonly manifest: SyncManifest;
  /** By personId; of a wipe nobody. */
  readonly people: ReadonlyMap<string, TruePerson>;
  /** Nothing followed, a whole pack, or changes. */
  readonly sent: 'nothing' | 'pack' | 'changes';
}

/** What is seen at the door. */
export interface Attempt {
  readonly personId: string;
  readonly face: number;
  readonly engineId: string;
  readonly outcome: string;
  readonly reason: string;
}

/**
 * Knows what a device was told and what it may be unsure of, and so what it may do. Knows nothing of how the device is made: what is promised
 * follows from true time and from the answers that the device took.
 */
export class Witness {
  /** The list that the device took last; null before the first and after a wipe that it was told. */
  #told: Told | null = null;
  /** Why it was told to wipe, last of all. */
  #wiped: string | null = null;
  #version = 0;
  /**
   * True time that can have been hidden from the device at most, by setting its clock back while it was switched off. While it runs nothing
   * can be hidden.
   */
  #hiddenMs = 0;
  #savedAtMs: number;
  /** The device's clock told something untrue since the last answer: it may refuse more than it has to. */
  #isUnsure = false;
  /** Its disk did not do what it should since the last answer. */
  #isTroubled = false;
  /** What it holds has rotted, which it need not notice before it reads the place. */
  #isRotten = false;
  /** It took an answer of a node that had no right to give one. */
  isMisled = false;

  constructor(nowMs: number) {
    this.#savedAtMs = nowMs;
  }

  get told(): Told | null {
    return this.#told;
  }

  get wiped(): string | null {
    return this.#wiped;
  }

  get isTroubled(): boolean {
    return this.#isTroubled;
  }

  /** It became another device: nothing that it was told counts any more. */
  forget(nowMs: number): void {
    [this.#told, this.#wiped, this.#version] = [null, null, 0];
    [this.#hiddenMs, this.#savedAtMs, this.isMisled, this.#isRotten] = [0, nowMs, false, false];
  }

  /** The mark of time is on its disk. */
  saved(nowMs: number): void {
    this.#savedAtMs = nowMs;
  }

  troubled(): void {
    this.#isTroubled = true;
  }

  rotted(): void {
    [this.#isTroubled, this.#isRotten] = [true, true];
  }

  clockWasSet(offsetMs: number): void {
    this.#isUnsure = true;
    this.#hiddenMs = Math.min(this.#hiddenMs, Math.max(0, -offsetMs));
  }

  restarted(nowMs: number, offsetMs: number): void {
    const lostMs = nowMs - this.#savedAtMs;
    this.#hiddenMs = Math.min(this.#hiddenMs + lostMs, Math.max(0, -offsetMs));
    if (offsetMs !== 0) this.#isUnsure = true;
  }

  /** It took an answer. */
  took(told: Told, o: { readonly nowMs: number; readonly offsetMs: number; readonly isHealthy: boolean }): void {
    const { manifest } = told;
    if (manifest.command === 'keep') {
      promise(manifest.toVersion >= this.#version, `a list of version ${manifest.toVersion} after ${this.#version}`);
      if (manifest.toVersion === this.#version && this.#told !== null) {
        promise(sameNames(told.people, this.#told.people), `two contents under version ${manifest.toVersion}`);
      }
      this.#version = manifest.toVersion;
      [this.#told, this.#wiped] = [told, null];
    } else {
      [this.#told, this.#wiped] = [null, manifest.reason ?? 'unknown'];
    }
    [this.#hiddenMs, this.#savedAtMs] = [0, o.nowMs];
    this.#isUnsure = o.offsetMs !== 0;
    if (told.sent !== 'nothing') this.#isRotten = false;
    if (o.isHealthy && !this.#isRotten) this.#isTroubled = false;
  }

  /** Why everything has to be gone by now, whoever says what: null for no reason. */
  mustBeErased(nowMs: number): string | null {
    if (this.#wiped !== null) return this.#wiped;
    if (this.#told === null) return null;
    const atLeastMs = nowMs - this.#hiddenMs;
    const { retentionDeadline, issuedAt } = this.#told.manifest;
    if (retentionDeadline !== null && Date.parse(retentionDeadline) <= atLeastMs) return 'retention-deadline';
    return atLeastMs - Date.parse(issuedAt) >= FULL_WIPE_MS ? 'no-sync-30-days' : null;
  }

  /** Whether everything may be gone by now. */
  mayBeErased(nowMs: number): boolean {
    return this.#told === null || this.#isUnsure || this.#isTroubled || this.mustBeErased(nowMs) !== null;
  }

  /** @throws Violation where nobody may be let in, or where somebody has to be who is not */
  judge(attempt: Attempt, nowMs: number): void {
    if (attempt.outcome === 'Match') this.#mayMatch(attempt, nowMs);
    else if (this.#isSure(nowMs)) this.#mustRefuse(attempt, nowMs);
  }

  #mayMatch({ personId, face, engineId }: Attempt, nowMs: number): void {
    const told = this.#told;
    promise(this.#wiped === null, `nobody is verified after «${this.#wiped}»`);
    if (told === null) throw new Violation('nobody is verified before the first sync');
    const atLeastMs = nowMs - this.#hiddenMs;
    const { retentionDeadline, issuedAt } = told.manifest;
    promise(atLeastMs < Date.parse(issuedAt) + DAY_MS, 'nobody is verified after the lease');
    promise(
      retentionDeadline === null || atLeastMs < Date.parse(retentionDeadline),
      'nobody is verified after the deadline',
    );
    const person = told.people.get(personId);
    if (person === undefined) throw new Violation('nobody is verified who is not on the list that was told');
    promise(atLeastMs < person.promisedMs, 'nobody is verified after his own deadline');
    promise(person.face === face, 'nobody is verified with another face');
    promise(person.engineId === engineId, 'nobody is verified by another engine');
  }

  /** Nothing is in doubt: what the device has to answer is known. */
  #isSure(nowMs: number): boolean {
    return !this.#isUnsure && !this.#isTroubled && this.mustBeErased(nowMs) === null && this.#told !== null;
  }

  #mustRefuse({ personId, face, engineId, outcome, reason }: Attempt, nowMs: number): void {
    const person = this.#told?.people.get(personId);
    const issuedAtMs = Date.parse(this.#told?.manifest.issuedAt ?? '');
    const expected =
      person !== undefined && person.promisedMs <= nowMs
        ? // Until it is dropped it is told as what it is; then it is nobody's.
          ['Expired', 'NotEnrolled', 'LeaseExpired']
        : nowMs >= issuedAtMs + DAY_MS
          ? ['LeaseExpired']
          : person === undefined || person.engineId !== engineId
            ? ['NotEnrolled']
            : person.face === face
              ? ['Match']
              : ['NoMatch'];
    promise(expected.includes(outcome), `${expected.join(' or ')} is answered, and not ${outcome} (${reason})`);
  }
}

function sameNames(a: ReadonlyMap<string, TruePerson>, b: ReadonlyMap<string, TruePerson>): boolean {
  return a.size === b.size && [...a].every(([name, { face }]) => b.get(name)?.face === face);
}
