import { createHash } from 'node:crypto';
import type { SeededRandom } from '@svc/api/testing';
import { createNodeAead } from '@svc/core/aead-node';
import {
  type Camera,
  CheckInDevice,
  type DevicePorts,
  type RegionSettings,
  type SyncResult,
  type Transport,
} from '@svc/device-sdk';
import { createFakeEngine, recorded, visit } from '@svc/device-sdk/testing';
import { createFileKeyStore, createFilePackStore, verifyEd25519 } from '@svc/device-sdk-node';
import type { Cut } from './history.ts';
import { type CutKind, SimulatedDisk } from './simulated-disk.ts';
import type { DeviceClock, TrueTime } from './true-time.ts';
import { promise, Violation } from './violation.ts';
import { type Told, Witness } from './witness.ts';

/** Which device of the service this machine is, for now. */
export interface Role {
  readonly token: string;
  readonly deviceId: string;
  readonly listId: string;
}

/** Puts a broken part in the place of a whole one. */
export type BendPorts = (ports: DevicePorts) => DevicePorts;

export interface DeviceParts {
  readonly name: string;
  readonly role: Role;
  readonly time: TrueTime;
  readonly random: SeededRandom;
  readonly region: RegionSettings;
  readonly transport: Transport;
  readonly bend: BendPorts;
  /** Told what each sync and each attempt came to. */
  readonly note: (what: string) => void;
}

const DIRECTORY = 'device';
/** What may lie on a disk after a wipe. */
const LEFT_BY_A_WIPE = new Set(
  ['state/state', 'keys/mac.key', 'keys/device-key.pkcs8'].map((n) => `${DIRECTORY}/${n}`),
);
const TAKES_THE_DEVICE_KEY = new Set(['device-revoked', 'no-sync-30-days']);
const aead = createNodeAead();

/** A machine at a door: disk, clocks and, while it is on, the device SDK over the file stores of Node. */
export class SimulatedDevice {
  readonly name: string;
  readonly disk: SimulatedDisk;
  readonly witness: Witness;
  readonly engine = createFakeEngine();
  role: Role;
  /** Wall clock less true time, kept while it is off. */
  offsetMs = 0;
  /** The answer to the request that is on its way, or was last. */
  answered: Told | null = null;
  /** List keys that were ever sealed to it. */
  readonly keys = new Map<string, Uint8Array>();
  readonly #o: DeviceParts;
  #running: { readonly device: CheckInDevice; readonly clock: DeviceClock } | null = null;
  #direction: 'left' | 'right' = 'left';

  constructor(o: DeviceParts) {
    this.#o = o;
    this.name = o.name;
    this.role = o.role;
    this.disk = new SimulatedDisk(o.random.fork());
    this.witness = new Witness(o.time.now());
  }

  /** Null while it is switched off. */
  get device(): CheckInDevice | null {
    return this.#running?.device ?? null;
  }

  /** It runs, and no disk of its lets it down. */
  get isWell(): boolean {
    return this.#running !== null && !this.disk.isOff && this.disk.isHealthy;
  }

  switchOff(kind: CutKind): void {
    this.disk.switchOff(kind);
    this.#leave();
  }

  #leave(): void {
    if (this.#running !== null) this.#o.time.switchOff(this.#running.clock);
    this.#running = null;
  }

  setClock(offsetMs: number): void {
    this.offsetMs = offsetMs;
    if (this.#running !== null) {
      this.#running.clock.offsetMs = offsetMs;
      this.witness.clockWasSet(offsetMs);
    }
  }

  /** Switches it on. It stays off where its disk does not let it start, or where it is cut off on the way. */
  async switchOn(cut: Cut | null = null): Promise<void> {
    const { time, random, region, transport, bend } = this.#o;
    const fs = this.disk.mount();
    if (cut !== null) this.disk.cutAt(cut.at, cut.instant, cut.kind);
    const clock = time.boot(this.offsetMs);
    const nowMs = time.now();
    try {
      const ports: DevicePorts = {
        keyStore: await createFileKeyStore(DIRECTORY, fs),
        packStore: await createFilePackStore(DIRECTORY, fs),
        clock: clock.clock,
        timers: clock.timers,
        random: { bytes: (length) => this.#bytes(random, length) },
        transport,
        aead,
        sha256: () => createHash('sha256'),
        verifyEd25519,
      };
      const device = await CheckInDevice.create({
        deviceToken: this.role.token,
        region,
        engine: this.engine,
        passiveLiveness: this.engine.passive,
        ports: bend(ports),
      });
      this.#running = { device, clock };
      this.witness.restarted(nowMs, this.offsetMs);
      this.#lookWhatWasTaken(device);
      if (this.disk.isHealthy) this.witness.saved(nowMs);
    } catch (error) {
      time.switchOff(clock);
      if (error instanceof Violation) throw error;
      promise(this.disk.isOff || !this.disk.isHealthy, `a device starts on a healthy disk: ${String(error)}`);
      if (!this.disk.isOff) this.disk.switchOff('kill');
      this.witness.troubled();
    }
    if (!this.disk.isOff) this.disk.forgetCut();
  }

  /** A device that was cut off in a sync took its answer or did not; it says so itself. */
  #lookWhatWasTaken(device: CheckInDevice): void {
    const { answered } = this;
    if (answered === null) return;
    if (device.status().lastSyncAtMs === Date.parse(answered.manifest.issuedAt)) this.#took(answered);
    else this.answered = null;
  }

  #took(told: Told): void {
    this.#o.note(`${this.name}: took ${told.sent} of version ${told.manifest.toVersion}`);
    const nowMs = this.#o.time.now();
    this.witness.took(told, { nowMs, offsetMs: this.offsetMs, isHealthy: this.disk.isHealthy });
    this.answered = null;
  }

  /** The cut came: the machine is off. @returns false where it was not reached */
  wasCut(): boolean {
    if (!this.disk.isOff) {
      this.disk.forgetCut();
      return false;
    }
    this.#leave();
    return true;
  }

  /** A sync, and what it came to. */
  async sync(device: CheckInDevice): Promise<SyncResult> {
    this.answered = null;
    const result = await device.syncAsync();
    this.#o.note(`${this.name}: sync ${result.ok ? result.outcome : result.reason}`);
    if (!result.ok) {
      // Cut off or let down by the disk, it may have taken the answer all the same.
      if (this.isWell) this.answered = null;
      else this.witness.troubled();
      return result;
    }
    // Set by the transport meanwhile, which the compiler does not see.
    const told = this.answered as Told | null;
    if (told === null) throw new Violation('nothing is taken that the service did not answer');
    const { command, retentionDeadline } = told.manifest;
    // The deadline may have come while the answer was on its way.
    const isOver = retentionDeadline !== null && Date.parse(retentionDeadline) <= this.#o.time.now();
    promise((result.outcome === 'wiped') === (command === 'wipe' || isOver), 'a sync does what it was told');
    this.#took(told);
    if (result.outcome !== 'wiped') {
      promise(result.listVersion === told.manifest.toVersion, 'the version is the one that was told');
      if (this.disk.isHealthy) promise(result.people === told.people.size, 'everybody is there, and nobody else');
    }
    return result;
  }

  /** Somebody stands before the camera. @param meanwhile runs while the camera looks */
  async verify(
    device: CheckInDevice,
    personId: string,
    face: number,
    meanwhile: (() => Promise<void>) | null = null,
  ): Promise<void> {
    const camera: Camera = {
      timing: 'recorded',
      prompt: () => undefined,
      frames: (signal) => this.#frames(face, signal, meanwhile),
    };
    const isSlow = meanwhile !== null;
    const { outcome, reason } = await device.verifyLiveAsync(personId, camera);
    this.#o.note(`${this.name}: ${personId} ${outcome} ${reason}`);
    this.engine.handedOut.length = 0;
    if (!this.isWell) this.witness.troubled();
    else this.witness.saved(this.#o.time.now());
    if (isSlow && outcome !== 'Match') return;
    const { engineId } = this.engine;
    this.witness.judge({ personId, face, engineId, outcome, reason }, this.#o.time.now());
  }

  /** What lies on the disk after a wipe, looked at when a device on a healthy disk has just read its clock. */
  lookAtDisk(device: CheckInDevice): void {
    if (!this.isWell) return;
    const nowMs = this.#o.time.now();
    const { erased, listVersion } = device.status();
    const due = this.witness.mustBeErased(nowMs);
    promise(due === null || listVersion === null, `everything is erased by «${due}»`);
    promise(listVersion !== null || this.witness.mayBeErased(nowMs), `nothing is erased without a reason: «${erased}»`);
    if (listVersion === null) this.#lookAtLeftovers(erased !== null && TAKES_THE_DEVICE_KEY.has(erased));
  }

  /** Nothing on the disk is readable. */
  #lookAtLeftovers(withoutDeviceKey: boolean): void {
    for (const path of this.disk.files().keys()) {
      const isMeant = LEFT_BY_A_WIPE.has(path) && !(withoutDeviceKey && path.endsWith('.pkcs8'));
      promise(isMeant, `a wipe leaves no ${path}`);
    }
    this.lookForKeys();
  }

  /** No list key lies anywhere on the disk. */
  lookForKeys(): void {
    for (const [name, key] of this.keys) {
      const where = this.disk.find(key);
      promise(where === null, `a wipe leaves no key of ${name}, as in ${where}`);
    }
  }

  #bytes(random: SeededRandom, length: number): Uint8Array {
    const bytes = Uint8Array.from({ length }, () => random.between(0, 255));
    // The direction of a turn is the only thing that takes one byte.
    if (length === 1) this.#direction = ((bytes[0] ?? 0) & 1) === 0 ? 'left' : 'right';
    return bytes;
  }

  async *#frames(face: number, signal: AbortSignal, meanwhile: (() => Promise<void>) | null) {
    let left = 5;
    for await (const frame of recorded(visit(face, this.#direction)).frames(signal)) {
      if (left === 0) await meanwhile?.();
      left -= 1;
      yield frame;
    }
  }
}
