import {
  type CreateWebhookRequest,
  FORMER_WEBHOOK_SECRET_MS,
  isId,
  MAX_PULLED_EVENTS,
  MAX_WEBHOOKS,
  type UpdateWebhookRequest,
  WEBHOOK_TEST_TYPE,
  type WebhookDeliveryState,
  type WebhookMethod,
  webhookEventTypes,
} from '@svc/protocol';
import { withAccountVault } from '../../crypto/account-vault.ts';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { type AuditAction, actOf } from '../audit/service.ts';
import type { Uses } from '../uses.ts';
import type { DeliveryRecord, DeliveryStore, NewDelivery } from './delivery-store.ts';
import type { ReceiverPolicy } from './receiver-policy.ts';
import { createSigningSecret } from './sender.ts';
import type { WebhookRecord, WebhookStore } from './store.ts';

/** Each former secret signs every notification until it expires. */
const MAX_FORMER_SECRETS = 9;

export interface CreatedSecret {
  readonly webhook: WebhookRecord;
  /** Never shown again. */
  readonly secret: string;
}

export interface RotatedSecret {
  readonly secret: string;
  readonly formerSecretValidUntil: Date;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

export function createWebhookService(
  o: Uses<'database' | 'audit' | 'keyRing' | 'erasures' | 'ids' | 'clock' | 'random'> & {
    readonly store: WebhookStore;
    readonly deliveries: DeliveryStore;
    readonly policy: ReceiverPolicy;
  },
) {
  const now = () => new Date(o.clock.now());

  function requireAllowed(url: string, delivery: WebhookMethod): void {
    if (delivery === 'push' ? o.policy.isUrlAllowed(url) : o.policy.isPlainUrl(url)) return;
    const sent = delivery === 'push' ? 'https on an allowed port and a public address, ' : '';
    const detail = `must be ${sent}without user, password or fragment`;
    throw new ServiceError('invalid-request', { errors: [{ pointer: '/url', detail }] });
  }

  /** @throws ServiceError 'not-found' */
  async function find(caller: AccountCaller, webhookId: string): Promise<WebhookRecord> {
    const webhook = isId('whk', webhookId) ? await o.store.find(caller.accountId, webhookId) : null;
    if (webhook === null) throw missing('webhook');
    return webhook;
  }

  async function findEnabled(caller: AccountCaller, webhookId: string): Promise<WebhookRecord> {
    const webhook = await find(caller, webhookId);
    if (webhook.disabled !== null) throw new ServiceError('webhook-disabled');
    return webhook;
  }

  const createSecret = (accountId: string, webhookId: string) =>
    createSigningSecret(o, accountId, (vault, key) => vault.sealWebhook(webhookId, key));

  const stillValid = ({ formerSecrets }: WebhookRecord) =>
    formerSecrets.filter(({ until }) => until.getTime() > o.clock.now());

  /** Changes a webhook while holding its row's lock. */
  function change(
    caller: AccountCaller,
    webhookId: string,
    action: AuditAction,
    changed: (webhook: WebhookRecord) => WebhookRecord,
    remember?: (tx: Transaction) => Promise<void>,
  ): Promise<WebhookRecord> {
    const { accountId } = caller;
    return o.database.transaction(async (tx) => {
      const webhook = await o.store.lock(tx, accountId, webhookId);
      if (webhook === null) throw missing('webhook');
      const next = changed(webhook);
      await o.store.update(tx, next);
      await o.audit.record(tx, actOf(caller, action, webhookId));
      await remember?.(tx);
      return next;
    });
  }

  function withEnabled(webhook: WebhookRecord, enabled: boolean | undefined): WebhookRecord {
    if (enabled === undefined || enabled === (webhook.disabled === null)) return webhook;
    return { ...webhook, disabled: enabled ? null : { at: now(), reason: 'owner' } };
  }

  return {
    /** The secret is never shown again. @throws ServiceError 'invalid-request' (the URL) or 'webhook-limit-reached' */
    async create(
      caller: AccountCaller,
      { url, eventTypes, delivery = 'push' }: CreateWebhookRequest,
      remember?: InTransaction<CreatedSecret>,
    ): Promise<CreatedSecret> {
      requireAllowed(url, delivery);
      const { accountId } = caller;
      const webhookId = o.ids.next('whk');
      const { secret, sealed } = await createSecret(accountId, webhookId);
      const webhook: WebhookRecord = {
        accountId,
        webhookId,
        url,
        delivery,
        eventTypes: eventTypes ?? webhookEventTypes,
        secretSealed: sealed,
        formerSecrets: [],
        disabled: null,
        createdAt: now(),
      };
      await o.database.transaction(async (tx) => {
        if (!(await o.store.insert(tx, webhook, MAX_WEBHOOKS))) throw new ServiceError('webhook-limit-reached');
        await o.audit.record(tx, actOf(caller, 'webhook.create', webhookId));
        await remember?.(tx, { webhook, secret });
      });
      return { webhook, secret };
    },
    get: find,
    /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page(caller: AccountCaller, { cursor, limit }: PageRequest): Promise<Page<WebhookRecord>> {
      const before = decodeCursor(cursor, (key) => isId('whk', key));
      const rows = await o.store.page(caller.accountId, before, limit + 1);
      return toPage(rows, limit, (webhook) => webhook.webhookId);
    },
    /** @throws ServiceError 'not-found' or 'invalid-request' (the URL) */
    async update(caller: AccountCaller, webhookId: string, { url, eventTypes, enabled }: UpdateWebhookRequest) {
      const { delivery } = await find(caller, webhookId);
      if (url !== undefined) requireAllowed(url, delivery);
      return change(caller, webhookId, 'webhook.update', (webhook) => ({
        ...withEnabled(webhook, enabled),
        url: url ?? webhook.url,
        eventTypes: eventTypes ?? webhook.eventTypes,
      }));
    },
    /** Including its deliveries, even pending ones. @throws ServiceError 'not-found' */
    async delete(caller: AccountCaller, webhookId: string): Promise<void> {
      await find(caller, webhookId);
      const { accountId } = caller;
      await o.database.transaction(async (tx) => {
        if (!(await o.store.delete(tx, accountId, webhookId))) throw missing('webhook');
        await o.erasures.remember([{ kind: 'webhook', accountId, webhookId }], o.clock.now());
        await o.audit.record(tx, actOf(caller, 'webhook.delete', webhookId));
      });
    },
    /**
     * The former secret also signs for a day, even after further rotations; if there are more than nine, the oldest
     * expires.
     * @throws ServiceError 'not-found'
     */
    async rotateSecret(caller: AccountCaller, webhookId: string, remember?: InTransaction<RotatedSecret>) {
      await find(caller, webhookId);
      const { secret, sealed } = await createSecret(caller.accountId, webhookId);
      const until = new Date(o.clock.now() + FORMER_WEBHOOK_SECRET_MS);
      const rotated = { secret, formerSecretValidUntil: until };
      const changed = (webhook: WebhookRecord) => ({
        ...webhook,
        secretSealed: sealed,
        formerSecrets: [{ sealed: webhook.secretSealed, until }, ...stillValid(webhook)].slice(0, MAX_FORMER_SECRETS),
      });
      await change(caller, webhookId, 'webhook.rotate-secret', changed, async (tx) => remember?.(tx, rotated));
      return rotated;
    },
    /**
     * Notes what arrived of the notifications that were fetched before, and fetches the oldest that are pending.
     * @throws ServiceError 'not-found', 'webhook-disabled' or 'webhook-pushed'
     */
    async pull(caller: AccountCaller, webhookId: string, taken: readonly string[] = []) {
      const webhook = await findEnabled(caller, webhookId);
      if (webhook.delivery === 'push') throw new ServiceError('webhook-pushed');
      await o.store.notePull(webhook, now());
      const pending = await o.database.transaction(async (tx) => {
        if (taken.length > 0 && (await o.deliveries.markTaken(tx, webhook, taken, now())) > 0)
          await o.audit.record(tx, actOf(caller, 'webhook.pull', webhookId));
        return o.deliveries.pending(tx, webhook, MAX_PULLED_EVENTS);
      });
      if (pending.length === 0) return [];
      return withAccountVault(o, webhook.accountId, (vault) =>
        pending.flatMap(({ deliveryId, payload, isSealed }) => {
          const body = isSealed ? vault.openWebhook(deliveryId, payload) : payload;
          return body === null ? [] : [{ deliveryId, body: Buffer.from(body).toString('utf8') }];
        }),
      );
    },
    /** Sends a test notification. @throws ServiceError 'not-found' or 'webhook-disabled' */
    async test(caller: AccountCaller, webhookId: string, remember?: InTransaction<DeliveryRecord>) {
      const { accountId } = await findEnabled(caller, webhookId);
      const deliveryId = o.ids.next('dlv');
      const createdAt = now();
      const body = { type: WEBHOOK_TEST_TYPE, timestamp: createdAt.toISOString(), data: { webhookId } };
      const payload = Buffer.from(JSON.stringify(body), 'utf8');
      const common = { accountId, webhookId, deliveryId, eventType: WEBHOOK_TEST_TYPE, createdAt } as const;
      const delivery: NewDelivery = { ...common, payload, isSealed: false, person: null };
      const made: DeliveryRecord = {
        ...common,
        state: 'pending',
        attempts: 0,
        lastAttemptAt: null,
        nextAttemptAt: createdAt,
        lastStatus: null,
        lastFailure: null,
      };
      return o.database.transaction(async (tx) => {
        // Locked, so that the webhook is not deleted meanwhile.
        if ((await o.store.lock(tx, accountId, webhookId)) === null) throw missing('webhook');
        await o.deliveries.insert(tx, [delivery]);
        await remember?.(tx, made);
        return made;
      });
    },
    /** Newest first. @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor */
    async deliveries(
      caller: AccountCaller,
      webhookId: string,
      { cursor, limit, state }: PageRequest & { readonly state?: WebhookDeliveryState | undefined },
    ): Promise<Page<DeliveryRecord>> {
      const { accountId } = await find(caller, webhookId);
      const before = decodeCursor(cursor, (key) => isId('dlv', key));
      const rows = await o.deliveries.page({ accountId, webhookId }, state, before, limit + 1);
      return toPage(rows, limit, (delivery) => delivery.deliveryId);
    },
    /**
     * Sends a delivery again, now, with all attempts of a new one.
     * @throws ServiceError 'not-found', 'webhook-disabled' or 'delivery-erased'
     */
    async replay(
      caller: AccountCaller,
      webhookId: string,
      deliveryId: string,
      remember?: InTransaction<DeliveryRecord>,
    ): Promise<DeliveryRecord> {
      if (!isId('dlv', deliveryId)) throw missing('delivery');
      const { accountId } = await findEnabled(caller, webhookId);
      return o.database.transaction(async (tx) => {
        const delivery = await o.deliveries.replay(tx, { accountId, webhookId, deliveryId }, now());
        if (delivery === null) throw missing('delivery');
        if (delivery === 'erased') throw new ServiceError('delivery-erased');
        await o.audit.record(tx, actOf(caller, 'webhook.replay', deliveryId));
        await remember?.(tx, delivery);
        return delivery;
      });
    },
  };
}
