import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError } from '@svc/core';
import { isPersonId } from '@svc/core/pack';
import { versionsOf } from '@svc/face-engine';
import { CheckInQueue } from './admissions/check-in-queue.ts';
import type { Camera } from './attempt/camera.ts';
import { EnginePreparation } from './attempt/engine-preparation.ts';
import {
  type CheckedConfig,
  checkConfig,
  coreAead,
  type DeviceConfig,
  type DeviceModels,
  isDeviceToken,
  type WholePorts,
} from './config.ts';
import { PersonVerifier, type VerifyOptions } from './person-verifier.ts';
import { toBase64Url } from './platform/bytes.ts';
import { type DeviceStatus, StatusWatch, statusOf } from './status.ts';
import { AdmissionExchange } from './sync/admission-exchange.ts';
import { ArrivalsReporter } from './sync/report-arrivals.ts';
import type { SyncResult } from './sync/sync-result.ts';
import { Synchroniser } from './sync/synchroniser.ts';
import { attendancesOf } from './trust/admission.ts';
import { nextErasureAtMs } from './trust/trust-state.ts';
import { Vault } from './vault/vault.ts';
import type { VerificationResult } from './verification/result.ts';

type WholeConfig = DeviceConfig & { readonly ports: WholePorts };

/** Interval at which a running device stores trusted time and checks deadlines. */
const TOUCH_INTERVAL_MS = 60_000;

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
  readonly #exchange: AdmissionExchange;
  readonly #arrivals: ArrivalsReporter;
  readonly #verifier: PersonVerifier;
  #attempt: { readonly cancel: AbortController; readonly ended: Promise<unknown> } | null = null;
  #staffConfirm: (() => void) | null = null;
  #stopTimers: (() => void) | null = null;
  #disposal: Promise<void> | null = null;

  private constructor(config: WholeConfig, checked: CheckedConfig, vault: Vault) {
    this.#config = config;
    this.#checked = checked;
    this.#vault = vault;
    const { deviceToken, ports } = config;
    const { baseUrl } = checked.region;
    this.#arrivals = new ArrivalsReporter({ counts: vault.admissions, baseUrl, deviceToken, ports });
    this.#synchroniser = new Synchroniser({
      vault,
      region: checked.region,
      deviceToken,
      engineIds: this.#engineIds(),
      attendances: attendancesOf(checked.unattended),
      limits: checked.limits,
      ports,
      onStored: (cancel) => this.#arrivals.report(cancel),
      onBegin: () => this.#watch.look(),
      onEnd: (result) => this.#synced(result),
    });
    this.#watch = new StatusWatch({
      status: () => this.status(),
      timers: ports.timers,
      nowMs: () => vault.time().nowMs,
      onBoundary: () => this.#touch(),
    });
    this.#preparation = new EnginePreparation({
      engine: config.engine,
      passiveLiveness: checked.passiveLiveness,
      clock: ports.clock,
      listed: () => vault.state.list?.epochs.map(({ engineId }) => engineId) ?? [],
      onMeasured: () => this.#watch.look(),
    });
    this.#checkIns = new CheckInQueue({
      queue: vault.admissions,
      ports,
      nowMs: () => vault.time().nowMs,
      onFewer: () => this.#watch.look(),
    });
    const { region } = checked;
    const onEnd = () => this.#watch.look();
    this.#exchange = new AdmissionExchange({ vault, region, deviceToken, ports, onEnd });
    this.#verifier = new PersonVerifier({
      ...checked,
      engine: config.engine,
      ports,
      vault,
      preparation: this.#preparation,
      engineIds: this.#engineIds(),
      onAdmitted: () => this.#checkIns.wake(),
      claims: this.#exchange,
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
      const checked = checkConfig(whole);
      await vault.eraseUnsuited(attendancesOf(checked.unattended));
      const device = new CheckInDevice(whole, checked, vault);
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
    return this.#synchroniser.sync();
  }

  #synced(result: SyncResult): void {
    if (result.ok && result.outcome === 'wiped') this.#attempt?.cancel.abort();
    this.#watch.look();
    void this.#preparation.update();
    if (!result.ok) return;
    this.#checkIns.reconnected();
    void this.#exchange.share();
  }

  /**
   * Verifies the person in front of the camera against the scanned ID. Never rejects for conditions at the door. One
   * attempt at a time: a second call returns NoFace with `attempt-in-progress`.
   * @param scannedId the personId exactly as enrolled
   */
  async verifyLiveAsync(scannedId: string, camera: Camera, options: VerifyOptions = {}): Promise<VerificationResult> {
    const calledAtMs = this.#config.ports.clock.monotonicMs();
    const noFace = (reason: 'disposed' | 'attempt-in-progress' | 'engine-failed') =>
      this.#verifier.withoutCamera({ outcome: 'NoFace', reason }, calledAtMs);
    if (this.#disposal !== null) return noFace('disposed');
    if (this.#attempt !== null) return noFace('attempt-in-progress');
    const cancel = new AbortController();
    const onAbort = () => cancel.abort();
    if (options.signal?.aborted === true) cancel.abort();
    options.signal?.addEventListener('abort', onAbort);
    const onStaffAsked = (confirm: () => void) => {
      this.#staffConfirm = confirm;
    };
    const ended = this.#verifier
      .verify({ scannedId, camera, options, calledAtMs, signal: cancel.signal, onStaffAsked })
      // Unexpected errors still give a result.
      .catch(() => noFace('engine-failed'))
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
    const isTaken = await this.#vault.admissions.takeBack(scannedId);
    this.#checkIns.wake();
    void this.#exchange.share();
    this.#watch.look();
    return isTaken ? 'taken-back' : 'not-admitted';
  }

  status(): DeviceStatus {
    return statusOf(this.#vault, {
      checkInsDeliveredAtMs: this.#checkIns.lastDeliveredAtMs,
      engineIds: this.#engineIds(),
      framesPerSecond: this.#preparation.framesPerSecond,
      isReached: this.#exchange.isReached,
      isTooSlow: this.#preparation.isTooSlow,
      core: this.#config.engine.core.kind,
      protections: this.#verifier.protections(),
      unattended: this.#checked.unattended,
      ...this.#synchroniser.progress,
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
   * deadlines, and shares admissions, every minute. Repeats failed deliveries of check-ins. Idempotent.
   */
  start(): void {
    if (this.#disposal !== null || this.#stopTimers !== null) return;
    this.#touchLater();
    this.#synchroniser.start();
    this.#checkIns.start();
  }

  /** Ends the schedule of {@link start}; a running sync continues. Idempotent. */
  stop(): void {
    this.#stopTimers?.();
    this.#stopTimers = null;
    this.#synchroniser.stop();
    this.#checkIns.stop();
    this.#watch.look();
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
    await Promise.all([this.#verifier.counted, this.#arrivals.sent]);
    await this.#checkIns.close();
    await this.#exchange.close();
    await this.#vault.close();
    await this.#preparation.close();
    await this.#config.onDisposed?.();
  }

  /** Deletes what is due and frees networks that are no longer needed. @throws FaceError `storage-failed` */
  #touch(): Promise<unknown> {
    return this.#vault.touch().finally(() => void this.#preparation.update());
  }

  #engineIds(): readonly string[] {
    return this.#config.engine.recipes.flatMap(versionsOf).map(({ engineId }) => engineId);
  }

  /** Touches after an interval, and again that long after the end of each. */
  #touchLater(): void {
    const again = () => {
      this.#watch.look();
      void this.#exchange.share();
      if (this.#stopTimers === cancel) this.#touchLater();
    };
    const cancel = this.#config.ports.timers.after(TOUCH_INTERVAL_MS, () => void this.#touch().then(again, again));
    this.#stopTimers = cancel;
  }
}
