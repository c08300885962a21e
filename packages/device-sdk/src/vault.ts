import { FaceError } from '@svc/core';
import type { Aead } from '@svc/core/aead';
import {
  indexPack,
  type PackContent,
  type PackIndex,
  packParts,
  recordDeleteAfterMs,
  type Sha256Factory,
  withoutDue,
} from '@svc/core/pack';
import { AdmissionLog, type Entry, type QueuedRef } from './admissions/admission-log.ts';
import { checkInMessage } from './admissions/check-in-message.ts';
import type { OutgoingCheckIn } from './admissions/check-in-queue.ts';
import { reEntryRule } from './admissions/re-entry.ts';
import { toBase64Url } from './bytes.ts';
import { createExclusive } from './exclusive.ts';
import type { KeyStore, ListKeys } from './ports/key-store.ts';
import type { PackReader, PackStore } from './ports/pack-store.ts';
import type { Clock, Random } from './ports/platform.ts';
import type { KeptList, WipeOrder } from './sync/check-answer.ts';
import { SyncRefusal } from './sync/sync-result.ts';
import { markFromServer, readTrustedTime, type TimeMark, type TrustedTime } from './trust/clock-rule.ts';
import { collectGarbage, eraseKeysThenPacks } from './trust/erase.ts';
import { type Finding, type FoundRecord, findRecord, unsealRecord } from './trust/find-record.ts';
import { nextGeneration, putGeneration } from './trust/generations.ts';
import { contentOf, type HeldPack } from './trust/held-pack.ts';
import { sameCheckInSecret } from './trust/list-keys.ts';
import { dueErasure, takesDeviceKey } from './trust/retention.ts';
import {
  type AnnouncedKeys,
  type EraseReason,
  type HeldList,
  newTrustState,
  openTrustState,
  sealTrustState,
  type TrustState,
} from './trust/trust-state.ts';

export interface VaultPorts {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
  readonly aead: Aead;
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256?: Sha256Factory | undefined;
}

/**
 * The device's stored state; the only writer of state, packs, list keys and the log of admissions. Every change writes a new generation beside
 * the old one, then atomically replaces the state record, so that a crash leaves the old or the new one.
 */
export class Vault {
  readonly #ports: VaultPorts;
  readonly #exclusive = createExclusive();
  readonly #log: AdmissionLog;
  #state: TrustState;
  #mark: TimeMark;
  #loaded: HeldPack | null = null;
  #distrusted = false;
  /** The list is being dropped, but its keys or packs may still be in the stores. */
  #dropping = false;
  /**
   * Keys and packs of generations that no state names may be in the stores, from an interrupted sync or from before the
   * last one.
   */
  #isLittered = false;

  private constructor(ports: VaultPorts, state: TrustState) {
    this.#ports = ports;
    this.#log = new AdmissionLog(ports);
    this.#state = state;
    this.#mark = { highestMs: state.highestMs, wallLagMs: state.wallLagMs, monotonicMs: null };
  }

  /**
   * Completes an interrupted change, deletes another token's data, and deletes what is due.
   * @throws FaceError `storage-failed`
   */
  static async open(ports: VaultPorts, tokenHash: string): Promise<Vault> {
    return inStorage(async () => {
      const { sealed, state } = await readState(ports);
      const own = state?.tokenHash === tokenHash ? state : null;
      const vault = new Vault(ports, own ?? newTrustState(tokenHash));
      if (own === null) {
        // Another token is another device with its own key pair; if only the state is lost, the pair that the service
        // has pinned is kept.
        await eraseKeysThenPacks(ports, {
          withDeviceKey: state !== null,
          withLog: true,
          closePack: async () => undefined,
        });
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
  static async deleteDue(ports: VaultPorts): Promise<void> {
    const { state } = await inStorage(() => readState(ports));
    if (state !== null) await (await Vault.open(ports, state.tokenHash)).close();
  }

  get state(): TrustState {
    return this.#state;
  }

  /** True, until the next sync, if the stored data was not this device's own. */
  get distrusted(): boolean {
    return this.#distrusted;
  }

  /** The active list, whose pack the next change may close; null for none. */
  get held(): HeldPack | null {
    return this.#loaded;
  }

  /** Trusted time now. */
  time(): TrustedTime {
    const time = readTrustedTime(this.#mark, this.#reading());
    this.#mark = time.mark;
    return time;
  }

  /**
   * Reads the time, deletes what is due, and stores the time mark: every minute and at each verification.
   * @throws FaceError `storage-failed`
   */
  touch(): Promise<TrustedTime> {
    return this.#change(async () => {
      const time = this.time();
      const due = dueErasure(this.#state, time.nowMs);
      try {
        if (this.#dropping) await this.#drop();
        if (this.#isLittered) await this.#clearLitter();
        if (this.#state.wipe !== null) await this.#erase(this.#state.wipe.reason);
        else if (due !== null) await this.#erase(due);
        else if (this.#loaded !== null && this.#loaded.index.nextDeleteAfterMs <= time.nowMs)
          await this.#purge(time.nowMs);
        else await this.#write(this.#state);
      } finally {
        // Also if the state cannot be written: a full disk must not preserve the log's people either.
        await this.#log.deleteDue(reEntryRule(this.#state.list).windowMs, time.nowMs);
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
        return await findRecord(scannedId, engineIds, this.#loaded, this.#ports.keyStore);
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
      if (this.#state.list?.generation !== found.generation) return null;
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
      const { manifest, next } = kept;
      const { wipe, tombstone } = this.#state;
      // The thirty days may have ended while the answer was in transit.
      const over = tombstone !== null && takesDeviceKey(tombstone.reason);
      if (wipe !== null || over) throw new SyncRefusal('erased-for-good');
      const before = this.#loaded;
      // Due records may have been deleted meanwhile, and with them the base pack of the changes.
      const base = next === null ? undefined : next.baseGeneration;
      if (base !== null && before === null) throw new SyncRefusal('base-mismatch');
      if (typeof base === 'number' && before?.list.generation !== base) throw new SyncRefusal('base-mismatch');
      let generation = this.#state.list?.generation ?? 0;
      let packDigest = this.#state.list?.packDigest ?? '';
      if (next !== null) {
        generation = await nextGeneration(generation, this.#ports.packStore);
        packDigest = toBase64Url(next.index.digest);
        this.#isLittered = true;
        await putGeneration(this.#ports.packStore, generation, kept.keys, packParts(next.content));
      } else {
        await this.#keepCheckInSecret(generation, kept.keys);
      }
      const list: HeldList = {
        generation,
        packDigest,
        leaseExpiresAtMs: kept.leaseExpiresAtMs,
        retentionDeadlineMs: kept.retentionDeadlineMs,
        enrollmentClosed: manifest.enrollmentClosed,
        headTurnAlternative: manifest.headTurnAlternative,
        names: manifest.names,
        reEntry: manifest.reEntry,
        checkIn: manifest.checkIn === undefined ? undefined : { url: manifest.checkIn.url },
        epochs: manifest.epochs.map(({ epoch, engineId, dimension, matchThreshold }) => ({
          epoch,
          engineId,
          dimension,
          matchThreshold,
        })),
      };
      const { listId, deviceId, toVersion: version, stateHash, syncCounter } = manifest;
      const learnt = {
        ...{ identity: { listId, deviceId, version, stateHash }, list, syncedAtMs: kept.issuedAtMs, tombstone: null },
        ...(syncCounter === undefined ? {} : { syncCounter }),
        ...(signing === undefined ? {} : { signing }),
      };
      await this.#switch(learnt, sentAtMonotonicMs, next);
    });
  }

  /**
   * HMAC-SHA-256 (32 bytes) under the list's check-in secret; null without a list or secret.
   * @throws FaceError `storage-failed`
   */
  signCheckIn(message: Uint8Array): Promise<Uint8Array | null> {
    return this.#change(async () => {
      const { list } = this.#state;
      const keys = list === null ? null : await this.#ports.keyStore.listKeys(list.generation);
      try {
        return (await keys?.signCheckIn(message)) ?? null;
      } finally {
        keys?.wipe();
      }
    });
  }

  /**
   * Lets a verified person in by the list's rule of re-entry. Durable when it resolves.
   * @returns null if the list has changed since the person was found
   * @throws FaceError `storage-failed`
   */
  letIn({ personId, generation, record }: FoundRecord): Promise<Entry | null> {
    return this.#change(async () => {
      const { list, wipe } = this.#state;
      if (list === null || wipe !== null || list.generation !== generation) return null;
      const entrant = { personId, deleteAfterMs: recordDeleteAfterMs(record) };
      return this.#log.admit(entrant, reEntryRule(list), this.#nowMs());
    });
  }

  /** @returns false if the person does not count as let in @throws FaceError `storage-failed` */
  takeBack(personId: string): Promise<boolean> {
    return this.#change(() => this.#log.takeBack(personId, reEntryRule(this.#state.list), this.#nowMs()));
  }

  /** Undelivered check-ins, the first one first. */
  get checkIns(): readonly QueuedRef[] {
    return this.#log.queue;
  }

  /** A check-in, signed to be sent now. @throws FaceError `storage-failed` */
  async prepareCheckIn(ref: QueuedRef): Promise<OutgoingCheckIn | 'gone' | 'unaddressed'> {
    const url = this.#state.list?.checkIn?.url;
    const { identity } = this.#state;
    if (url === undefined || identity === null) return 'unaddressed';
    const queued = await this.#change(() => this.#log.queued(ref));
    if (queued === null) return 'gone';
    const message = await checkInMessage(queued, identity, this.time().nowMs, (bytes) => this.signCheckIn(bytes));
    return message === null ? 'unaddressed' : { url, personId: queued.personId, ...message };
  }

  /** Drops a check-in from the queue, with the personId. @throws FaceError `storage-failed` */
  settleCheckIn(ref: QueuedRef): Promise<void> {
    return this.#change(() => this.#log.settle(ref));
  }

  /** Carries out a signed wipe. @throws FaceError `storage-failed`; the wipe continues at the next touch or start */
  obey(order: WipeOrder, sentAtMonotonicMs: number): Promise<void> {
    return this.#change(async () => {
      this.#mark = markFromServer(order.issuedAtMs, sentAtMonotonicMs, this.#reading());
      const { listId, deviceId } = order;
      const identity = this.#state.identity ?? { listId, deviceId, version: 0, stateHash: '' };
      this.#state = { ...this.#state, identity, syncedAtMs: order.issuedAtMs };
      await this.#erase(order.reason);
    });
  }

  /** Waits for a running change, then wipes the data in memory; the stores stay. Do not use the vault afterwards. */
  close(): Promise<void> {
    return this.#exclusive(() => this.#closePack());
  }

  /**
   * The secret can change while the list does not. Stored before the state that names its address: in between, check-ins
   * for the former address bear a signature that it refuses, and are sent again later.
   */
  async #keepCheckInSecret(generation: number, keys: ListKeys): Promise<void> {
    const held = await this.#ports.keyStore.listKeys(generation);
    if (held === null) throw new FaceError('storage-failed', 'the list keys are gone');
    try {
      if (await sameCheckInSecret(held, keys)) return;
    } finally {
      held.wipe();
    }
    await keys.keepAs(generation);
  }

  /** Trusted time in whole milliseconds. */
  #nowMs(): number {
    return Math.floor(this.time().nowMs);
  }

  #reading() {
    const { clock } = this.#ports;
    return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
  }

  #change<T>(action: () => Promise<T>): Promise<T> {
    return this.#exclusive(() => inStorage(action));
  }

  /**
   * After a restart: completes an interrupted wipe, deletes leftovers, and indexes the pack if it is the one that the
   * state names.
   */
  async #resume(): Promise<void> {
    const { keyStore, packStore } = this.#ports;
    const { wipe, list } = this.#state;
    if (wipe !== null) return this.#erase(wipe.reason);
    await collectGarbage(this.#ports, list?.generation ?? null);
    if (list === null) return;
    const keys = await keyStore.listKeys(list.generation);
    keys?.wipe();
    const reader = keys === null ? null : await packStore.openPack(list.generation);
    const index = reader === null ? null : await intactIndex(reader, list, this.#ports);
    if (reader !== null && index !== null) {
      this.#loaded = { list, index, reader };
      return;
    }
    await reader?.close();
    await eraseKeysThenPacks(this.#ports, {
      withDeviceKey: false,
      withLog: false,
      closePack: () => this.#closePack(),
    });
    this.#distrusted = true;
    await this.#write(withoutList(this.#state));
  }

  /**
   * Keys first, even if the intent cannot be stored: a full disk must not preserve faces. A restart then finds keys
   * missing and erases the rest.
   */
  async #erase(reason: EraseReason): Promise<void> {
    const withDeviceKey = takesDeviceKey(reason);
    this.#state = { ...this.#state, wipe: { reason } };
    await this.#write(this.#state).catch(() => undefined);
    this.#log.forget();
    await eraseKeysThenPacks(this.#ports, { withDeviceKey, withLog: true, closePack: () => this.#closePack() });
    const tombstone = { reason, erasedAtMs: this.time().nowMs };
    await this.#write({ ...this.#state, list: null, wipe: null, tombstone, droppedDeadlineMs: null });
  }

  /**
   * Deletes due records, also offline: writes the same pack without them as a new generation. If that fails, the old
   * generation is deleted first: a full disk must not preserve expired people. If it fails again, the list is gone
   * until the next sync.
   */
  async #purge(nowMs: number): Promise<void> {
    const held = this.#loaded;
    if (held === null) return;
    const { list } = held;
    const keys = await this.#ports.keyStore.listKeys(list.generation);
    if (keys === null) throw new FaceError('storage-failed', 'the list keys are gone');
    try {
      const content = await withoutDue(await contentOf(held), nowMs);
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
    const generation = await nextGeneration(list.generation, this.#ports.packStore);
    await putGeneration(this.#ports.packStore, generation, keys, packParts(content));
    const reader = await this.#openWritten(generation, index);
    const next: HeldList = { ...list, generation, packDigest: toBase64Url(index.digest) };
    await this.#write({ ...this.#state, list: next }).catch(async (error: unknown) => {
      await reader.close();
      throw error;
    });
    await this.#closePack();
    this.#loaded = { list: next, index, reader };
    [this.#distrusted, this.#dropping] = [false, false];
    await collectGarbage(this.#ports, generation);
  }

  /** Opens the pack that was just written. */
  async #openWritten(generation: number, index: PackIndex): Promise<PackReader> {
    const reader = await this.#ports.packStore.openPack(generation);
    if (reader !== null && reader.byteLength === index.byteLength) return reader;
    await reader?.close();
    throw new FaceError('storage-failed', 'the store did not keep the pack', { retryable: true });
  }

  /** Drops the list, keys first. It is inactive from here on, even if the stores still hold it. */
  async #drop(): Promise<void> {
    this.#state = withoutList(this.#state);
    [this.#distrusted, this.#dropping] = [true, true];
    await this.#closePack();
    await eraseKeysThenPacks(this.#ports, {
      withDeviceKey: false,
      withLog: false,
      closePack: async () => undefined,
    });
    this.#dropping = false;
  }

  async #switch(
    learnt: Partial<TrustState> & { readonly list: HeldList; readonly syncedAtMs: number },
    sentAtMonotonicMs: number,
    next: KeptList['next'],
  ): Promise<void> {
    const { list, syncedAtMs } = learnt;
    // Opened before the switch: a pack that cannot be read back is not used.
    const reader = next === null ? null : await this.#openWritten(list.generation, next.index);
    const markBefore = this.#mark;
    this.#mark = markFromServer(syncedAtMs, sentAtMonotonicMs, this.#reading());
    try {
      await this.#write({ ...this.#state, ...learnt });
    } catch (error) {
      this.#mark = markBefore;
      await reader?.close();
      throw error;
    }
    [this.#distrusted, this.#dropping] = [false, false];
    if (next === null || reader === null) {
      if (this.#loaded !== null) this.#loaded = { ...this.#loaded, list };
      return;
    }
    await this.#closePack();
    this.#loaded = { list, index: next.index, reader };
    // The old generation is unused from here on; a failed deletion is repeated at the next touch.
    await this.#tidy().catch(() => undefined);
  }

  /**
   * A store that reports a failed write may still have written. So the current state is written again before the
   * generation that the other state names is deleted. If that fails too, the generation is deleted anyway: its people
   * have deadlines.
   */
  async #clearLitter(): Promise<void> {
    await this.#write(this.#state).catch(() => undefined);
    await this.#tidy().catch(() => undefined);
  }

  /** An unused generation must not outlive its deadline. */
  async #tidy(): Promise<void> {
    await collectGarbage(this.#ports, this.#state.list?.generation ?? null);
    this.#isLittered = false;
  }

  /** Writes the state with the time mark; memory changes only after it is written. */
  async #write(state: TrustState): Promise<void> {
    const { highestMs, wallLagMs } = this.#mark;
    const next = { ...state, highestMs, wallLagMs };
    await this.#ports.packStore.writeState(await sealTrustState(next, this.#ports.keyStore));
    this.#state = next;
  }

  async #closePack(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = null;
    // No records of a pack in the store are in memory; the reader must not outlive the pack.
    await loaded?.reader.close().catch(() => undefined);
  }
}

/** The state of a device whose list is dropped until the next sync. Its deadline still applies to the log. */
function withoutList(state: TrustState): TrustState {
  const droppedDeadlineMs = state.list === null ? (state.droppedDeadlineMs ?? null) : state.list.retentionDeadlineMs;
  return { ...state, list: null, droppedDeadlineMs };
}

/** The stored state; `state` is null if there is none or this device did not write it. */
async function readState({ keyStore, packStore }: VaultPorts) {
  const sealed = await packStore.readState();
  return { sealed, state: sealed === null ? null : await openTrustState(sealed, keyStore) };
}

/** The index of the pack if it is the one that the state names, else null. */
async function intactIndex(reader: PackReader, list: HeldList, ports: VaultPorts): Promise<PackIndex | null> {
  try {
    const index = await indexPack(await contentOf({ reader }), { stateHash: false, sha256: ports.sha256 });
    return toBase64Url(index.digest) === list.packDigest ? index : null;
  } catch (error) {
    if (FaceError.is(error)) return null;
    await reader.close();
    throw error;
  }
}

/** The same content, read into memory once. */
async function inMemory(content: PackContent): Promise<PackContent> {
  const epochs = [];
  for (const epoch of content.epochs) {
    const kept: Uint8Array[] = [];
    for await (const batch of epoch.batches()) kept.push(batch);
    epochs.push({
      ...epoch,
      batches: async function* () {
        yield* kept;
      },
    });
  }
  return { ...content, epochs };
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
