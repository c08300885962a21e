import { HOUR_MS, type WebhookEventType, type WebhookMethod } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import { columnsOf, toRow } from '../../db/columns.ts';
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
  /** Never changes. */
  readonly delivery: WebhookMethod;
  readonly eventTypes: readonly WebhookEventType[];
  /** Sealed with the account's key. */
  readonly secretSealed: Buffer;
  /** Newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly disabled: { readonly at: Date; readonly reason: DisabledReason } | null;
  readonly createdAt: Date;
}

/** The newest former secret has columns of its own; empty arrays for none older. */
export interface FormerSecretColumns {
  readonly formerSecretSealed: Buffer | null;
  readonly formerSecretUntil: Date | null;
  readonly olderSecretsSealed: readonly Buffer[];
  readonly olderSecretsUntil: readonly Date[];
}

type WebhookRow = Omit<WebhookRecord, 'formerSecrets' | 'disabled'> &
  FormerSecretColumns & { readonly disabledAt: Date | null; readonly disabledReason: DisabledReason | null };

export const FORMER_COLUMNS = columnsOf<FormerSecretColumns>()(
  ['formerSecretSealed', 'formerSecretUntil'],
  ['olderSecretsSealed', 'olderSecretsUntil'],
);
const COLUMNS = {
  ...FORMER_COLUMNS,
  ...columnsOf<Omit<WebhookRow, keyof FormerSecretColumns>>()(
    ['accountId', 'webhookId', 'url', 'delivery', 'eventTypes', 'secretSealed'],
    ['disabledAt', 'disabledReason', 'createdAt'],
  ),
};

export function readFormerSecrets<Row extends FormerSecretColumns>(row: Row) {
  const { formerSecretSealed, formerSecretUntil, olderSecretsSealed, olderSecretsUntil, ...others } = row;
  const until = [formerSecretUntil, ...olderSecretsUntil];
  const formerSecrets = [formerSecretSealed, ...olderSecretsSealed].flatMap((sealed, i): FormerSecret[] => {
    const end = until[i] ?? null;
    return sealed === null || end === null ? [] : [{ sealed, until: end }];
  });
  return { ...others, formerSecrets };
}

function toWebhook(row: WebhookRow): WebhookRecord {
  const { disabledAt: at, disabledReason: reason, ...webhook } = readFormerSecrets(row);
  return { ...webhook, disabled: at === null || reason === null ? null : { at, reason } };
}

function toChanges({ url, eventTypes, secretSealed, formerSecrets: [newest, ...older], disabled }: WebhookRecord) {
  return toRow({
    ...{ url, eventTypes: [...eventTypes], secretSealed },
    formerSecretSealed: newest?.sealed ?? null,
    formerSecretUntil: newest?.until ?? null,
    olderSecretsSealed: older.map(({ sealed }) => sealed),
    olderSecretsUntil: older.map(({ until }) => until),
    disabledAt: disabled?.at ?? null,
    disabledReason: disabled?.reason ?? null,
  });
}

/** Of a webhook that is fetched, `failing_since` is when it last was, or was made: nobody may listen any more. */
const NOTE_PULL_MS = HOUR_MS;
const DISABLE_UNFETCHED = changeDueRows({
  table: 'webhooks',
  key: { webhook_id: 'text' },
  due: "delivery = 'pull' AND disabled_at IS NULL AND failing_since <= :before",
  change: "UPDATE webhooks SET disabled_at = :now, disabled_reason = 'failing'",
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
    on('webhooks').where({ account_id: accountId, webhook_id: webhookId });
  return {
    /** @returns false when the account already has `limit` webhooks */
    async insert(tx: Transaction, webhook: WebhookRecord, limit: number): Promise<boolean> {
      // Locked, so that two concurrent inserts cannot exceed the limit.
      await tx('accounts').where({ account_id: webhook.accountId }).forNoKeyUpdate().first('account_id');
      const held = await tx('webhooks').where({ account_id: webhook.accountId }).select('webhook_id');
      if (held.length >= limit) return false;
      const { accountId, webhookId, delivery, createdAt } = webhook;
      const row = toRow({ accountId, webhookId, delivery, createdAt });
      const failing = delivery === 'pull' ? { failing_since: createdAt } : {};
      await tx('webhooks').insert({ ...row, ...toChanges(webhook), ...failing });
      return true;
    },
    async find(accountId: string, webhookId: string): Promise<WebhookRecord | null> {
      const row: WebhookRow | undefined = await one(connection, accountId, webhookId).first(COLUMNS);
      return row === undefined ? null : toWebhook(row);
    },
    /** As `find`, and locks the row until the transaction ends. */
    async lock(tx: Transaction, accountId: string, webhookId: string): Promise<WebhookRecord | null> {
      const row: WebhookRow | undefined = await one(tx, accountId, webhookId).forNoKeyUpdate().first(COLUMNS);
      return row === undefined ? null : toWebhook(row);
    },
    /** Newest first, older than `before`. */
    async page(accountId: string, before: string | undefined, rows: number): Promise<WebhookRecord[]> {
      const query = connection('webhooks').where({ account_id: accountId });
      if (before !== undefined) query.where('webhook_id', '<', before);
      const found: WebhookRow[] = await query.orderBy('webhook_id', 'desc').limit(rows).select(COLUMNS);
      return found.map(toWebhook);
    },
    /** Writes all fields except id and creation time; enabling a webhook clears its failure record. */
    async update(tx: Transaction, webhook: WebhookRecord): Promise<void> {
      const failing = webhook.disabled === null && webhook.delivery === 'push' ? { failing_since: null } : {};
      await one(tx, webhook.accountId, webhook.webhookId).update({ ...toChanges(webhook), ...failing });
    },
    /** Including its deliveries. @returns false when there is no such webhook */
    async delete(tx: Transaction, accountId: string, webhookId: string): Promise<boolean> {
      return (await one(tx, accountId, webhookId).delete()) === 1;
    },
    /** Notes, to the hour, that somebody fetches. */
    async notePull({ accountId, webhookId }: WebhookRecord, now: Date): Promise<void> {
      const before = new Date(now.getTime() - NOTE_PULL_MS);
      await one(connection, accountId, webhookId).where('failing_since', '<=', before).update({ failing_since: now });
    },
    /** Disables those whose notifications nobody has fetched since a time. */
    disableUnfetched: (before: Date, now: Date) => DISABLE_UNFETCHED(connection, { before, now }),
    /** Drops former secrets once the newest of them has expired. */
    dropFormerSecrets: (now: Date) => DROP_FORMER_SECRETS(connection, { now }),
  };
}
