import { sha256 } from '@noble/hashes/sha2.js';
import { type Attendance, type LinkFailureReason, NONCE_BYTES } from '@svc/protocol/sync';
import type { WholePorts } from '../config.ts';
import { toBase64Url } from '../platform/bytes.ts';
import { followSigningKeys, type ResolvedRegion, trustedSigningKeys } from '../trust/region.ts';
import { takesDeviceKey } from '../trust/trust-state.ts';
import type { Vault } from '../vault/vault.ts';
import { checkSyncAnswer } from './check-answer.ts';
import { type FetchLimits, fetchPayload, fetchSyncAnswer, type SyncQuestion } from './fetch-answer.ts';
import { type Connection, connectionAfter, nextSyncDelayMs } from './schedule.ts';
import { LinkFailure, type SyncFailure, SyncRefusal, type SyncResult } from './sync-result.ts';

/**
 * Failures that repeating the same request cannot resolve: the device's list is not the one that the service assumes,
 * because due records were deleted early by the device's clock, or the service was restored from a backup.
 */
const needsWhole: readonly SyncFailure[] = ['base-mismatch', 'delta-invalid', 'pack-invalid', 'state-hash-mismatch'];

/**
 * How long payloads are asked for inline after a link failed, or was gone twice in a row: a cache that is down costs one
 * request, not one a sync.
 */
const INLINE_MS = 60 * 60_000;

export interface SynchroniserOptions {
  readonly vault: Vault;
  readonly region: ResolvedRegion;
  readonly deviceToken: string;
  readonly engineIds: readonly string[];
  /** What the device can serve. */
  readonly attendances: readonly Attendance[];
  readonly limits: FetchLimits;
  readonly ports: WholePorts;
  /** Follows an answer that was stored. The sync does not wait for what it begins. */
  readonly onStored: (cancel: AbortSignal) => void;
  /** Called when a sync begins; the result is not known yet. */
  readonly onBegin: () => void;
  /** Called once after each sync, when the next one is scheduled. */
  readonly onEnd: (result: SyncResult) => void;
}

/** Brings the device up to date, now and by a schedule. One sync runs at a time; concurrent callers get its result. */
export class Synchroniser {
  readonly #options: SynchroniserOptions;
  readonly #cancel = new AbortController();
  #running: Promise<SyncResult> | null = null;
  /** Changes did not apply: the device requests the whole list until it arrives. */
  #asksForWhole = false;
  /** Whether the last link was gone. */
  #wasGone = false;
  /** Until when payloads are asked for inline. Monotonic. */
  #inlineUntilMs = 0;
  #last: SyncResult | null = null;
  #connection: Connection = 'unknown';
  /** Failed syncs since the last successful one. */
  #failures = 0;
  #isScheduled = false;
  #next: { readonly atMs: number; readonly cancel: () => void } | null = null;

  constructor(options: SynchroniserOptions) {
    this.#options = options;
  }

  get progress() {
    return {
      syncing: this.#running !== null,
      lastSync: this.#last,
      connection: this.#connection,
      nextSyncAtMs: this.#next?.atMs ?? null,
    };
  }

  sync(): Promise<SyncResult> {
    if (this.#running === null) {
      this.#unschedule();
      this.#running = this.#attempt().then((result) => this.#end(result));
      this.#options.onBegin();
    }
    return this.#running;
  }

  /** Syncs now and after each sync again, by the schedule, until {@link stop}. */
  start(): void {
    this.#isScheduled = true;
    void this.sync();
  }

  /** Ends the schedule; a running sync continues. Idempotent. */
  stop(): void {
    this.#isScheduled = false;
    this.#unschedule();
  }

  /** Ends the schedule and a running sync, and refuses later ones; resolves when nothing runs. */
  async close(): Promise<void> {
    this.stop();
    this.#cancel.abort();
    await this.#running;
  }

  #end(result: SyncResult): SyncResult {
    this.#running = null;
    this.#last = result;
    this.#failures = result.ok ? 0 : this.#failures + 1;
    this.#connection = connectionAfter(result, this.#connection);
    if (this.#isScheduled) this.#schedule(nextSyncDelayMs(result, this.#failures, this.#options.ports.random));
    this.#options.onEnd(result);
    return result;
  }

  #schedule(delayMs: number): void {
    const cancel = this.#options.ports.timers.after(delayMs, () => void this.sync());
    this.#next = { atMs: Math.round(this.#options.vault.time().nowMs + delayMs), cancel };
  }

  #unschedule(): void {
    this.#next?.cancel();
    this.#next = null;
  }

  /** @param failed why the link of an answer within this sync failed */
  async #attempt(failed: LinkFailureReason | null = null): Promise<SyncResult> {
    const asked = { since: 0 };
    const isPaused = this.#options.ports.clock.monotonicMs() < this.#inlineUntilMs;
    try {
      return await this.#synchronise(asked, failed ?? (isPaused ? null : 'by-link'));
    } catch (error) {
      if (error instanceof LinkFailure) {
        const isGone = error.reason === 'gone';
        // The list went on meanwhile: its next link is as good as any.
        if (!isGone || this.#wasGone) this.#inlineUntilMs = this.#options.ports.clock.monotonicMs() + INLINE_MS;
        this.#wasGone = isGone;
        return this.#attempt(error.reason);
      }
      // Other errors come from the device's own stores.
      if (!(error instanceof SyncRefusal)) return { ok: false, reason: 'storage-failed' };
      const { reason } = error;
      if (asked.since === 0 || !needsWhole.includes(reason)) return { ok: false, reason };
      this.#asksForWhole = true;
      // Once per sync. If this fails too, the first reason is more informative.
      const whole = await this.#attempt();
      return whole.ok ? whole : { ok: false, reason };
    }
  }

  /** @param asked set to the version of the request */
  async #synchronise(asked: { since: number }, payloads: SyncQuestion['payloads']): Promise<SyncResult> {
    const { vault, region, deviceToken, engineIds, attendances, limits, ports } = this.#options;
    if (this.#cancel.signal.aborted) throw new SyncRefusal('disposed');
    // Deletes due data first: thirty days offline cause a wipe even if the service is reachable again.
    await vault.touch();
    const { tombstone } = vault.state;
    if (vault.state.list === null && tombstone !== null && takesDeviceKey(tombstone.reason)) {
      throw new SyncRefusal('erased-for-good');
    }
    const publicKey = await ports.keyStore.devicePublicKey();
    const nonce = toBase64Url(ports.random.bytes(NONCE_BYTES));
    const { identity } = vault.state;
    const { held } = vault;
    asked.since = this.#asksForWhole ? 0 : (held?.index.listVersion ?? 0);
    const sentAtMs = ports.clock.monotonicMs();
    const body = await fetchSyncAnswer(
      {
        baseUrl: region.baseUrl,
        deviceToken,
        deviceKey: toBase64Url(publicKey),
        nonce,
        since: asked.since,
        counter: vault.state.syncCounter,
        engineIds,
        attendances,
        payloads,
      },
      limits,
      ports,
      this.#cancel.signal,
    );
    let linked: Uint8Array = new Uint8Array();
    const expected = {
      signingKeys: trustedSigningKeys(region.signingKeys, vault.state.signing),
      deviceKeyThumbprint: toBase64Url(sha256(publicKey)),
      nonce,
      identity,
      held,
      attendances,
      elapsedMs: () => ports.clock.monotonicMs() - sentAtMs,
      fetchPayload:
        payloads !== 'by-link'
          ? null
          : async (url: string, bytes: number) => {
              const link = { url, bytes, baseUrl: region.baseUrl };
              linked = await fetchPayload(link, limits, ports, this.#cancel.signal);
              return linked;
            },
    };
    let answer: Awaited<ReturnType<typeof checkSyncAnswer>>;
    try {
      answer = await checkSyncAnswer(body, expected, ports);
      if (answer.kind === 'wipe') {
        await vault.carryOut(answer, sentAtMs);
        return { ok: true, outcome: 'wiped', reason: answer.reason };
      }
      try {
        if (this.#cancel.signal.aborted) throw new SyncRefusal('disposed');
        const { manifest, signedBy } = answer;
        await vault.apply(answer, sentAtMs, followSigningKeys(region.signingKeys, manifest.signingKeys, signedBy));
      } finally {
        answer.keys.wipe();
      }
    } finally {
      body.fill(0);
      linked.fill(0);
    }
    if (linked.length > 0) this.#wasGone = false;
    this.#asksForWhole = false;
    this.#options.onStored(this.#cancel.signal);
    const people = vault.held?.index.recordCount ?? 0;
    const outcome = answer.next === null ? 'unchanged' : 'updated';
    return { ok: true, outcome, listVersion: answer.manifest.toVersion, people };
  }
}
