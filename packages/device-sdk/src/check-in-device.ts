import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError } from '@svc/core';
import { isPersonId } from '@svc/core/pack';
import { coreAead } from './adapters/core-aead.ts';
import { CheckInQueue } from './admissions/check-in-queue.ts';
import type { Camera } from './attempt/camera.ts';
import { measureFrameRate } from './attempt/frame-rate.ts';
import { protectionsOf } from './attempt/protections.ts';
import { type AttemptInput, type AttemptReport, runAttempt } from './attempt/run-attempt.ts';
import { sameBytes, toBase64Url } from './bytes.ts';
import {
  type CheckedConfig,
  checkConfig,
  type DeviceConfig,
  type DeviceModels,
  type DevicePorts,
  isDeviceToken,
} from './config.ts';
import { EnginePreparation } from './engine-preparation.ts';
import { STANDARD_LIGHT_POLICY } from './light/policy.ts';
import { drawLightSequence } from './light/sequence.ts';
import type { AdmissionVerdict, MatchAdmission, Protections, Refusal, Verdict, VerificationResult } from './result.ts';
import { type DeviceStatus, statusOf, tooSlow } from './status.ts';
import { StatusWatch } from './status-watch.ts';
import { type Connection, connectionAfter, nextSyncDelayMs } from './sync/schedule.ts';
import type { SyncResult } from './sync/sync-result.ts';
import { Synchroniser } from './sync/synchroniser.ts';
import { admit } from './trust/admission.ts';
import type { FoundRecord } from './trust/find-record.ts';
import { nextErasureAtMs } from './trust/retention.ts';
import { Vault } from './vault.ts';
import type { TurnDirection } from './verification/prompts.ts';
import type { ActiveCheck } from './verification/states.ts';

const storageFailed = { outcome: 'LeaseExpired', reason: 'storage-failed' } as const;
const noAlternative = { outcome: 'ChallengeFailed', reason: 'no-alternative' } as const;
/** Under `refuse` nobody is let in whom the device could not remember: staff decide. */
const notRecorded = { outcome: 'NoMatch', reason: 'storage-failed' } as const;

interface Attempt {
  readonly scannedId: string;
  readonly camera: Camera;
  readonly options: VerifyOptions;
  readonly calledAtMs: number;
  readonly signal: AbortSignal;
}

type WholeConfig = DeviceConfig & { readonly ports: Required<Pick<DevicePorts, 'aead'>> };

/** Interval at which a running device stores trusted time and checks deadlines. */
const TOUCH_INTERVAL_MS = 60_000;

/** Options of one attempt. */
export interface VerifyOptions {
  /**
   * `alternative`: the person cannot turn the head and uses the list's alternative ({@link
   * DeviceStatus.headTurnAlternative}). The result is ChallengeFailed with `no-alternative` if the list has none, no
   * passive check runs, or the alternative is the light and the camera has none.
   */
  readonly headTurn?: 'asked' | 'alternative';
  /** Aborting ends the attempt, with the reason `cancelled` unless it has a result by then. */
  readonly signal?: AbortSignal;
}

/**
 * A check-in device: stores one list's sealed templates and verifies, offline and 1:1, that the person in front of the
 * camera is the one whose ID was scanned.
 */
export class CheckInDevice {
  readonly #config: WholeConfig;
  readonly #checked: CheckedConfig;
  readonly #vault: Vault;
  readonly #synchroniser: Synchroniser;
  readonly #watch: StatusWatch;
  readonly #preparation: EnginePreparation;
  readonly #checkIns: CheckInQueue;
  #lastSync: SyncResult | null = null;
  #connection: Connection = 'unknown';
  /** Failed syncs since the last successful one. */
  #failures = 0;
  #syncing: Promise<SyncResult> | null = null;
  #nextSync: { readonly atMs: number; readonly cancel: () => void } | null = null;
  #attempt: { readonly cancel: AbortController; readonly ended: Promise<unknown> } | null = null;
  #staffConfirm: (() => void) | null = null;
  #stopTimers: (() => void) | null = null;
  #disposal: Promise<void> | null = null;

  private constructor(config: WholeConfig, checked: CheckedConfig, vault: Vault) {
    this.#config = config;
    this.#checked = checked;
    this.#vault = vault;
    const { deviceToken, ports } = config;
    this.#synchroniser = new Synchroniser({
      vault,
      region: checked.region,
      deviceToken,
      engineIds: this.#engineIds(),
      limits: checked.limits,
      ports,
    });
    this.#watch = new StatusWatch({
      status: () => this.status(),
      timers: ports.timers,
      nowMs: () => vault.time().nowMs,
      onBoundary: () => this.#touch(),
    });
    this.#preparation = new EnginePreparation({
      engine: config.engine,
      listed: () => vault.state.list?.epochs.map(({ engineId }) => engineId) ?? [],
      measure: (engineId, isStopped) => {
        const { engine } = config;
        const { passiveLiveness } = checked;
        return measureFrameRate({ engine, passiveLiveness, clock: ports.clock, isStopped }, engineId);
      },
      onMeasured: () => this.#watch.look(),
    });
    this.#checkIns = new CheckInQueue({
      queue: {
        refs: () => vault.checkIns,
        prepare: (ref) => vault.prepareCheckIn(ref),
        settle: (ref) => vault.settleCheckIn(ref),
      },
      ports,
      nowMs: () => vault.time().nowMs,
      onFewer: () => this.#watch.look(),
    });
  }

  /**
   * Opens the stored state, completes an interrupted sync or wipe and deletes what is due. Does not sync; see {@link
   * start}.
   * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `storage-failed`
   */
  static create(config: DeviceConfig): Promise<CheckInDevice> {
    return CheckInDevice.createWith(config, async () => config);
  }

  /**
   * Like {@link create}, with models that are created after the deletion of due data, so that a failing engine does not
   * delay it.
   * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `storage-failed`, and errors of `makeModels`
   */
  static async createWith(
    config: Omit<DeviceConfig, keyof DeviceModels>,
    makeModels: () => Promise<DeviceModels>,
  ): Promise<CheckInDevice> {
    const { deviceToken } = config;
    const ports = { ...config.ports, aead: config.ports.aead ?? coreAead };
    if (!isDeviceToken(deviceToken)) {
      const cause: unknown = await Vault.deleteDue(ports).catch((error: unknown) => error);
      throw new FaceError('configuration-invalid', 'the device token is not one (a character may be missing)', {
        cause,
      });
    }
    const vault = await Vault.open(ports, toBase64Url(sha256(new TextEncoder().encode(deviceToken))));
    try {
      const { engine, passiveLiveness } = await makeModels();
      const whole = { ...config, ports, engine, passiveLiveness };
      const device = new CheckInDevice(whole, checkConfig(whole), vault);
      // Loads the networks before the first guest.
      await device.#preparation.update();
      return device;
    } catch (error) {
      await vault.close();
      throw error;
    }
  }

  /** Syncs now, or joins a running sync. Never rejects. */
  syncAsync(): Promise<SyncResult> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
    });
    return this.#syncing;
  }

  async #sync(): Promise<SyncResult> {
    this.#cancelNextSync();
    const running = this.#synchroniser.sync();
    this.#watch.look();
    const result = await running;
    this.#lastSync = result;
    this.#failures = result.ok ? 0 : this.#failures + 1;
    this.#connection = connectionAfter(result, this.#connection);
    if (result.ok && result.outcome === 'wiped') this.#attempt?.cancel.abort();
    if (this.#stopTimers !== null) {
      this.#syncLater(nextSyncDelayMs(result, this.#failures, this.#config.ports.random));
    }
    this.#watch.look();
    void this.#preparation.update();
    if (result.ok) this.#checkIns.reconnected();
    return result;
  }

  /**
   * Verifies the person in front of the camera against the scanned ID. Never rejects for conditions at the door. One
   * attempt at a time: a second call returns NoFace with `attempt-in-progress`.
   * @param scannedId the personId exactly as enrolled
   */
  async verifyLiveAsync(scannedId: string, camera: Camera, options: VerifyOptions = {}): Promise<VerificationResult> {
    const calledAtMs = this.#config.ports.clock.monotonicMs();
    if (this.#disposal !== null) return this.#withoutCamera({ outcome: 'NoFace', reason: 'disposed' }, calledAtMs);
    if (this.#attempt !== null) {
      return this.#withoutCamera({ outcome: 'NoFace', reason: 'attempt-in-progress' }, calledAtMs);
    }
    const cancel = new AbortController();
    const onAbort = () => cancel.abort();
    if (options.signal?.aborted === true) cancel.abort();
    options.signal?.addEventListener('abort', onAbort);
    const ended = this.#verify({ scannedId, camera, options, calledAtMs, signal: cancel.signal })
      // Unexpected errors still give a result.
      .catch(() => this.#withoutCamera({ outcome: 'NoFace', reason: 'engine-failed' }, calledAtMs))
      .finally(() => {
        options.signal?.removeEventListener('abort', onAbort);
        this.#attempt = null;
        this.#staffConfirm = null;
        this.#watch.look();
        void this.#preparation.update();
      });
    this.#attempt = { cancel, ended };
    return ended;
  }

  /**
   * Call this when staff at the device confirm the person, who cannot turn the head, while the prompt is
   * `staff-confirms`. Does nothing at any other time.
   */
  confirmByStaff(): void {
    this.#staffConfirm?.();
  }

  /**
   * Takes an admission back, because staff made a mistake: the person counts as not let in, and the organiser's server
   * is told if the list has an address for check-ins.
   * @param scannedId the personId exactly as enrolled
   * @throws FaceError `storage-failed`, also after {@link dispose}
   */
  async takeBackAdmission(scannedId: string): Promise<'taken-back' | 'not-admitted'> {
    if (this.#disposal !== null) throw new FaceError('storage-failed', 'the device was disposed');
    if (typeof scannedId !== 'string' || !isPersonId(scannedId)) return 'not-admitted';
    const isTaken = await this.#vault.takeBack(scannedId);
    this.#checkIns.wake();
    this.#watch.look();
    return isTaken ? 'taken-back' : 'not-admitted';
  }

  /** Status for a readiness screen. */
  status(): DeviceStatus {
    return statusOf({
      state: this.#vault.state,
      time: this.#vault.time(),
      distrusted: this.#vault.distrusted,
      people: this.#vault.held?.index.recordCount ?? 0,
      checkIns: { queued: this.#vault.checkIns.length, lastDeliveredAtMs: this.#checkIns.lastDeliveredAtMs },
      engineIds: this.#engineIds(),
      framesPerSecond: this.#preparation.framesPerSecond,
      isTooSlow: this.#preparation.isTooSlow,
      core: this.#config.engine.core.kind,
      protections: this.#protections(),
      syncing: this.#synchroniser.isRunning,
      lastSync: this.#lastSync,
      connection: this.#connection,
      nextSyncAtMs: this.#nextSync?.atMs ?? null,
    });
  }

  /**
   * When all data has to be deleted, as the wall clock will show it (milliseconds since 1970); null if there is nothing
   * to delete. For a platform that deletes it while the program does not run; changes with each status.
   */
  erasureDueAtMs(): number | null {
    const dueAtMs = nextErasureAtMs(this.#vault.state);
    const aheadMs = this.#vault.time().nowMs - this.#config.ports.clock.wallMs();
    return dueAtMs === null ? null : Math.floor(dueAtMs - aheadMs);
  }

  /**
   * Calls `listener` with the status whenever it changes: a sync begins or ends, the lease or a deadline is reached,
   * the data is wiped, the connection changes. Not called at once; see {@link status}. Errors of the listener are
   * ignored.
   * @returns removes the listener
   */
  onStatus(listener: (status: DeviceStatus) => void): () => void {
    return this.#watch.add(listener);
  }

  /**
   * Syncs now and then every five minutes, six to thirty seconds earlier at random; sooner after a failure. Checks
   * deadlines every minute. Repeats failed deliveries of check-ins. Idempotent.
   */
  start(): void {
    if (this.#disposal !== null || this.#stopTimers !== null) return;
    this.#stopTimers = this.#every(TOUCH_INTERVAL_MS, () => this.#touch().finally(() => this.#watch.look()));
    void this.syncAsync();
    this.#checkIns.start();
  }

  /** Ends the schedule of {@link start}; a running sync continues. Idempotent. */
  stop(): void {
    this.#stopTimers?.();
    this.#stopTimers = null;
    this.#cancelNextSync();
    this.#checkIns.stop();
    this.#watch.look();
  }

  #syncLater(delayMs: number): void {
    this.#cancelNextSync();
    const cancel = this.#config.ports.timers.after(delayMs, () => void this.syncAsync());
    this.#nextSync = { atMs: Math.round(this.#vault.time().nowMs + delayMs), cancel };
  }

  #cancelNextSync(): void {
    this.#nextSync?.cancel();
    this.#nextSync = null;
  }

  /** Stops, cancels running work and wipes the data in memory. Stored data stays. Idempotent. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.#watch.close();
    this.stop();
    this.#attempt?.cancel.abort();
    await Promise.all([this.#attempt?.ended, this.#synchroniser.close()]);
    await this.#checkIns.close();
    await this.#vault.close();
    await this.#preparation.close();
    await this.#config.onDisposed?.();
  }

  async #verify({ scannedId, camera, options, calledAtMs, signal }: Attempt): Promise<VerificationResult> {
    // A recorded camera's frames have their own time.
    const inTime = camera.timing === 'recorded' || !this.#preparation.isTooSlow;
    const opened = await this.#openRecord(scannedId, inTime);
    if (!opened.admitted) return this.#withoutCamera(opened.verdict, calledAtMs);
    const { found, reference } = opened;
    let report: AttemptReport;
    let active: ActiveCheck | null;
    try {
      active = this.#activeCheck(camera, options);
      if (active === null) return this.#withoutCamera(noAlternative, calledAtMs);
      const { engine, ports } = this.#config;
      const attempt: AttemptInput = {
        engine,
        passiveLiveness: this.#checked.passiveLiveness,
        engineId: found.epoch.engineId,
        reference,
        matchThreshold: found.epoch.matchThreshold,
        direction: this.#drawDirection(),
        active,
        onStaffAsked: (confirm) => {
          this.#staffConfirm = confirm;
        },
        ...(this.#checked.lightChallenge === 'when-possible' || active === 'light'
          ? { drawLight: () => drawLightSequence(ports.random, STANDARD_LIGHT_POLICY) }
          : {}),
        camera,
        clock: ports.clock,
        timers: ports.timers,
        signal,
      };
      report = await this.#preparation.during(() => runAttempt(attempt));
    } finally {
      reference.fill(0);
    }
    const { timings, counts } = report;
    const verdict = await this.#confirm(report.verdict, found, active);
    const totalMs = Math.round(this.#config.ports.clock.monotonicMs() - calledAtMs);
    const protections = protectionsOf(this.#checked.passiveLiveness, report.light, active);
    return { ...verdict, protections, timings: { ...timings, totalMs }, counts };
  }

  /** The check after the first match; null if this list or device has no alternative to the turn. */
  #activeCheck(camera: Camera, { headTurn = 'asked' }: VerifyOptions): ActiveCheck | null {
    if (headTurn === 'asked') return 'head-turn';
    const alternative = this.#vault.state.list?.headTurnAlternative ?? 'none';
    if (alternative === 'none' || this.#checked.passiveLiveness === null) return null;
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
        const reference = await this.#vault.unseal(admission.found);
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
      const { lookup, found } = await this.#vault.find(scannedId, this.#engineIds());
      const kept = await this.#vault.touch().catch(() => null);
      const verdict = admit(this.#vault.state, kept ?? this.#vault.time(), lookup, this.#vault.distrusted);
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
  async #confirm(verdict: Verdict, found: FoundRecord, active: ActiveCheck): Promise<AdmissionVerdict> {
    // The state machine gives no reason of the log.
    if (verdict.outcome !== 'Match' && verdict.reason !== 'cancelled') return verdict as AdmissionVerdict;
    // Repeated if a sync replaced the pack in between.
    for (let tries = 0; tries < 3; tries += 1) {
      const now = await this.#admit(found.personId);
      if (!now.admitted) return now.verdict;
      if (!sameBytes(now.found.record, found.record)) return { outcome: 'NotEnrolled', reason: 'record-changed' };
      const isAllowed = active === 'head-turn' || active === this.#vault.state.list?.headTurnAlternative;
      if (!isAllowed) return noAlternative;
      if (verdict.outcome !== 'Match') return verdict;
      const entered = await this.#letIn(verdict, now.found);
      if (entered !== null) return entered;
    }
    return storageFailed;
  }

  /** @returns null if the list has changed since the person was found */
  async #letIn(
    verdict: Extract<Verdict, { readonly outcome: 'Match' }>,
    found: FoundRecord,
  ): Promise<AdmissionVerdict | null> {
    let admission: MatchAdmission = { recorded: false, alreadyAdmittedAtMs: null };
    try {
      const entry = await this.#vault.letIn(found);
      if (entry === null) return null;
      const { alreadyAdmittedAtMs } = entry;
      if (entry.kind === 'refused') {
        return { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs: entry.alreadyAdmittedAtMs };
      }
      admission = { recorded: entry.recorded, alreadyAdmittedAtMs };
    } catch {
      // Without `refuse` a verified person is let in all the same: the organiser has not asked for more than a word.
      if (this.#vault.state.list?.reEntry === 'refuse') return notRecorded;
    }
    this.#checkIns.wake();
    return { ...verdict, admission };
  }

  /** Deletes what is due and frees networks that are no longer needed. @throws FaceError `storage-failed` */
  #touch(): Promise<unknown> {
    return this.#vault.touch().finally(() => void this.#preparation.update());
  }

  #engineIds(): readonly string[] {
    return this.#config.engine.recipes.map(({ engineId }) => engineId);
  }

  #drawDirection(): TurnDirection {
    const [byte = 0] = this.#config.ports.random.bytes(1);
    return (byte & 1) === 0 ? 'left' : 'right';
  }

  #protections(light: Protections['light'] = this.#checked.lightChallenge): Protections {
    return protectionsOf(this.#checked.passiveLiveness, light);
  }

  #withoutCamera(verdict: AdmissionVerdict, calledAtMs: number): VerificationResult {
    return {
      ...verdict,
      protections: this.#protections(),
      timings: {
        totalMs: Math.round(this.#config.ports.clock.monotonicMs() - calledAtMs),
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

  /** Repeats an action, waiting after the end of each run; a failed one is repeated at the next interval. */
  #every(intervalMs: number, action: () => Promise<unknown>): () => void {
    const { timers } = this.#config.ports;
    let stopped = false;
    let cancel = () => {};
    const next = () => {
      cancel = timers.after(intervalMs, () => {
        void action()
          .catch(() => undefined)
          .then(() => {
            if (!stopped) next();
          });
      });
    };
    next();
    return () => {
      stopped = true;
      cancel();
    };
  }
}
