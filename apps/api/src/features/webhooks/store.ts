import type { WebhookEventType } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

/** Why a webhook is disabled: by its owner, a 410 from the receiver, or days without a successful delivery. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

/** Signs in addition to its successor until it expires. */
export interface FormerSecret {
  readonly sealed: Buffer;
  readonly until: Date;
}

export interface WebhookRecord {
  readonly accountId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  /** Sealed with the account's key. */
  readonly secretSealed: Buffer;
  /** Newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly disabled: { readonly at: Date; readonly reason: DisabledReason } | null;
  readonly createdAt: Date;
}

export type FormerSecretColumns = ReturnType<typeof toFormerColumns>;

interface WebhookRow extends FormerSecretColumns {
  readonly account_id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly event_types: WebhookEventType[];
  readonly secret_sealed: Buffer;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisabledReason | null;
  readonly created_at: Date;
}

export function toFormerSecrets(row: FormerSecretColumns): FormerSecret[] {
  const sealed = [row.former_secret_sealed, ...row.older_secrets_sealed];
  const until = [row.former_secret_until, ...row.older_secrets_until];
  return sealed.flatMap((box, i) => {
    const end = until[i] ?? null;
    return box === null || end === null ? [] : [{ sealed: box, until: end }];
  });
}

function toFormerColumns([newest, ...older]: readonly FormerSecret[]) {
  return {
    former_secret_sealed: newest?.sealed ?? null,
    former_secret_until: newest?.until ?? null,
    older_secrets_sealed: older.map(({ sealed }) => sealed),
    older_secrets_until: older.map(({ until }) => until),
  };
}

const toWebhook = (row: WebhookRow): WebhookRecord => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  url: row.url,
  eventTypes: row.event_types,
  secretSealed: row.secret_sealed,
  formerSecrets: toFormerSecrets(row),
  disabled:
    row.disabled_at === null || row.disabled_reason === null
      ? null
      : { at: row.disabled_at, reason: row.disabled_reason },
  createdAt: row.created_at,
});

const toColumns = (webhook: WebhookRecord) => ({
  url: webhook.url,
  event_types: [...webhook.eventTypes],
  secret_sealed: webhook.secretSealed,
  ...toFormerColumns(webhook.formerSecrets),
  disabled_at: webhook.disabled?.at ?? null,
  disabled_reason: webhook.disabled?.reason ?? null,
});

export type WebhookStore = ReturnType<typeof createWebhookStore>;

const DROP_FORMER_SECRETS = changeDueRows({
  table: 'webhooks',
  key: { webhook_id: 'text' },
  due: 'former_secret_until <= :now',
  change: `UPDATE webhooks SET former_secret_sealed = NULL, former_secret_until = NULL,
  older_secrets_sealed = '{}', older_secrets_until = '{}'`,
});

export function createWebhookStore(connection: Connection) {
  const one = (on: Connection, accountId: string, webhookId: string) =>
    on<WebhookRow>('webhooks').where({ account_id: accountId, webhook_id: webhookId });
  return {
    /** @returns false when the account already has `limit` webhooks */
    async insert(tx: Transaction, webhook: WebhookRecord, limit: number): Promise<boolean> {
      // Locked, so that two concurrent inserts cannot exceed the limit.
      await tx('accounts').where({ account_id: webhook.accountId }).forNoKeyUpdate().first('account_id');
      const held = await tx('webhooks').where({ account_id: webhook.accountId }).select('webhook_id');
      if (held.length >= limit) return false;
      await tx('webhooks').insert({
        account_id: webhook.accountId,
        webhook_id: webhook.webhookId,
        created_at: webhook.createdAt,
        ...toColumns(webhook),
      });
      return true;
    },
    async find(accountId: string, webhookId: string): Promise<WebhookRecord | null> {
      const row = await one(connection, accountId, webhookId).first();
      return row === undefined ? null : toWebhook(row);
    },
    /** As `find`, and locks the row until the transaction ends. */
    async lock(tx: Transaction, accountId: string, webhookId: string): Promise<WebhookRecord | null> {
      const row = await one(tx, accountId, webhookId).forNoKeyUpdate().first();
      return row === undefined ? null : toWebhook(row);
    },
    /** Newest first, older than `before`. */
    async page(accountId: string, before: string | undefined, rows: number): Promise<WebhookRecord[]> {
      const query = connection<WebhookRow>('webhooks').where({ account_id: accountId });
      if (before !== undefined) query.where('webhook_id', '<', before);
      return (await query.orderBy('webhook_id', 'desc').limit(rows)).map(toWebhook);
    },
    /** Writes all fields except id and creation time; enabling a webhook clears its failure record. */
    async update(tx: Transaction, webhook: WebhookRecord): Promise<void> {
      const { accountId, webhookId } = webhook;
      const failing = webhook.disabled === null ? { failing_since: null } : {};
      await tx('webhooks')
        .where({ account_id: accountId, webhook_id: webhookId })
        .update({ ...toColumns(webhook), ...failing });
    },
    /** Including its deliveries. @returns false when there is no such webhook */
    async delete(tx: Transaction, accountId: string, webhookId: string): Promise<boolean> {
      return (await tx('webhooks').where({ account_id: accountId, webhook_id: webhookId }).delete()) === 1;
    },
    /** Drops former secrets once the newest of them has expired. */
    dropFormerSecrets: (now: Date) => DROP_FORMER_SECRETS(connection, { now }),
  };
}
