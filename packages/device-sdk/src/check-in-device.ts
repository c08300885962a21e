import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError } from '@svc/core';
import { coreAead } from './adapters/core-aead.ts';
import type { Camera } from './attempt/camera.ts';
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
import type { Protections, Verdict, VerificationResult } from './result.ts';
import { type DeviceStatus, statusOf } from './status.ts';
import { StatusWatch } from './status-watch.ts';
import { type Connection, connectionAfter, nextSyncDelayMs } from './sync/schedule.ts';
import type { SyncResult } from './sync/sync-result.ts';
import { Synchroniser } from './sync/synchroniser.ts';
import { admit } from './trust/admission.ts';
import type { FoundRecord } from './trust/find-record.ts';
import { Vault } from './vault.ts';
import type { TurnDirection } from './verification/prompts.ts';
import type { ActiveCheck } from './verification/states.ts';

const storageFailed: Verdict = { outcome: 'LeaseExpired', reason: 'storage-failed' };
const noAlternative: Verdict = { outcome: 'ChallengeFailed', reason: 'no-alternative' };

interface Attempt {
  readonly scannedId: string;
  readonly camera: Camera;
  readonly options: VerifyOptions;
  readonly calledAtMs: number;
  readonly signal: AbortSignal;
}

type WholeConfig = DeviceConfig & { readonly ports: Required<Pick<DevicePorts, 'aead'>> };

/** How often trusted time is kept and deadlines are looked at while the device runs. */
const TOUCH_INTERVAL_MS = 60_000;

/** How one attempt differs from the usual. */
export interface VerifyOptions {
  /**
   * `alternative`: the person cannot turn the head, and does what the list has instead ({@link
   * DeviceStatus.headTurnAlternative}). Where it has nothing, no passive check runs, or the light is asked for and the
   * camera has none, the answer is ChallengeFailed with `no-alternative`.
   */
  readonly headTurn?: 'asked' | 'alternative';
}

/**
 * A check-in device: holds one list's sealed templates and verifies, offline and one to one, that the person before the
 * camera is the one whose ID was scanned.
 */
export class CheckInDevice {
  readonly #config: WholeConfig;
  readonly #checked: CheckedConfig;
  readonly #vault: Vault;
  readonly #synchroniser: Synchroniser;
  readonly #watch: StatusWatch;
  readonly #preparation: EnginePreparation;
  #lastSync: SyncResult | null = null;
  #connection: Connection = 'unknown';
  /** Syncs that failed since the last good one. */
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
      limits: checked.limits,
      ports,
    });
    this.#watch = new StatusWatch({
      status: () => this.status(),
      timers: ports.timers,
      nowMs: () => vault.time().nowMs,
      onBoundary: () => this.#touch(),
    });
    this.#preparation = new EnginePreparation(
      config.engine,
      () => vault.state.list?.epochs.map(({ engineId }) => engineId) ?? [],
    );
  }

  /**
   * Opens what the device kept, finishing an interrupted sync or wipe and deleting what is due. Does not sync; see
   * {@link start}.
   * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `storage-failed`
   */
  static create(config: DeviceConfig): Promise<CheckInDevice> {
    return CheckInDevice.createWith(config, async () => config);
  }

  /**
   * As {@link create}, of models that are made once what is due is gone: no engine that fails keeps a face.
   * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `storage-failed`, and what `makeModels`
   * rejects with
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
      // The first guest meets networks that are loaded.
      await device.#preparation.update();
      return device;
    } catch (error) {
      await vault.close();
      throw error;
    }
  }

  /** Syncs now; a sync already running is joined. Never rejects. */
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
    return result;
  }

  /**
   * Verifies the person before the camera against the scanned ID. Never rejects for what happens at the door; one
   * attempt at a time, a second call meanwhile answers NoFace with `attempt-in-progress`.
   * @param scannedId the personId, exactly as it was enrolled
   */
  async verifyLiveAsync(scannedId: string, camera: Camera, options: VerifyOptions = {}): Promise<VerificationResult> {
    const calledAtMs = this.#config.ports.clock.monotonicMs();
    if (this.#disposal !== null) return this.#withoutCamera({ outcome: 'NoFace', reason: 'disposed' }, calledAtMs);
    if (this.#attempt !== null) {
      return this.#withoutCamera({ outcome: 'NoFace', reason: 'attempt-in-progress' }, calledAtMs);
    }
    const cancel = new AbortController();
    const ended = this.#verify({ scannedId, camera, options, calledAtMs, signal: cancel.signal })
      // Nothing is known to get here; if something does, the guest still gets an answer, and staff.
      .catch(() => this.#withoutCamera({ outcome: 'NoFace', reason: 'engine-failed' }, calledAtMs))
      .finally(() => {
        this.#attempt = null;
        this.#staffConfirm = null;
        this.#watch.look();
        void this.#preparation.update();
      });
    this.#attempt = { cancel, ended };
    return ended;
  }

  /**
   * Staff at the device have looked at the person, who cannot turn the head: call it when they say so, while the prompt
   * is `staff-confirms`. At any other time it does nothing.
   */
  confirmByStaff(): void {
    this.#staffConfirm?.();
  }

  /** What a readiness screen shows. */
  status(): DeviceStatus {
    return statusOf({
      state: this.#vault.state,
      time: this.#vault.time(),
      distrusted: this.#vault.distrusted,
      people: this.#vault.held?.index.recordCount ?? 0,
      engineIds: this.#engineIds(),
      protections: this.#protections(),
      syncing: this.#synchroniser.isRunning,
      lastSync: this.#lastSync,
      connection: this.#connection,
      nextSyncAtMs: this.#nextSync?.atMs ?? null,
    });
  }

  /**
   * Calls `listener` with the status whenever it is another one: a sync began or ended, the lease or a deadline is
   * reached, the data is wiped, the service is in reach or no more. Not called at once: {@link status} tells what is
   * now. What the listener throws is ignored.
   * @returns what takes the listener away
   */
  onStatus(listener: (status: DeviceStatus) => void): () => void {
    return this.#watch.add(listener);
  }

  /**
   * Syncs at once and then every five minutes, up to half a minute earlier by chance; sooner again after a failure.
   * Deadlines are looked at each minute. Idempotent.
   */
  start(): void {
    if (this.#disposal !== null || this.#stopTimers !== null) return;
    this.#stopTimers = this.#every(TOUCH_INTERVAL_MS, () => this.#touch().finally(() => this.#watch.look()));
    void this.syncAsync();
  }

  /** Ends what {@link start} began; a sync on its way is not ended. Idempotent. */
  stop(): void {
    this.#stopTimers?.();
    this.#stopTimers = null;
    this.#cancelNextSync();
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

  /** Stops, cancels what runs, and wipes what the program holds in memory. What is stored stays. Idempotent. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.#watch.close();
    this.stop();
    this.#attempt?.cancel.abort();
    await Promise.all([this.#attempt?.ended, this.#synchroniser.close()]);
    await this.#vault.close();
    await this.#preparation.close();
    await this.#config.onDisposed?.();
  }

  async #verify({ scannedId, camera, options, calledAtMs, signal }: Attempt): Promise<VerificationResult> {
    const opened = await this.#openRecord(scannedId);
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

  /** What is asked for after the first match; null where the list, or this device, has nothing instead of the turn. */
  #activeCheck(camera: Camera, { headTurn = 'asked' }: VerifyOptions): ActiveCheck | null {
    if (headTurn === 'asked') return 'head-turn';
    const alternative = this.#vault.state.list?.headTurnAlternative ?? 'none';
    if (alternative === 'none' || this.#checked.passiveLiveness === null) return null;
    return alternative === 'light' && camera.light === undefined ? null : alternative;
  }

  /** The scanned person's template, or why there will be no attempt. */
  async #openRecord(
    scannedId: string,
  ): Promise<
    | { readonly admitted: true; readonly found: FoundRecord; readonly reference: Float32Array }
    | { readonly admitted: false; readonly verdict: Verdict }
  > {
    // Again where a sync switched the pack between finding and opening.
    for (let tries = 0; tries < 3; tries += 1) {
      const admission = await this.#admit(scannedId);
      if (!admission.admitted) return admission;
      try {
        const reference = await this.#vault.unseal(admission.found);
        if (reference !== null) return { ...admission, reference };
      } catch {
        return { admitted: false, verdict: { outcome: 'NotEnrolled', reason: 'record-unopenable' } };
      }
    }
    return { admitted: false, verdict: storageFailed };
  }

  /** The checks before the camera. */
  async #admit(
    scannedId: string,
  ): Promise<
    { readonly admitted: true; readonly found: FoundRecord } | { readonly admitted: false; readonly verdict: Verdict }
  > {
    try {
      // Looked up before what is due goes, so that a person past the deadline is told as such.
      const { lookup, found } = await this.#vault.find(scannedId, this.#engineIds());
      const kept = await this.#vault.touch().catch(() => null);
      const verdict = admit(this.#vault.state, kept ?? this.#vault.time(), lookup, this.#vault.distrusted);
      // A deadline holds whether or not it can be written down; nothing else does.
      if (kept === null && verdict?.outcome !== 'Expired') return { admitted: false, verdict: storageFailed };
      if (verdict !== null) return { admitted: false, verdict };
      if (found !== null) return { admitted: true, found };
      return { admitted: false, verdict: { outcome: 'NotEnrolled', reason: 'not-on-list' } };
    } catch {
      return { admitted: false, verdict: storageFailed };
    }
  }

  /**
   * A match counts only if everything that let the attempt begin still holds: a sync, a deadline or a wipe may have
   * come between.
   */
  async #confirm(verdict: Verdict, found: FoundRecord, active: ActiveCheck): Promise<Verdict> {
    if (verdict.outcome !== 'Match' && verdict.reason !== 'cancelled') return verdict;
    const now = await this.#admit(found.personId);
    if (!now.admitted) return now.verdict;
    if (!sameBytes(now.found.record, found.record)) return { outcome: 'NotEnrolled', reason: 'record-changed' };
    const isAllowed = active === 'head-turn' || active === this.#vault.state.list?.headTurnAlternative;
    return isAllowed ? verdict : noAlternative;
  }

  /** Deletes what is due, and frees the networks that only it needed. @throws FaceError `storage-failed` */
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

  #withoutCamera(verdict: Verdict, calledAtMs: number): VerificationResult {
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

  /** Again and again, each time measured from the end of the last; what fails is tried at the next turn. */
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
