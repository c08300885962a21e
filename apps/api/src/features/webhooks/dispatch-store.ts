import type { WebhookFailure } from '@svc/protocol';
import { takeInTurns } from '../../db/by-account.ts';
import { columnsIn, columnsOf, rowsOf, selected } from '../../db/columns.ts';
import type { Connection } from '../../db/connection.ts';
import type { DeliveryKey, DeliveryType } from './delivery-store.ts';
import {
  type DisabledReason,
  FORMER_COLUMNS,
  type FormerSecret,
  type FormerSecretColumns,
  readFormerSecrets,
} from './store.ts';

/** A delivery that this node is about to attempt, with everything it needs. */
export interface ClaimedDelivery extends DeliveryKey {
  readonly eventType: DeliveryType;
  readonly payload: Buffer;
  readonly isSealed: boolean;
  /** Including this attempt. */
  readonly attempts: number;
  readonly url: string;
  readonly secretSealed: Buffer;
  /** Newest first; some may have expired. */
  readonly formerSecrets: readonly FormerSecret[];
}

type ClaimedRow = FormerSecretColumns & Omit<ClaimedDelivery, 'formerSecrets'>;

export interface ClaimRequest {
  readonly now: Date;
  /** Time from which a delivery is due again if its node dies. */
  readonly leaseUntil: Date;
  readonly limit: number;
  /** Limit per webhook, including this node's attempts in progress; a failing webhook gets a single one. */
  readonly limitEach: number;
  readonly webhooksBusy: ReadonlyMap<string, number>;
  /** Limit per account, including this node's attempts in progress. */
  readonly limitAccount: number;
  readonly accountsBusy: ReadonlyMap<string, number>;
}

export interface FailedAttempt {
  readonly status: number | null;
  readonly failure: WebhookFailure;
  /** Null for no further attempt: the delivery is dead. */
  readonly nextAttemptAt: Date | null;
  readonly at: Date;
}

export type DispatchStore = ReturnType<typeof createDispatchStore>;

const OF_DELIVERY = columnsOf<
  Pick<ClaimedDelivery, 'accountId' | 'webhookId' | 'deliveryId' | 'eventType' | 'payload' | 'attempts'>
>()(['accountId', 'webhookId', 'deliveryId', 'eventType', 'payload', 'attempts']);

const DUE_ACCOUNTS = `
/* all accounts */ SELECT a.account_id FROM accounts a
WHERE a.suspended_at IS NULL AND EXISTS (
  SELECT FROM webhooks w JOIN webhook_deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.webhook_id
  WHERE w.account_id = a.account_id AND w.disabled_at IS NULL AND w.delivery = 'push'
    AND d.state = 'pending' AND d.next_attempt_at <= :now)`;

/**
 * The lease is the time of the next attempt, so that a delivery is due again when its node died. The webhooks of the
 * account take turns, in another order each time.
 */
const CLAIM = `
WITH busy AS (
  SELECT * FROM unnest(CAST(:webhookIds AS text[]), CAST(:webhookCounts AS integer[])) AS busy (webhook_id, busy)
), due AS (
  SELECT d.webhook_id, d.delivery_id
  FROM webhooks w
  LEFT JOIN busy b ON b.webhook_id = w.webhook_id
  CROSS JOIN LATERAL (
    SELECT webhook_id, delivery_id FROM webhook_deliveries
    WHERE account_id = :accountId AND webhook_id = w.webhook_id AND state = 'pending' AND next_attempt_at <= :now
    ORDER BY next_attempt_at
    LIMIT greatest(0, CASE WHEN w.failing_since IS NULL THEN CAST(:limitEach AS integer) ELSE 1 END - coalesce(b.busy, 0))
    FOR NO KEY UPDATE SKIP LOCKED
  ) d
  WHERE w.account_id = :accountId AND w.disabled_at IS NULL AND w.delivery = 'push'
  ORDER BY md5(d.delivery_id || CAST(:seed AS text))
  LIMIT :limit
)
UPDATE webhook_deliveries d
SET attempts = d.attempts + 1, last_attempt_at = :now, next_attempt_at = :leaseUntil
FROM due, webhooks w
WHERE d.account_id = :accountId AND d.webhook_id = due.webhook_id AND d.delivery_id = due.delivery_id
  AND w.account_id = :accountId AND w.webhook_id = due.webhook_id
RETURNING ${selected(columnsIn('d', OF_DELIVERY))},
  ${selected(columnsIn('w', FORMER_COLUMNS))}, d.payload_sealed AS "isSealed", w.url, w.secret_sealed AS "secretSealed"`;

export function createDispatchStore(connection: Connection) {
  const webhook = ({ accountId, webhookId }: ClaimedDelivery) =>
    connection('webhooks').where({ account_id: accountId, webhook_id: webhookId });
  const held = ({ accountId, webhookId, deliveryId, attempts }: ClaimedDelivery) =>
    connection('webhook_deliveries')
      .where({ account_id: accountId, webhook_id: webhookId, delivery_id: deliveryId })
      .where({ state: 'pending', attempts });
  return {
    /**
     * Claims due deliveries, a few per webhook, except those of suspended accounts. Deliveries that another node has
     * claimed are skipped until the end of its lease.
     */
    async claim({
      webhooksBusy,
      accountsBusy,
      limit,
      limitAccount,
      ...rest
    }: ClaimRequest): Promise<ClaimedDelivery[]> {
      const rows = await rowsOf<{ account_id: string }>(connection, DUE_ACCOUNTS, { now: rest.now });
      const [webhooks, accounts] = [new Map(webhooksBusy), new Map(accountsBusy)];
      const take = async (accountId: string, share: number) => {
        const most = Math.min(share, limitAccount - (accounts.get(accountId) ?? 0));
        if (most <= 0) return [];
        const busy = { webhookIds: [...webhooks.keys()], webhookCounts: [...webhooks.values()] };
        const values = { ...rest, ...busy, accountId, limit: most, seed: String(Math.random()) };
        const claimed = (await rowsOf<ClaimedRow>(connection, CLAIM, values)).map(readFormerSecrets);
        accounts.set(accountId, (accounts.get(accountId) ?? 0) + claimed.length);
        for (const { webhookId } of claimed) webhooks.set(webhookId, (webhooks.get(webhookId) ?? 0) + 1);
        return claimed;
      };
      const accountIds = rows.map((row) => row.account_id);
      return takeInTurns(accountIds, limit, take);
    },
    /** Does nothing when the delivery was erased, deleted or claimed by another node meanwhile. */
    async markDelivered(claimed: ClaimedDelivery, status: number): Promise<void> {
      // No data about a deleted person is kept after the notification of the deletion.
      const told = claimed.eventType === 'person.deleted' ? { payload: null, person_ref: null, list_id: null } : {};
      await held(claimed).update({
        state: 'delivered',
        next_attempt_at: null,
        last_status: status,
        last_failure: null,
        ...told,
      });
      await webhook(claimed).whereNotNull('failing_since').update({ failing_since: null });
    },
    /** As {@link markDelivered}. */
    async markFailed(claimed: ClaimedDelivery, { status, failure, nextAttemptAt, at }: FailedAttempt): Promise<void> {
      await held(claimed).update({
        state: nextAttemptAt === null ? 'dead' : 'pending',
        next_attempt_at: nextAttemptAt,
        last_status: status,
        last_failure: failure,
      });
      await webhook(claimed).whereNull('failing_since').update({ failing_since: at });
    },
    /**
     * Undoes an attempt that was not made: the delivery is due at the end of its lease, with the number of attempts
     * unchanged.
     */
    async giveBack(claimed: ClaimedDelivery): Promise<void> {
      await held(claimed).update({ attempts: claimed.attempts - 1 });
    },
    /** @param failingBefore only if it has been failing since then; undefined for any */
    async disable(claimed: ClaimedDelivery, reason: DisabledReason, at: Date, failingBefore?: Date): Promise<boolean> {
      const query = webhook(claimed).whereNull('disabled_at');
      if (failingBefore !== undefined) query.where('failing_since', '<=', failingBefore);
      return (await query.update({ disabled_at: at, disabled_reason: reason })) === 1;
    },
  };
}
