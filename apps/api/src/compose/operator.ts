import type { CreateEnrolmentTokenRequest, CreateListRequest } from '@svc/protocol';
import type { ApiConfig } from '../config/config.ts';
import type { KekStatus, RotationReport } from '../crypto/key-rotation.ts';
import type { AccountCaller, NewAccount } from '../features/accounts/service.ts';
import type { AccountRecord, ApiKeyView } from '../features/accounts/store.ts';
import { type AuditService, operator } from '../features/audit/service.ts';
import type { DeviceRecord } from '../features/devices/store.ts';
import type { ListView } from '../features/lists/service.ts';
import type { CreatedToken, TokenView } from '../features/tokens/service.ts';
import type { NewPlan } from '../features/usage/plans.ts';
import type { NewPeriod, Usage } from '../features/usage/service.ts';
import type { DeliveryRecord } from '../features/webhooks/delivery-store.ts';
import type { WebhookRecord } from '../features/webhooks/store.ts';
import type { Page, PageRequest } from '../platform/paging.ts';
import { composeAdmin } from './admin.ts';
import type { ApiParts } from './parts.ts';

/** A device without what its token could be recognised by. */
export type DeviceView = Omit<DeviceRecord, 'tokenSha256'>;
/** A webhook without its sealed secrets. */
export type WebhookView = Omit<WebhookRecord, 'secretSealed' | 'formerSecrets'>;

/**
 * What an operator does to a deployment without HTTP: the `svc` command line and the demo are built on it. Whatever
 * names an account, or something in it, that is not there is a ServiceError 'not-found'; pages take and give cursors as
 * the API's do.
 */
export interface Admin {
  readonly accounts: {
    create(account: NewAccount): Promise<AccountRecord>;
    list(): Promise<AccountRecord[]>;
    show(accountId: string): Promise<AccountRecord>;
    /** Its credentials get 401 and its devices a wipe, until it is resumed. */
    suspend(accountId: string): Promise<void>;
    resume(accountId: string): Promise<void>;
    /** Destroys its keys, its lists, its ledger and everything else of it. */
    delete(accountId: string): Promise<void>;
  };
  readonly keys: {
    /** The key is in the answer this once. */
    create(accountId: string, name: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
    list(accountId: string): Promise<ApiKeyView[]>;
    revoke(accountId: string, keyId: string): Promise<void>;
  };
  /** The keys that wrap keys. */
  readonly keks: {
    status(): Promise<readonly KekStatus[]>;
    /** Wraps everything again by the current KEK; nodes go on meanwhile, and it may be run again at any time. */
    rotate(): Promise<RotationReport>;
  };
  readonly plans: {
    set(accountId: string, plan: NewPlan | null): Promise<Usage>;
    newPeriod(accountId: string): Promise<NewPeriod>;
    show(accountId: string): Promise<Usage>;
  };
  readonly lists: {
    /** @throws ServiceError 'event-has-list' or 'event-ended' */
    create(accountId: string, request: CreateListRequest): Promise<ListView>;
    page(accountId: string, request: PageRequest): Promise<Page<ListView>>;
    show(accountId: string, listId: string): Promise<ListView>;
    /** Closes enrolment, for good. */
    close(accountId: string, listId: string): Promise<ListView>;
    end(accountId: string, listId: string): Promise<ListView>;
    delete(accountId: string, listId: string): Promise<void>;
  };
  readonly devices: {
    /** The token is in the answer this once. @throws ServiceError 'list-ended' */
    add(
      accountId: string,
      listId: string,
      name?: string,
    ): Promise<{ readonly device: DeviceView; readonly token: string }>;
    page(accountId: string, listId: string, request: PageRequest): Promise<Page<DeviceView>>;
    revoke(accountId: string, listId: string, deviceId: string): Promise<void>;
  };
  readonly tokens: {
    /** The token is in the answer this once. @throws ServiceError for an event that cannot have tokens */
    create(accountId: string, eventId: string, request: CreateEnrolmentTokenRequest): Promise<CreatedToken>;
    page(accountId: string, eventId: string, request: PageRequest): Promise<Page<TokenView>>;
    revoke(accountId: string, eventId: string, tokenId: string): Promise<void>;
  };
  readonly webhooks: {
    page(accountId: string, request: PageRequest): Promise<Page<WebhookView>>;
    deliveries(accountId: string, webhookId: string, request: PageRequest): Promise<Page<DeliveryRecord>>;
    /** @throws ServiceError 'webhook-disabled' or 'delivery-erased' */
    replay(accountId: string, webhookId: string, deliveryId: string): Promise<DeliveryRecord>;
  };
  /** The consent ledger of an account, its lists that are gone included. */
  readonly consents: {
    /** As the API exports it. @throws ServiceError 'not-found', at the first chunk */
    export(accountId: string, listId?: string): AsyncGenerator<Buffer>;
    /** @throws ServiceError 'not-found' */
    evidenceRetainDays(accountId: string): Promise<number>;
    /** @param days 1 to 36525 @throws ServiceError 'not-found' */
    setEvidenceRetainDays(accountId: string, days: number): Promise<void>;
    /**
     * Erases the evidence whose retention is over, of all accounts, as the job of the API does.
     * @returns how many records
     */
    purge(): Promise<number>;
  };
  /** Who did what; null for acts on the deployment as a whole. */
  readonly audit: Pick<AuditService, 'page'>;
  /**
   * The region's name and the public halves of its signing keys, as `Region` of the SDK takes them; the first id and
   * key are of the one that signs.
   */
  region(): {
    readonly region: string;
    readonly keyId: string;
    readonly signingKey: string;
    readonly signingKeys: readonly string[];
  };
  close(): Promise<void>;
}

function toDeviceView({ tokenSha256: _hash, ...device }: DeviceRecord): DeviceView {
  return device;
}

function toWebhookView({ secretSealed: _secret, formerSecrets: _former, ...webhook }: WebhookRecord): WebhookView {
  return webhook;
}

/**
 * Opens a deployment's services. Works beside a running API and without one; the caller closes it.
 * What is done through it stands in the audit log under the name of the user whose process this is.
 * @throws Error when the database or the keys cannot be had
 */
export async function openAdmin(config: ApiConfig, parts: Pick<ApiParts, 'clock' | 'random'> = {}): Promise<Admin> {
  const services = await composeAdmin(config, parts);
  const { accounts, accountDeletion, audit, ledger, usage, lists, devices, tokens, webhooks, rotation, signing } =
    services;
  const actor = operator();

  /** Does in an account's name what its own API keys may do. */
  async function as<T>(accountId: string, act: (caller: AccountCaller) => Promise<T>): Promise<T> {
    const { country, billingCurrency } = await accounts.find(accountId);
    return act({ accountId, keyId: 'operator', actor, country, billingCurrency });
  }

  return {
    accounts: {
      create: (account) => accounts.create(account, actor),
      list: () => accounts.all(),
      show: (accountId) => accounts.find(accountId),
      suspend: (accountId) => accounts.suspend(accountId, actor),
      resume: (accountId) => accounts.resume(accountId, actor),
      delete: (accountId) => accountDeletion.delete(accountId, actor),
    },
    keys: {
      create: (accountId, name) => accounts.createApiKey(accountId, name, actor),
      list: (accountId) => accounts.apiKeys(accountId),
      revoke: (accountId, keyId) => accounts.revokeApiKey(accountId, keyId, actor),
    },
    keks: {
      status: () => rotation.status(),
      async rotate() {
        const report = await rotation.rotate();
        const target = report.keks.find((kek) => kek.current)?.kekId ?? 'none';
        await audit.record(null, { accountId: null, actor, action: 'kek.rotate', target });
        return report;
      },
    },
    plans: {
      set: (accountId, plan) => usage.setPlan(accountId, plan, actor),
      newPeriod: (accountId) => usage.startPeriod(accountId, actor),
      show: (accountId) => usage.read(accountId),
    },
    lists: {
      create: (accountId, request) => as(accountId, (caller) => lists.create(caller, request)),
      page: (accountId, request) => as(accountId, (caller) => lists.page(caller, request)),
      show: (accountId, listId) => as(accountId, (caller) => lists.get(caller, listId)),
      close: (accountId, listId) => as(accountId, (caller) => lists.closeEnrollment(caller, listId)),
      end: (accountId, listId) => as(accountId, (caller) => lists.end(caller, listId)),
      delete: (accountId, listId) => as(accountId, (caller) => lists.delete(caller, listId)),
    },
    devices: {
      async add(accountId, listId, name) {
        const { device, token } = await as(accountId, (caller) => devices.add(caller, listId, { name }));
        return { device: toDeviceView(device), token };
      },
      async page(accountId, listId, request) {
        const { items, nextCursor } = await as(accountId, (caller) => devices.page(caller, listId, request));
        return { items: items.map(toDeviceView), nextCursor };
      },
      revoke: (accountId, listId, deviceId) => as(accountId, (caller) => devices.revoke(caller, listId, deviceId)),
    },
    tokens: {
      create: (accountId, eventId, request) => as(accountId, (caller) => tokens.create(caller, eventId, request)),
      page: (accountId, eventId, request) => as(accountId, (caller) => tokens.page(caller, eventId, request)),
      revoke: (accountId, eventId, tokenId) => as(accountId, (caller) => tokens.revoke(caller, eventId, tokenId)),
    },
    webhooks: {
      async page(accountId, request) {
        const { items, nextCursor } = await as(accountId, (caller) => webhooks.page(caller, request));
        return { items: items.map(toWebhookView), nextCursor };
      },
      deliveries: (accountId, webhookId, request) =>
        as(accountId, (caller) => webhooks.deliveries(caller, webhookId, request)),
      replay: (accountId, webhookId, deliveryId) =>
        as(accountId, (caller) => webhooks.replay(caller, webhookId, deliveryId)),
    },
    consents: {
      export: (accountId, listId) => ledger.export(accountId, listId),
      evidenceRetainDays: (accountId) => ledger.evidenceRetainDays(accountId),
      setEvidenceRetainDays: (accountId, days) => ledger.setEvidenceRetainDays(accountId, days, actor),
      purge: () => ledger.purgeExpiredEvidence(),
    },
    audit,
    region() {
      const { key, announced } = signing.known();
      return { region: config.region, keyId: key.keyId, signingKey: key.publicKey, signingKeys: announced };
    },
    close: services.close,
  };
}
