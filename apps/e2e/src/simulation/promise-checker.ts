import { parseEnvelope } from '@svc/core/pack';
import { DAY_MS, type SyncManifest, syncManifestSchema } from '@svc/protocol';
import {
  type ExpectedList,
  type ExpectedPerson,
  type ExpectedState,
  promise,
  servedPeople,
  Violation,
} from './expected-state.ts';

/** Parses an envelope. The people it must contain follow from the expected state. */
export function answerOf(envelope: Uint8Array, list: ExpectedList | undefined, nowMs: number): Answer {
  const { manifest: bytes } = parseEnvelope(envelope);
  const manifest: SyncManifest = syncManifestSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const isKept = manifest.command === 'keep' && list !== undefined;
  const people = isKept ? servedPeople(list, nowMs) : new Map<string, ExpectedPerson>();
  return { manifest, people };
}

/** @throws Violation if a device is sent anything other than the expected state */
export function checkAnswer(
  { manifest, people }: Answer,
  device: { readonly deviceId: string; readonly listId: string },
  expected: ExpectedState,
  nowMs: number,
): void {
  const list = expected.lists.get(device.listId);
  const mustWipe =
    list === undefined ||
    expected.revoked.has(device.deviceId) ||
    (list.deadlineMs !== null && list.deadlineMs <= nowMs);
  promise((manifest.command === 'wipe') === mustWipe, `“${manifest.command}” is what a device is told`);
  if (manifest.command === 'wipe') return;
  promise(manifest.deviceId === device.deviceId && manifest.listId === device.listId, 'to each his own list');
  promise(manifest.recordCount === people.size, `${people.size} people are served, and not ${manifest.recordCount}`);
  const deadline = list?.deadlineMs ?? null;
  promise(
    manifest.retentionDeadline === (deadline === null ? null : new Date(deadline).toISOString()),
    'the deadline is told',
  );
}

const FULL_WIPE_MS = 30 * DAY_MS;
/** Results that are possible only after the camera has looked. */
const LOOKED = new Set(['Match', 'NoMatch', 'NoFace']);

/** An answer of the service, with the people it contains. */
export interface Answer {
  readonly manifest: SyncManifest;
  /** By personId; empty for a wipe. */
  readonly people: ReadonlyMap<string, ExpectedPerson>;
}

/** An answer that a device took, and when it had asked. */
export interface Told extends Answer {
  readonly askedAtMs: number;
}

/**
 * How far a device's clock runs ahead of true time at most after it took this answer: it cannot know how long the
 * answer took, and counts from its question.
 */
export function aheadMs({ manifest, askedAtMs }: Told): number {
  return Date.parse(manifest.issuedAt) - askedAtMs;
}

/** The list's deadline has passed. */
export function isOver({ manifest: { retentionDeadline } }: Answer, atMs: number): boolean {
  return retentionDeadline !== null && Date.parse(retentionDeadline) <= atMs;
}

/** An attempt as seen at the door. */
export interface Attempt {
  readonly personId: string;
  /** Null: nobody stands there. */
  readonly face: number | null;
  /** Engines of the device. */
  readonly engineIds: readonly string[];
  readonly outcome: string;
  readonly reason: string;
}

/**
 * Knows what a device was told and may be unsure of, and so what it may do. Knows nothing of the device's code:
 * promises follow from true time and from the answers that the device took.
 */
export class PromiseChecker {
  /** The list that the device took last; null before the first and after a wipe. */
  #told: Told | null = null;
  /** Reason of the last wipe command. */
  #wiped: string | null = null;
  #version = 0;
  /**
   * Maximum true time hidden from the device by setting its clock back while it was off. While it is on, none can be.
   */
  #hiddenMs = 0;
  #savedAtMs: number;
  /** How far the device's clock may run ahead while it is not set. */
  #aheadMs = 0;
  /** The device's clock was wrong since the last answer: it may refuse more than necessary. */
  #isUnsure = false;

  constructor(nowMs: number) {
    this.#savedAtMs = nowMs;
  }

  get told(): Told | null {
    return this.#told;
  }

  get wiped(): string | null {
    return this.#wiped;
  }

  /** It became another device: earlier answers no longer count. */
  forget(nowMs: number): void {
    [this.#told, this.#wiped, this.#version] = [null, null, 0];
    [this.#hiddenMs, this.#savedAtMs, this.#aheadMs] = [0, nowMs, 0];
  }

  /** The time mark is on its disk. */
  saved(nowMs: number): void {
    this.#savedAtMs = nowMs;
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
  took(told: Told, o: { readonly nowMs: number; readonly offsetMs: number }): void {
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
    [this.#hiddenMs, this.#savedAtMs, this.#aheadMs] = [0, o.nowMs, aheadMs(told)];
    this.#isUnsure = o.offsetMs !== 0;
  }

  /** Why everything must be erased by now; null for no reason. */
  mustBeErased(nowMs: number): string | null {
    return this.#wiped ?? this.#dueBy(nowMs - this.#hiddenMs);
  }

  /** Whether everything may be erased by now. */
  mayBeErased(nowMs: number): boolean {
    const isDue = this.#dueBy(nowMs + this.#aheadMs) !== null;
    return this.#told === null || this.#isUnsure || isDue;
  }

  /** Whether a person's time is over by the device's clock but not by the service's. */
  mayHaveDropped(nowMs: number): boolean {
    const people = [...(this.#told?.people.values() ?? [])];
    return people.some(({ promisedMs }) => promisedMs > nowMs && promisedMs <= nowMs + this.#aheadMs);
  }

  #dueBy(atMs: number): string | null {
    if (this.#told === null) return null;
    if (isOver(this.#told, atMs)) return 'retention-deadline';
    return atMs - Date.parse(this.#told.manifest.issuedAt) >= FULL_WIPE_MS ? 'no-sync-30-days' : null;
  }

  /** @throws Violation if a person was wrongly admitted or wrongly refused */
  judge(attempt: Attempt, nowMs: number): void {
    if (LOOKED.has(attempt.outcome)) this.#mayLook(attempt, nowMs);
    if (attempt.outcome === 'Match') this.#mayMatch(attempt);
    if (this.#isSure(nowMs)) this.#mustAnswer(attempt, nowMs);
  }

  /** The template is opened only for a camera that sees a face, which counts as much as a match. */
  #mayLook({ personId, engineIds }: Attempt, nowMs: number): void {
    const told = this.#told;
    promise(this.#wiped === null, `nobody is verified after “${this.#wiped}”`);
    if (told === null) throw new Violation({ message: 'nobody is verified before the first sync' });
    const atLeastMs = nowMs - this.#hiddenMs;
    const { retentionDeadline, issuedAt } = told.manifest;
    promise(atLeastMs < Date.parse(issuedAt) + DAY_MS, 'nobody is verified after the lease');
    promise(
      retentionDeadline === null || atLeastMs < Date.parse(retentionDeadline),
      'nobody is verified after the deadline',
    );
    const person = told.people.get(personId);
    if (person === undefined)
      throw new Violation({ message: 'nobody is verified who is not on the list that was told' });
    promise(atLeastMs < person.promisedMs, 'nobody is verified after his own deadline');
    promise(engineIds.includes(person.engineId), 'nobody is verified by another engine');
  }

  #mayMatch({ personId, face }: Attempt): void {
    promise(this.#told?.people.get(personId)?.face === face, 'nobody is verified with another face');
  }

  /** Nothing is uncertain: the device has exactly one right answer. */
  #isSure(nowMs: number): boolean {
    return this.#told !== null && !this.mayBeErased(nowMs);
  }

  #mustAnswer(attempt: Attempt, nowMs: number): void {
    const expected = new Set([nowMs, nowMs + this.#aheadMs].flatMap((atMs) => this.#answersAt(attempt, atMs)));
    const { outcome, reason } = attempt;
    promise(expected.has(outcome), `${[...expected].join(' or ')} is answered, and not ${outcome} (${reason})`);
  }

  /** The device's answer if its clock shows this time. */
  #answersAt({ personId, face, engineIds }: Attempt, atMs: number): readonly string[] {
    const person = this.#told?.people.get(personId);
    // Until it is purged it has its own result; then the person is unknown.
    if (person !== undefined && person.promisedMs <= atMs) return ['Expired', 'NotEnrolled', 'LeaseExpired'];
    if (atMs >= Date.parse(this.#told?.manifest.issuedAt ?? '') + DAY_MS) return ['LeaseExpired'];
    if (person === undefined || !engineIds.includes(person.engineId)) return ['NotEnrolled'];
    if (face === null) return ['NoFace'];
    return person.face === face ? ['Match'] : ['NoMatch'];
  }
}

function sameNames(a: ReadonlyMap<string, ExpectedPerson>, b: ReadonlyMap<string, ExpectedPerson>): boolean {
  return a.size === b.size && [...a].every(([name, { face }]) => b.get(name)?.face === face);
}
