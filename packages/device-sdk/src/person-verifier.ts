import { FaceError } from '@svc/core';
import type { Attendance } from '@svc/protocol/sync';
import type { ArrivalKind } from './admissions/arrivals.ts';
import type { Camera } from './attempt/camera.ts';
import type { EnginePreparation } from './attempt/engine-preparation.ts';
import { type AttemptInput, type AttemptReport, runAttempt } from './attempt/run-attempt.ts';
import type { CheckedConfig, DeviceConfig } from './config.ts';
import { drawLightSequence } from './light/sequence.ts';
import { sameBytes } from './platform/bytes.ts';
import { tooSlow } from './status.ts';
import { refusalOf } from './trust/admission.ts';
import type { FoundRecord } from './trust/find-record.ts';
import { type Claims, sharesAdmissions } from './vault/stored-admissions.ts';
import type { Vault } from './vault/vault.ts';
import { MIN_FRAMES_PER_SECOND, MIN_LIT_FRAMES_PER_SECOND } from './verification/policy.ts';
import {
  type AdmissionVerdict,
  type MatchAdmission,
  type Protections,
  protectionsOf,
  type Refusal,
  type Verdict,
  type VerificationResult,
} from './verification/result.ts';
import type { ActiveCheck, TurnDirection } from './verification/states.ts';
import { testVerdictOf } from './verification/test-verdict.ts';

const storageFailed = { outcome: 'LeaseExpired', reason: 'storage-failed' } as const;
const noAlternative = { outcome: 'ChallengeFailed', reason: 'no-alternative' } as const;
/** The attempt began while staff watched, and nobody does any more. */
const outdated = { outcome: 'ChallengeFailed', reason: 'cancelled' } as const;
/** Under `refuse` nobody is admitted whom the device could not remember: staff decide. */
const notRecorded = { outcome: 'NoMatch', reason: 'storage-failed' } as const;

const TO_STAFF: readonly VerificationResult['outcome'][] = ['LivenessFailed', 'ChallengeFailed', 'NoMatch', 'NoFace'];

/**
 * What somebody is counted as who was not let in; null for nobody: what was scanned is no ID, the attempt was ended, the
 * device lets nobody in at the time, or it let the person in before.
 */
function arrivalKindOf({ outcome, reason }: AdmissionVerdict): ArrivalKind | null {
  if (outcome === 'NotEnrolled') return reason === 'id-invalid' ? null : 'notEnrolled';
  if (reason === 'cancelled' || reason === 'already-let-in') return null;
  return TO_STAFF.includes(outcome) ? 'toStaff' : null;
}

/** Options of {@link CheckInDevice.verifyLiveAsync}. */
export interface VerifyOptions {
  /**
   * `alternative`: the person cannot turn the head and uses the list's alternative ({@link
   * DeviceStatus.headTurnAlternative}). The result is ChallengeFailed with `no-alternative` if the list has none, no
   * passive check runs, it is staff on an unattended list, or the light and the camera has none.
   */
  readonly headTurn?: 'asked' | 'alternative';
  /** Aborting ends the attempt, with the reason `cancelled` unless it has a result by then. */
  readonly signal?: AbortSignal;
}

export interface PersonAttempt {
  readonly scannedId: string;
  /** Not asked for anything where the list is a test account's. */
  readonly camera: Camera;
  readonly options: VerifyOptions;
  readonly calledAtMs: number;
  readonly signal: AbortSignal;
  readonly onStaffAsked: (confirm: () => void) => void;
}

export interface PersonVerifierOptions extends Pick<CheckedConfig, 'passiveLiveness' | 'lightChallenge'> {
  readonly engine: DeviceConfig['engine'];
  readonly ports: Pick<DeviceConfig['ports'], 'clock' | 'timers' | 'random'>;
  readonly vault: Vault;
  readonly preparation: EnginePreparation;
  /** Engines of this device, the preferred one first. */
  readonly engineIds: readonly string[];
  readonly onAdmitted: () => void;
  readonly claims: Claims;
}

/** One attempt: the checks before the camera, the attempt, and the checks before its match is told. */
export class PersonVerifier {
  readonly #options: PersonVerifierOptions;
  #counted: Promise<void> = Promise.resolve();

  constructor(options: PersonVerifierOptions) {
    this.#options = options;
  }

  async verify(attempt: PersonAttempt): Promise<VerificationResult> {
    const result = await this.#verify(attempt);
    const kind = arrivalKindOf(result);
    if (kind === null) return result;
    // The guest does not wait for it, and what cannot be counted changes no result. An admission was counted when it was
    // stored.
    this.#counted = this.#counted.then(() => this.#turnAway(attempt.scannedId, kind)).catch(() => undefined);
    return result;
  }

  /** Resolves when everybody is counted who was not let in. */
  get counted(): Promise<void> {
    return this.#counted;
  }

  /** @throws FaceError `storage-failed` */
  async #turnAway(personId: string, kind: ArrivalKind): Promise<void> {
    const { vault, engineIds } = this.#options;
    if (vault.state.list?.arrivals !== 'counts') return;
    const { found } = await vault.find(personId, engineIds);
    await vault.admissions.turnAway(personId, kind, found?.record ?? null);
  }

  async #verify({
    scannedId,
    camera,
    options,
    calledAtMs,
    signal,
    onStaffAsked,
  }: PersonAttempt): Promise<VerificationResult> {
    const isLit = this.#attendance() === 'unattended' && camera.light !== undefined;
    const needed = isLit ? MIN_LIT_FRAMES_PER_SECOND : MIN_FRAMES_PER_SECOND;
    const isTest = this.#options.vault.state.list?.mode === 'test';
    // A recorded camera's frames have their own time.
    const inTime = isTest || camera.timing === 'recorded' || !this.#options.preparation.isBelow(needed);
    const opened = await this.#openRecord(scannedId, inTime);
    if (!opened.admitted) return this.withoutCamera(opened.verdict, calledAtMs);
    const { found, reference } = opened;
    if (isTest) {
      reference.fill(0);
      const told = signal.aborted ? outdated : testVerdictOf(found.personId);
      const result = this.withoutCamera(await this.#confirm(told, found, 'head-turn', this.#attendance()), calledAtMs);
      // No check ran, and no log may say that one did.
      return { ...result, protections: protectionsOf(null, 'off', 'staff', { attendance: this.#attendance() }) };
    }
    let report: AttemptReport;
    let active: ActiveCheck | null;
    const attendance = this.#attendance();
    try {
      active = this.#activeCheck(camera, options);
      if (active === null) return this.withoutCamera(noAlternative, calledAtMs);
      const { engine, ports } = this.#options;
      const attempt: AttemptInput = {
        engine,
        passiveLiveness: this.#options.passiveLiveness,
        engineId: found.epoch.engineId,
        reference,
        matchThreshold: found.epoch.matchThreshold,
        direction: this.#drawDirection(),
        active,
        attendance,
        onStaffAsked,
        ...(this.protections().light === 'when-possible' || active === 'light'
          ? { drawLight: () => drawLightSequence(ports.random) }
          : {}),
        camera,
        clock: ports.clock,
        timers: ports.timers,
        signal,
      };
      report = await this.#options.preparation.during(() => runAttempt(attempt));
    } finally {
      reference.fill(0);
    }
    const { timings, counts, witness } = report;
    const verdict = await this.#confirm(report.verdict, found, active, attendance);
    const totalMs = Math.round(this.#options.ports.clock.monotonicMs() - calledAtMs);
    const protections = protectionsOf(this.#options.passiveLiveness, report.light, active, { attendance, witness });
    return { ...verdict, protections, timings: { ...timings, totalMs }, counts };
  }

  /** The check after the first match; null if this list or device has no alternative to the turn. */
  #activeCheck(camera: Camera, { headTurn = 'asked' }: VerifyOptions): ActiveCheck | null {
    if (headTurn === 'asked') return 'head-turn';
    const alternative = this.#options.vault.state.list?.headTurnAlternative ?? 'none';
    if (alternative === 'none' || this.#options.passiveLiveness === null) return null;
    if (alternative === 'staff' && this.#attendance() === 'unattended') return null;
    return alternative === 'light' && camera.light === undefined ? null : alternative;
  }

  /**
   * The scanned person's template, or the reason why there is no attempt.
   * @param inTime the device is fast enough for the camera
   */
  async #openRecord(
    scannedId: string,
    inTime: boolean,
  ): Promise<
    | { readonly admitted: true; readonly found: FoundRecord; readonly reference: Float32Array }
    | { readonly admitted: false; readonly verdict: Refusal }
  > {
    // Repeated if a sync replaced the pack between finding and opening.
    for (let tries = 0; tries < 3; tries += 1) {
      const admission = await this.#admit(scannedId);
      if (!admission.admitted && admission.verdict.outcome !== 'NotEnrolled') return admission;
      if (!inTime) return { admitted: false, verdict: tooSlow };
      if (!admission.admitted) return admission;
      try {
        const reference = await this.#options.vault.unseal(admission.found);
        if (reference !== null) return { ...admission, reference };
      } catch (error) {
        if (!FaceError.is(error) || error.code !== 'open-failed') return { admitted: false, verdict: storageFailed };
        return { admitted: false, verdict: { outcome: 'NotEnrolled', reason: 'record-unopenable' } };
      }
    }
    return { admitted: false, verdict: storageFailed };
  }

  /** The checks before the camera. */
  async #admit(
    scannedId: string,
  ): Promise<
    { readonly admitted: true; readonly found: FoundRecord } | { readonly admitted: false; readonly verdict: Refusal }
  > {
    try {
      // Looked up before due records are deleted, so that a person past the deadline gets Expired.
      const { lookup, found } = await this.#options.vault.find(scannedId, this.#options.engineIds);
      const kept = await this.#options.vault.touch().catch(() => null);
      const verdict = refusalOf(
        this.#options.vault.state,
        kept ?? this.#options.vault.time(),
        lookup,
        this.#options.vault.distrusted,
      );
      // A deadline applies even if the state cannot be written.
      if (kept === null && verdict?.outcome !== 'Expired') return { admitted: false, verdict: storageFailed };
      if (verdict !== null) return { admitted: false, verdict };
      if (found !== null) return { admitted: true, found };
      return { admitted: false, verdict: { outcome: 'NotEnrolled', reason: 'not-on-list' } };
    } catch {
      return { admitted: false, verdict: storageFailed };
    }
  }

  /**
   * A match counts only if all conditions still hold: a sync, deadline or wipe may have happened meanwhile. It is
   * recorded before it is told.
   */
  async #confirm(
    verdict: Verdict,
    found: FoundRecord,
    active: ActiveCheck,
    attendance: Attendance,
  ): Promise<AdmissionVerdict> {
    // The state machine gives no reason of the log.
    if (verdict.outcome !== 'Match' && verdict.reason !== 'cancelled') return verdict as AdmissionVerdict;
    // Repeated if a sync replaced the pack in between.
    for (let tries = 0; tries < 3; tries += 1) {
      const now = await this.#admit(found.personId);
      if (!now.admitted) return now.verdict;
      if (!sameBytes(now.found.record, found.record)) return { outcome: 'NotEnrolled', reason: 'record-changed' };
      const isAllowed = active === 'head-turn' || active === this.#options.vault.state.list?.headTurnAlternative;
      if (!isAllowed) return noAlternative;
      if (verdict.outcome !== 'Match') return verdict;
      if (attendance === 'staffed' && this.#attendance() === 'unattended') return outdated;
      const entered = await this.#recordAdmission(verdict, now.found);
      if (entered !== null) return entered;
    }
    return storageFailed;
  }

  /** @returns null if the list has changed since the person was found */
  async #recordAdmission(
    verdict: Extract<Verdict, { readonly outcome: 'Match' }>,
    found: FoundRecord,
  ): Promise<AdmissionVerdict | null> {
    const sharing = sharesAdmissions(this.#options.vault.state.list) ? 'alone' : 'off';
    let admission: MatchAdmission = { recorded: false, alreadyAdmittedAtMs: null, sharing };
    try {
      const entry = await this.#options.vault.admissions.admit(found, this.#options.claims);
      if (entry === null) return null;
      const { kind, ...told } = entry;
      if (entry.kind === 'refused') {
        const { alreadyAdmittedAtMs, door } = entry;
        const where = door === undefined ? {} : { door };
        return { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs, ...where };
      }
      admission = told as MatchAdmission;
    } catch {
      // Without `refuse` a verified person is let in all the same: the organiser has not asked for more than a word.
      if (this.#options.vault.state.list?.reEntry === 'refuse') return notRecorded;
    }
    this.#options.onAdmitted();
    return { ...verdict, admission };
  }

  #drawDirection(): TurnDirection {
    const [byte = 0] = this.#options.ports.random.bytes(1);
    return (byte & 1) === 0 ? 'left' : 'right';
  }

  /** Of the list; unknown before the first sync, when there is nobody to verify. */
  #attendance(): Attendance {
    return this.#options.vault.state.list?.attendance ?? 'staffed';
  }

  /** Of the next attempt. At an unattended door the light is used wherever there is one. */
  protections(): Protections {
    const attendance = this.#attendance();
    const light = attendance === 'unattended' ? 'when-possible' : this.#options.lightChallenge;
    return protectionsOf(this.#options.passiveLiveness, light, 'head-turn', { attendance });
  }

  withoutCamera(verdict: AdmissionVerdict, calledAtMs: number): VerificationResult {
    return {
      ...verdict,
      protections: this.protections(),
      timings: {
        totalMs: Math.round(this.#options.ports.clock.monotonicMs() - calledAtMs),
        cameraStartMs: null,
        attemptMs: null,
        frontalMs: null,
        lightMs: null,
        turnMs: null,
        returnMs: null,
      },
      counts: { framesAnalysed: 0, framesDropped: 0, framesUnscorable: 0, embeddings: 0, detections: 0 },
    };
  }
}
