import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import { KeyShreddedError } from '../../crypto/key-ring.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Uses } from '../uses.ts';
import type { ClaimedDelivery, DispatchStore } from './dispatch-store.ts';
import { type Attempt, type SendNotification, signNotification } from './sender.ts';
import type { DisabledReason } from './store.ts';

const SECOND_MS = 1000;

/** Pauses after the first, second, … failed attempt: three days and three hours in total. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
] as const;
/** Largest relative extension of a pause, so that a recovered receiver does not get all deliveries at once. */
const JITTER = 0.2;

/**
 * The pause before the next attempt.
 * @param attempts made so far, at least 1
 * @param random 0 ≤ random < 1
 * @returns milliseconds; null for no further attempt
 */
export function pauseAfter(attempts: number, random: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * random));
}

const POLL_MS = 500;
const MAX_IN_FLIGHT = 64;
const MAX_IN_FLIGHT_EACH = 4;
const MAX_IN_FLIGHT_ACCOUNT = 16;
/** Longer than an attempt can take. */
const LEASE_MS = 60_000;
/** A webhook whose deliveries are dead and that accepted none for this long is disabled. */
const GIVEN_UP_AFTER_MS = 3 * DAY_MS;
const GONE = 410;

/** A body to send, and the keys that sign it. */
interface Opened {
  readonly body: Uint8Array;
  readonly keys: readonly Uint8Array[];
}

/** Counts per key; keys with a count of 0 are absent. */
class Counts {
  readonly all = new Map<string, number>();

  add(name: string, change: 1 | -1): void {
    const count = (this.all.get(name) ?? 0) + change;
    if (count === 0) this.all.delete(name);
    else this.all.set(name, count);
  }
}

export interface DispatcherParts extends Uses<'audit' | 'keyRing' | 'clock' | 'random'> {
  readonly store: DispatchStore;
  readonly send: SendNotification;
  readonly metrics: Pick<Metrics, 'deliveryDied'>;
  /** Called with this node's own errors, never with a receiver's failure. */
  readonly onError: (error: unknown) => void;
}

/**
 * Delivers due notifications with retries. Any number of nodes may run one: a delivery is claimed by a lease on its
 * row, and is due again when the node dies. A slow receiver gets a few of the places, and an account with many of them
 * a quarter.
 */
export class WebhookDispatcher {
  readonly #o: DispatcherParts;
  /** Attempts in progress, by webhook. */
  readonly #busy = new Counts();
  /** Attempts in progress, by account. */
  readonly #busyAccounts = new Counts();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isWoken = false;
  #isStopped = false;

  constructor(parts: DispatcherParts) {
    this.#o = parts;
  }

  /** Looks for due deliveries twice a second, and at once when there are more than fit. */
  start(): void {
    this.#schedule(0);
  }

  /** Delivers what is due, for callers without a timer. */
  async deliverDue(): Promise<void> {
    while (await this.#look()) await Promise.all(this.#running);
  }

  /** Stops claiming and waits for attempts in progress: ten seconds at most. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all(this.#running);
  }

  /** Ends the pause: there is room again, or there are more deliveries. */
  #wake(): void {
    if (this.#timer === null) {
      this.#isWoken = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#schedule(0);
  }

  #schedule(pauseMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#isWoken = false;
      this.#looking = this.#look().then(
        (isMore) => this.#schedule(isMore || this.#isWoken ? 0 : POLL_MS),
        (error: unknown) => {
          this.#o.onError(error);
          this.#schedule(POLL_MS);
        },
      );
    }, pauseMs);
  }

  /** @returns whether as many were found as requested */
  async #look(): Promise<boolean> {
    const limit = MAX_IN_FLIGHT - this.#running.size;
    if (limit <= 0) return false;
    const nowMs = this.#o.clock.now();
    const claimed = await this.#o.store.claim({
      now: new Date(nowMs),
      leaseUntil: new Date(nowMs + LEASE_MS),
      limit,
      limitEach: MAX_IN_FLIGHT_EACH,
      webhooksBusy: this.#busy.all,
      limitAccount: MAX_IN_FLIGHT_ACCOUNT,
      accountsBusy: this.#busyAccounts.all,
    });
    for (const delivery of claimed) this.#run(delivery);
    return claimed.length > 0;
  }

  #run(delivery: ClaimedDelivery): void {
    const { accountId, webhookId } = delivery;
    this.#busy.add(webhookId, 1);
    this.#busyAccounts.add(accountId, 1);
    const running = this.#attempt(delivery)
      .catch((error: unknown) => this.#o.onError(error))
      .finally(() => {
        this.#busy.add(webhookId, -1);
        this.#busyAccounts.add(accountId, -1);
        this.#running.delete(running);
        this.#wake();
      });
    this.#running.add(running);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    let opened: Opened | null;
    try {
      opened = await this.#open(delivery);
    } catch (error) {
      // Not sent because of an error on this side: the receiver keeps all its attempts.
      await this.#o.store.giveBack(delivery);
      throw error;
    }
    if (opened === null) return this.#fail(delivery, { isDelivered: false, status: null, failure: 'erased' }, true);
    const headers = signNotification(delivery.deliveryId, this.#o.clock.now(), opened.body, opened.keys);
    for (const key of opened.keys) key.fill(0);
    const attempt = await this.#o.send(delivery.url, headers, opened.body);
    if (attempt.isDelivered) return this.#o.store.markDelivered(delivery, attempt.status);
    return this.#fail(delivery, attempt, attempt.status === GONE);
  }

  /** @returns null when the account's key, and so the payload, was destroyed */
  #open(delivery: ClaimedDelivery): Promise<Opened | null> {
    const open = (vault: AccountVault): Opened => {
      const { webhookId, deliveryId, payload, isSealed, secretSealed } = delivery;
      const formers = delivery.formerSecrets.filter(({ until }) => until.getTime() > this.#o.clock.now());
      const sealed = [secretSealed, ...formers.map((former) => former.sealed)];
      const keys = sealed.map((box) => vault.openWebhook(webhookId, box));
      const body = isSealed ? vault.openWebhook(deliveryId, payload) : payload;
      if (body === null || keys.includes(null)) throw new Error('a sealed delivery cannot be opened');
      return { body, keys: keys.filter((key) => key !== null) };
    };
    return withAccountVault<Opened | null>(this.#o, delivery.accountId, open).catch((error: unknown) => {
      if (error instanceof KeyShreddedError) return null;
      throw error;
    });
  }

  async #fail(delivery: ClaimedDelivery, attempt: Attempt & { isDelivered: false }, isLast: boolean): Promise<void> {
    const nowMs = this.#o.clock.now();
    const [byte = 0] = this.#o.random.bytes(1);
    const pause = isLast ? null : pauseAfter(delivery.attempts, byte / 256);
    await this.#o.store.markFailed(delivery, {
      status: attempt.status,
      failure: attempt.failure,
      nextAttemptAt: pause === null ? null : new Date(nowMs + pause),
      at: new Date(nowMs),
    });
    if (pause === null) this.#o.metrics.deliveryDied();
    if (attempt.status === GONE) await this.#disable(delivery, 'gone', nowMs);
    else if (pause === null) await this.#disable(delivery, 'failing', nowMs, new Date(nowMs - GIVEN_UP_AFTER_MS));
  }

  async #disable(
    delivery: ClaimedDelivery,
    reason: DisabledReason,
    nowMs: number,
    failingBefore?: Date,
  ): Promise<void> {
    if (!(await this.#o.store.disable(delivery, reason, new Date(nowMs), failingBefore))) return;
    const { accountId, webhookId } = delivery;
    const act = { accountId, actor: { kind: 'system' }, action: 'webhook.disable', target: webhookId } as const;
    await this.#o.audit.record(null, act);
  }
}
