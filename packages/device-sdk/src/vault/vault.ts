import { FaceError } from '@svc/core';
import {
  indexPack,
  type PackContent,
  type PackIndex,
  readPackContent,
  recordDeleteAfterMs,
  withoutDue,
} from '@svc/core/pack';
import { ARRIVALS_BUCKET_MS, type Attendance, type DeviceNames, type ToldNames } from '@svc/protocol/sync';
import { AdmissionLog } from '../admissions/admission-log.ts';
import { reEntryRule } from '../admissions/page.ts';
import type { WholePorts } from '../config.ts';
import { toBase64Url } from '../platform/bytes.ts';
import { createExclusive } from '../platform/timing.ts';
import type { ListKeys } from '../storage/key-store.ts';
import { sameSecrets } from '../storage/list-keys.ts';
import type { HeldPack } from '../storage/pack-store.ts';
import type { KeptList, WipeOrder } from '../sync/check-answer.ts';
import { SyncRefusal } from '../sync/sync-result.ts';
import type { TrustedTime } from '../trust/clock-rule.ts';
import { type Finding, type FoundRecord, findRecord, unsealRecord } from '../trust/find-record.ts';
import {
  type AnnouncedKeys,
  dueErasure,
  type EraseReason,
  type HeldList,
  type TrustState,
  takesDeviceKey,
} from '../trust/trust-state.ts';
import { Generations, inMemory } from './generations.ts';
import { StoredAdmissions } from './stored-admissions.ts';
import { readState, StoredState } from './stored-state.ts';

/**
 * The device's stored data; the only writer of state, packs, list keys and the log of admissions. One change runs at a
 * time. Every change writes a new generation beside the old one, then atomically replaces the state record, so that a
 * crash leaves the old or the new one.
 */
export class Vault {
  readonly #ports: WholePorts;
  readonly #exclusive = createExclusive();
  readonly #stored: StoredState;
  readonly #generations: Generations;
  readonly #log: AdmissionLog;
  readonly admissions: StoredAdmissions;
  #distrusted = false;
  /** The list is being dropped, but its keys or packs may still be in the stores. */
  #dropping = false;

  private constructor(ports: WholePorts, tokenHash: string, state: TrustState | null) {
    this.#ports = ports;
    this.#stored = new StoredState(ports, tokenHash, state);
    this.#generations = new Generations(ports);
    this.#log = new AdmissionLog(ports);
    this.admissions = new StoredAdmissions(this.#log, this.#stored, ports.keyStore, {
      change: (action) => this.#change(action),
      renew: (list) => this.#generations.renew(list),
    });
  }

  /**
   * Completes an interrupted change, deletes another token's data, and deletes what is due.
   * @throws FaceError `storage-failed`
   */
  static async open(ports: WholePorts, tokenHash: string): Promise<Vault> {
    return inStorage(async () => {
      const { sealed, state } = await readState(ports);
      const own = state?.tokenHash === tokenHash ? state : null;
      const vault = new Vault(ports, tokenHash, own);
      if (own === null) {
        // Another token is another device with its own key pair; if only the state is lost, the pair that the service
        // has pinned is kept.
        await vault.#generations.eraseAll({ withDeviceKey: state !== null, withLog: true });
        vault.#distrusted = sealed !== null && state === null;
      } else {
        await vault.#resume();
      }
      try {
        await vault.touch();
      } catch (error) {
        await vault.close();
        throw error;
      }
      return vault;
    });
  }

  /** Deletes only what is due, for any token. @throws FaceError `storage-failed` */
  static async deleteDue(ports: WholePorts): Promise<void> {
    const { state } = await inStorage(() => readState(ports));
    if (state !== null) await (await Vault.open(ports, state.tokenHash)).close();
  }

  get state(): TrustState {
    return this.#stored.state;
  }

  /** True, until the next sync, if the stored data was not this device's own. */
  get distrusted(): boolean {
    return this.#distrusted;
  }

  /** The active list, whose pack the next change may close; null for none. */
  get held(): HeldPack | null {
    return this.#generations.held;
  }

  time(): TrustedTime {
    return this.#stored.time();
  }

  /**
   * Reads the time, deletes what is due, and stores the time mark: every minute and at each verification.
   * @throws FaceError `storage-failed`
   */
  touch(): Promise<TrustedTime> {
    return this.#change(async () => {
      const time = this.time();
      try {
        if (this.#dropping) await this.#drop();
        if (this.#generations.isLittered) await this.#clearLitter();
        await this.#deleteDue(time.nowMs);
      } finally {
        // Also if the state cannot be written: a full disk must not preserve the log's people either.
        await this.#log.deleteDue(reEntryRule(this.state.list), time.nowMs);
      }
      return time;
    });
  }

  /**
   * Looks up a person, never during a change, so that pack and keys are of one generation. A pack that was altered is
   * deleted, keys first.
   * @throws FaceError `storage-failed`
   */
  find(scannedId: unknown, engineIds: readonly string[]): Promise<Finding> {
    return this.#change(async () => {
      try {
        return await findRecord(scannedId, engineIds, this.held, this.#ports.keyStore);
      } catch (error) {
        if (!FaceError.is(error) || error.code !== 'pack-invalid') throw error;
        await this.#drop();
        return findRecord(scannedId, engineIds, null, this.#ports.keyStore);
      }
    });
  }

  /**
   * @returns the template, which the caller wipes; null if the record's generation is gone by now, or the record is due
   * @throws FaceError `open-failed`, `storage-failed`
   */
  unseal(found: FoundRecord): Promise<Float32Array | null> {
    return this.#change(async () => {
      if (this.state.list?.generation !== found.generation) return null;
      if (recordDeleteAfterMs(found.record) <= this.time().nowMs) return null;
      return unsealRecord(found, this.#ports.keyStore, this.#ports.aead);
    });
  }

  /**
   * Stores a checked answer. `sentAtMonotonicMs`: time of the request; `signing`: keys to trust from now on.
   * @throws SyncRefusal if the vault has changed so that the answer no longer applies
   * @throws FaceError `storage-failed`
   */
  apply(kept: KeptList, sentAtMonotonicMs: number, signing?: AnnouncedKeys): Promise<void> {
    return this.#change(async () => {
      this.#refuseOutdated(kept);
      const { manifest, next } = kept;
      let { generation, packDigest } = this.state.list ?? { generation: 0, packDigest: '' };
      if (next === null) {
        await this.#keepSecrets(generation, kept.keys);
      } else {
        generation = await this.#generations.put(generation, kept.keys, next.content);
        packDigest = toBase64Url(next.index.digest);
      }
      const { listId, deviceId, toVersion: version, stateHash, syncCounter } = manifest;
      const learnt = {
        identity: { listId, deviceId, version, stateHash },
        list: listOf(kept, generation, packDigest, this.state.list, this.#countsFromMs(kept.issuedAtMs)),
        syncedAtMs: kept.issuedAtMs,
        tombstone: null,
        ...(syncCounter === undefined ? {} : { syncCounter }),
        ...(signing === undefined ? {} : { signing }),
      };
      await this.#switch({ ...this.state, ...learnt }, learnt.list, kept, sentAtMonotonicMs);
    });
  }

  /**
   * Where counting begins, which is not in five minutes of which the device may have told before it forgot them: a new
   * report of those would replace what the service has.
   */
  #countsFromMs(nowMs: number): number {
    const bucketMs = nowMs - (nowMs % ARRIVALS_BUCKET_MS);
    const isNew = this.state.syncCounter === undefined && !this.#distrusted;
    return isNew ? bucketMs : bucketMs + ARRIVALS_BUCKET_MS;
  }

  /** Carries out a signed wipe. @throws FaceError `storage-failed`; the wipe continues at the next touch or start */
  carryOut(order: WipeOrder, sentAtMonotonicMs: number): Promise<void> {
    return this.#change(async () => {
      this.#stored.takeServerTime(order.issuedAtMs, sentAtMonotonicMs);
      const { listId, deviceId } = order;
      const identity = this.state.identity ?? { listId, deviceId, version: 0, stateHash: '' };
      this.#stored.set({ ...this.state, identity, syncedAtMs: order.issuedAtMs });
      await this.#erase(order.reason);
    });
  }

  /** Erases a list that was synced while the device could serve its attendance. @throws FaceError `storage-failed` */
  async eraseUnsuited(attendances: readonly Attendance[]): Promise<void> {
    const { list } = this.state;
    if (list === null || attendances.includes(list.attendance ?? 'staffed')) return;
    await this.#change(() => this.#erase('unattended-unsupported'));
  }

  /** Waits for a running change, then wipes the data in memory; the stores stay. Do not use the vault afterwards. */
  close(): Promise<void> {
    return this.#exclusive(() => this.#generations.close());
  }

  #change<T>(action: () => Promise<T>): Promise<T> {
    return this.#exclusive(() => inStorage(action));
  }

  /**
   * After a restart: completes an interrupted wipe, deletes leftovers, and activates the pack if it is the one that the
   * state names.
   */
  async #resume(): Promise<void> {
    const { wipe, list } = this.state;
    if (wipe !== null) return this.#erase(wipe.reason);
    await this.#generations.deleteOthers(list?.generation ?? null);
    if (list === null || (await this.#generations.activate(list))) return;
    await this.#generations.eraseAll({ withDeviceKey: false, withLog: false });
    this.#distrusted = true;
    await this.#stored.write(withoutList(this.state));
  }

  async #deleteDue(nowMs: number): Promise<void> {
    const reason = this.state.wipe?.reason ?? dueErasure(this.state, nowMs);
    if (reason !== null) await this.#erase(reason);
    else if (this.held !== null && this.held.index.nextDeleteAfterMs <= nowMs) await this.#purge(this.held, nowMs);
    else await this.#stored.write();
  }

  /**
   * Keys first, even if the intent cannot be stored: a full disk must not preserve faces. A restart then finds keys
   * missing and erases the rest. Who was let in is kept where the list may come back, until the list's deadline.
   */
  async #erase(reason: EraseReason): Promise<void> {
    this.#stored.set({ ...this.state, wipe: { reason } });
    await this.#stored.write().catch(() => undefined);
    const withLog = reason !== 'unattended-unsupported';
    if (withLog) this.#log.forget();
    await this.#generations.eraseAll({ withDeviceKey: takesDeviceKey(reason), withLog });
    const tombstone = { reason, erasedAtMs: this.time().nowMs };
    const left = withLog ? { ...this.state, list: null, droppedDeadlineMs: null } : withoutList(this.state);
    await this.#stored.write({ ...left, wipe: null, tombstone });
  }

  /**
   * Deletes due records, also offline: writes the same pack without them as a new generation. If that fails, the old
   * generation is deleted first: a full disk must not preserve expired people. If it fails again, the list is gone
   * until the next sync.
   */
  async #purge(held: HeldPack, nowMs: number): Promise<void> {
    const { list } = held;
    const keys = await this.#ports.keyStore.listKeys(list.generation);
    if (keys === null) throw new FaceError('storage-failed', 'the list keys are gone');
    try {
      const content = await withoutDue(await readPackContent(held.reader), nowMs);
      const index = await indexPack(content, { stateHash: false, sha256: this.#ports.sha256 });
      await this.#replace(list, content, index, keys).catch(async () => {
        // The only time that a whole pack is held in memory: its source is deleted to make room for it.
        const rest = await inMemory(content);
        await this.#drop();
        await this.#replace(list, rest, index, keys);
      });
    } catch (error) {
      // Together with the keys of an interrupted second try.
      await this.#drop();
      throw error;
    } finally {
      keys.wipe();
    }
  }

  /** Builds the list's next generation from this device's data. */
  async #replace(list: HeldList, content: PackContent, index: PackIndex, keys: ListKeys): Promise<void> {
    const generation = await this.#generations.put(list.generation, keys, content);
    const reader = await this.#generations.openWritten(generation, index);
    const next: HeldList = { ...list, generation, packDigest: toBase64Url(index.digest) };
    await this.#stored.write({ ...this.state, list: next }).catch(async (error: unknown) => {
      await reader.close();
      throw error;
    });
    await this.#generations.hold({ list: next, index, reader });
    [this.#distrusted, this.#dropping] = [false, false];
    await this.#generations.deleteOthers(generation);
  }

  /** Drops the list, keys first. It is inactive from here on, even if the stores still hold it. */
  async #drop(): Promise<void> {
    this.#stored.set(withoutList(this.state));
    [this.#distrusted, this.#dropping] = [true, true];
    await this.#generations.close();
    await this.#generations.eraseAll({ withDeviceKey: false, withLog: false });
    this.#dropping = false;
  }

  #refuseOutdated({ next }: KeptList): void {
    const { wipe, tombstone } = this.state;
    // The thirty days may have ended while the answer was in transit.
    const isErasedForGood = tombstone !== null && takesDeviceKey(tombstone.reason);
    if (wipe !== null || isErasedForGood) throw new SyncRefusal('erased-for-good');
    // Due records may have been deleted meanwhile, and with them the base pack of the changes.
    const needsHeld = next === null || next.baseGeneration !== null;
    if (needsHeld && this.held === null) throw new SyncRefusal('base-mismatch');
    const base = next?.baseGeneration ?? null;
    if (base !== null && this.held?.list.generation !== base) throw new SyncRefusal('base-mismatch');
  }

  /**
   * The secrets can change while the list does not. Stored before the state that names its address: in between, check-ins
   * for the former address bear a signature that it refuses, and are sent again later.
   */
  async #keepSecrets(generation: number, keys: ListKeys): Promise<void> {
    const held = await this.#ports.keyStore.listKeys(generation);
    if (held === null) throw new FaceError('storage-failed', 'the list keys are gone');
    try {
      if (await sameSecrets(held, keys)) return;
    } finally {
      held.wipe();
    }
    await keys.keepAs(generation);
  }

  async #switch(
    state: TrustState,
    list: HeldList,
    { issuedAtMs, next }: KeptList,
    sentAtMonotonicMs: number,
  ): Promise<void> {
    const reader = next === null ? null : await this.#generations.openWritten(list.generation, next.index);
    const restoreTime = this.#stored.takeServerTime(issuedAtMs, sentAtMonotonicMs);
    try {
      await this.#stored.write(state);
    } catch (error) {
      restoreTime();
      await reader?.close();
      throw error;
    }
    [this.#distrusted, this.#dropping] = [false, false];
    if (next === null || reader === null) return this.#generations.renew(list);
    await this.#generations.hold({ list, index: next.index, reader });
    // The old generation is unused from here on; a failed deletion is repeated at the next touch.
    await this.#generations.deleteOthers(list.generation).catch(() => undefined);
  }

  /**
   * A store that reports a failed write may still have written. So the current state is written again before the
   * generation that the other state names is deleted. If that fails too, the generation is deleted anyway: its people
   * have deadlines.
   */
  async #clearLitter(): Promise<void> {
    await this.#stored.write().catch(() => undefined);
    await this.#generations.deleteOthers(this.state.list?.generation ?? null).catch(() => undefined);
  }
}

/** @param held the logo of before */
function namesOf({ logo, ...names }: ToldNames, held: string | undefined): DeviceNames {
  const next = logo === undefined ? held : logo;
  return next === undefined || next === null ? names : { ...names, logo: next };
}

function listOf(
  { manifest, leaseExpiresAtMs, retentionDeadlineMs }: KeptList,
  generation: number,
  packDigest: string,
  former: HeldList | null,
  countsFromMs: number,
): HeldList {
  const { enrollmentClosed, headTurnAlternative, names, reEntry, reEntryScope, attendance, checkIn, arrivals, mode } =
    manifest;
  return {
    generation,
    packDigest,
    leaseExpiresAtMs,
    retentionDeadlineMs,
    enrollmentClosed,
    headTurnAlternative,
    names: names && namesOf(names, former?.names?.logo),
    reEntry,
    reEntryScope: reEntryScope ?? former?.reEntryScope,
    shared: former?.shared,
    // A node of 0.2 beside newer ones says nothing of it nor of arrivals, and must not make unattended doors staffed.
    attendance: attendance ?? former?.attendance,
    mode,
    checkIn: checkIn === undefined ? undefined : { url: checkIn.url },
    arrivals: arrivals?.policy ?? former?.arrivals,
    countsFromMs: former?.countsFromMs ?? (arrivals?.policy === 'counts' ? countsFromMs : undefined),
    epochs: manifest.epochs.map(({ epoch, engineId, dimension, matchThreshold }) => ({
      epoch,
      engineId,
      dimension,
      matchThreshold,
    })),
  };
}

/** The state of a device whose list is dropped until the next sync. Its deadline still applies to the log. */
function withoutList(state: TrustState): TrustState {
  const droppedDeadlineMs = state.list === null ? (state.droppedDeadlineMs ?? null) : state.list.retentionDeadlineMs;
  return { ...state, list: null, droppedDeadlineMs };
}

async function inStorage<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (FaceError.is(cause) || cause instanceof SyncRefusal) throw cause;
    throw new FaceError('storage-failed', 'the device could not read or write its own data', {
      cause,
      retryable: true,
    });
  }
}
