import { createHash } from 'node:crypto';
import type { SeededRandom } from '@svc/api/testing';
import { createNodeAead } from '@svc/core/testing/peers';
import {
  type Camera,
  CheckInDevice,
  type DevicePorts,
  type DeviceStatus,
  type RegionSettings,
  type SyncResult,
  type VerificationOutcome,
} from '@svc/device-sdk';
import { createFakeEngine, type FakeEngine, recorded } from '@svc/device-sdk/testing';
import { createFileKeyStore, createFilePackStore } from '@svc/device-sdk-node';
import { promise, Violation } from './expected-state.ts';
import type { Cut } from './history.ts';
import { aheadMs, isOver, PromiseChecker, type Told } from './promise-checker.ts';
import { type CutKind, SimulatedDisk } from './simulated-disk.ts';
import type { Crossing } from './simulated-network.ts';
import type { DeviceClock, TrueTime } from './true-time.ts';

/** The device of the service that this machine currently is. */
export interface Role {
  readonly token: string;
  readonly deviceId: string;
  readonly listId: string;
}

export interface DeviceParts {
  readonly role: Role;
  readonly time: TrueTime;
  readonly random: SeededRandom;
  readonly region: RegionSettings;
  readonly crossing: Crossing;
  /** Its engines, the preferred one first. */
  readonly engineIds: readonly string[];
}

const DIRECTORY = 'device';
/** Files that may lie on a disk after a wipe. */
const LEFT_BY_A_WIPE = new Set(
  ['state/state', 'keys/mac.key', 'keys/device-key.pkcs8'].map((n) => `${DIRECTORY}/${n}`),
);
const TAKES_THE_DEVICE_KEY = new Set(['device-revoked', 'no-sync-30-days']);
const aead = createNodeAead();
/** The shortest visit that leads to a match: look ahead, turn, and back. */
const VISIT_DEG = [0, 0, 0, 0, 0, 0, 14, 26, 31, 14, 0, 0, 0, 0, 0] as const;

/** A machine at a door: disk, clocks and, while it is on, the device SDK over Node's file stores. */
export class SimulatedDevice {
  readonly disk = new SimulatedDisk();
  readonly checker: PromiseChecker;
  readonly crossing: Crossing;
  readonly engine: FakeEngine;
  /** The last reported reason of an erasure. */
  erased: DeviceStatus['erased'] = null;
  /** Wall clock minus true time, kept while it is off. */
  offsetMs = 0;
  /** All list keys sealed to it so far. */
  readonly #keys = new Map<string, Uint8Array>();
  /** Answers sent to it that it may have taken, by their times, which are unique. */
  readonly #heard = new Map<number, Told>();
  readonly #o: DeviceParts;
  #role: Role;
  #running: { readonly device: CheckInDevice; readonly clock: DeviceClock } | null = null;
  #direction: 'left' | 'right' = 'left';

  constructor(o: DeviceParts) {
    this.#o = o;
    this.crossing = o.crossing;
    this.#role = o.role;
    this.engine = createFakeEngine(o.engineIds);
    this.checker = new PromiseChecker(o.time.now());
  }

  get role(): Role {
    return this.#role;
  }

  /** Null while it is switched off. */
  get device(): CheckInDevice | null {
    return this.#running?.device ?? null;
  }

  /** It becomes another device: earlier answers no longer count. */
  become(role: Role): void {
    [this.#role, this.erased] = [role, null];
    this.#heard.clear();
    this.checker.forget(this.#o.time.now());
  }

  /** An answer with list keys sealed to it is on its way. */
  hear(told: Told, keys: readonly { readonly name: string; readonly key: Uint8Array }[]): void {
    this.#heard.set(Date.parse(told.manifest.issuedAt), told);
    for (const { name, key } of keys) this.#keys.set(name, key);
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
      this.checker.clockWasSet(offsetMs);
    }
  }

  /** Switches it on. It stays off if its disk fails or it is cut off during the start. */
  async switchOn(cut: Cut | null = null): Promise<void> {
    const { time, random, region } = this.#o;
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
        transport: (request) => this.crossing.carry(this, request),
        aead,
        sha256: () => createHash('sha256'),
      };
      const device = await CheckInDevice.create({
        deviceToken: this.#role.token,
        region,
        engine: this.engine,
        passiveLiveness: this.engine.passive,
        ports,
      });
      this.#running = { device, clock };
      this.checker.restarted(nowMs, this.offsetMs);
      // A sync that was cut off or hit by a disk failure either took the answer or did not.
      this.#took(device);
      this.#heard.clear();
      this.checker.saved(nowMs);
    } catch (error) {
      time.switchOff(clock);
      if (error instanceof Violation) throw error;
      promise(this.disk.isOff, `a device starts: ${String(error)}`);
    }
    if (!this.disk.isOff) this.disk.forgetCut();
  }

  /** The answer that it reports to have taken. @param nowMs when it last recorded the time @returns null for none */
  #took(device: CheckInDevice, nowMs = this.#o.time.now()): Told | null {
    const told = this.#heard.get(device.status().lastSyncAtMs ?? Number.NaN) ?? null;
    if (told === null) return null;
    this.checker.took(told, { nowMs, offsetMs: this.offsetMs });
    this.#heard.clear();
    return told;
  }

  /** The cut came: the machine is off. @returns false if it was not reached */
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
    const result = await device.syncAsync();
    if (!result.ok) return result;
    const told = this.#took(device);
    if (told === null) throw new Violation({ message: 'nothing is taken that the service did not answer' });
    const nowMs = this.#o.time.now();
    const { command, toVersion } = told.manifest;
    // The deadline may have passed while the answer was on its way, assumed to take as long as the whole sync.
    if (command === 'wipe' || isOver(told, nowMs)) promise(result.outcome === 'wiped', 'a wipe is carried out');
    else if (result.outcome === 'wiped') promise(isOver(told, nowMs + aheadMs(told)), 'nothing is wiped unasked');
    if (result.outcome !== 'wiped') {
      promise(result.listVersion === toVersion, 'the version is the one that was told');
      promise(result.people === told.people.size, 'everybody is there, and nobody else');
    }
    return result;
  }

  /** An ID is scanned without waiting for the result. */
  async scan(personId: string): Promise<void> {
    await this.device?.verifyLiveAsync(personId, { frames: noFrames, prompt: () => undefined });
  }

  /** An ID is scanned. @param face the visitor's; null: nobody. @param meanwhile runs during the attempt */
  async verify(
    device: CheckInDevice,
    personId: string,
    face: number | null,
    meanwhile: (() => Promise<void>) | null = null,
  ): Promise<VerificationOutcome> {
    const camera: Camera = {
      timing: 'recorded',
      prompt: () => undefined,
      frames: (signal) => (face === null ? noFrames() : this.#frames(face, signal, meanwhile)),
    };
    const { outcome, reason } = await device.verifyLiveAsync(personId, camera);
    this.engine.handedOut.length = 0;
    this.engine.asked.length = 0;
    this.checker.saved(this.#o.time.now());
    if (outcome === 'Match') promise(device.status().erased === null, 'nobody is verified by what is to be erased');
    if (outcome === 'Match' || meanwhile === null) {
      const { engineIds } = this.#o;
      this.checker.judge({ personId, face, engineIds, outcome, reason }, this.#o.time.now());
    }
    return outcome;
  }

  /** Checks the disk after a wipe. */
  async lookAtDisk(device: CheckInDevice): Promise<void> {
    if (this.disk.isOff) return;
    const nowMs = this.#o.time.now();
    const { erased, listVersion } = device.status();
    const due = this.checker.mustBeErased(nowMs);
    promise(due === null || listVersion === null, `everything is erased by “${due}”`);
    promise(listVersion !== null || this.checker.mayBeErased(nowMs), `nothing is erased without a reason: “${erased}”`);
    if (listVersion !== null) return;
    const withoutDeviceKey = erased !== null && TAKES_THE_DEVICE_KEY.has(erased);
    for (const path of this.disk.paths) {
      const isMeant = LEFT_BY_A_WIPE.has(path) && !(withoutDeviceKey && path.endsWith('.pkcs8'));
      promise(isMeant, `a wipe leaves no ${path}`);
    }
    await this.lookForKeys();
  }

  /** No list key lies anywhere on the disk. */
  async lookForKeys(): Promise<void> {
    for (const [name, key] of this.#keys) {
      const where = await this.disk.find(key);
      promise(where === null, `a wipe leaves no key of ${name}, as in ${where}`);
    }
  }

  #bytes(random: SeededRandom, length: number): Uint8Array {
    const bytes = Uint8Array.from({ length }, () => random.between(0, 255));
    // The direction of a turn is the only draw of one byte.
    if (length === 1) this.#direction = ((bytes[0] ?? 0) & 1) === 0 ? 'left' : 'right';
    return bytes;
  }

  async *#frames(face: number, signal: AbortSignal, meanwhile: (() => Promise<void>) | null) {
    let left = 5;
    const sign = this.#direction === 'left' ? 1 : -1;
    const heads = VISIT_DEG.map((yawDeg) => ({ who: face, yawDeg: sign * yawDeg }));
    for await (const frame of recorded(heads).frames(signal)) {
      if (left === 0) await meanwhile?.();
      left -= 1;
      yield frame;
    }
  }
}

/** A camera that shows nothing. */
async function* noFrames() {}
