import type {
  CreateEnrolmentTokenRequest,
  CreateEventRequest,
  CreateListRequest,
  InviteUserRequest,
  Organiser,
  UpdateListRequest,
} from '@svc/protocol';
import type { ApiConfig } from '../config/config.ts';
import type { KekStatus, RotationReport } from '../crypto/key-rotation.ts';
import { type AccountCaller, ALL_RIGHTS, type NewAccount, type NewKey } from '../features/accounts/service.ts';
import type { AccountRecord, ApiKeyView } from '../features/accounts/store.ts';
import { type AuditService, operator } from '../features/audit/service.ts';
import type { AddedDevice } from '../features/devices/service.ts';
import type { DeviceRecord } from '../features/devices/store.ts';
import type { EventView } from '../features/events/service.ts';
import type { ListView } from '../features/lists/service.ts';
import type { CreatedToken, TokenView } from '../features/tokens/service.ts';
import type { NewPeriod, NewPlan, Usage } from '../features/usage/service.ts';
import type { Invited } from '../features/users/service.ts';
import type { UserView } from '../features/users/store.ts';
import type { DeliveryRecord } from '../features/webhooks/delivery-store.ts';
import type { WebhookRecord } from '../features/webhooks/store.ts';
import type { Page, PageRequest } from '../platform/paging.ts';
import { composeAdmin } from './admin.ts';
import type { ApiParts } from './parts.ts';

/** A device without its token's hash. */
export type DeviceView = Omit<DeviceRecord, 'tokenSha256'>;
/** A webhook without its sealed secrets. */
export type WebhookView = Omit<WebhookRecord, 'secretSealed' | 'formerSecrets'>;

/**
 * Operations on a deployment without HTTP, for the `svc` command line and the demo. An unknown account, or an unknown
 * resource in it, is a ServiceError 'not-found'; cursors are those of the API.
 */
export interface Admin {
  readonly accounts: {
    create(account: NewAccount): Promise<AccountRecord>;
    list(): Promise<AccountRecord[]>;
    show(accountId: string): Promise<AccountRecord>;
    /** Until it is resumed, its credentials get 401 and its devices are wiped. */
    suspend(accountId: string): Promise<void>;
    resume(accountId: string): Promise<void>;
    /** Destroys all its data: keys, lists, ledger. */
    delete(accountId: string): Promise<void>;
  };
  readonly keys: {
    /** The key is never shown again. */
    create(
      accountId: string,
      name: string,
      rights?: Omit<NewKey, 'name'>,
    ): Promise<{ readonly keyId: string; readonly apiKey: string }>;
    /** Oldest first. */
    list(accountId: string): Promise<ApiKeyView[]>;
    revoke(accountId: string, keyId: string): Promise<void>;
  };
  /** The key-encryption keys (KEKs). */
  readonly keks: {
    status(): Promise<readonly KekStatus[]>;
    /** Wraps all keys by the current KEK, while nodes run; may be repeated at any time. */
    rotate(): Promise<RotationReport>;
  };
  readonly plans: {
    set(accountId: string, plan: NewPlan | null): Promise<Usage>;
    newPeriod(accountId: string): Promise<NewPeriod>;
    show(accountId: string): Promise<Usage>;
  };
  /** People of the dashboard. Links are shown, never mailed. */
  readonly users: {
    /** @throws ServiceError 'user-exists', 'user-limit-reached' or 'sign-in-unavailable' */
    invite(accountId: string, request: InviteUserRequest): Promise<Invited>;
    /** A new link to sign in with; those from before stop working. @throws ServiceError 'user-disabled' */
    link(accountId: string, userId: string): Promise<Invited>;
    page(accountId: string, request: PageRequest): Promise<Page<UserView>>;
    /** @throws ServiceError 'last-owner' */
    setDisabled(accountId: string, userId: string, disabled: boolean): Promise<UserView>;
    /** @throws ServiceError 'last-owner' */
    remove(accountId: string, userId: string): Promise<void>;
  };
  readonly events: {
    /** With what the widget says of the organiser, so that guests can enrol. @throws ServiceError 'invalid-request' */
    create(accountId: string, request: CreateEventRequest, organiser: Organiser): Promise<EventView>;
  };
  readonly lists: {
    /** @throws ServiceError 'event-has-list' or 'event-ended' */
    create(accountId: string, request: CreateListRequest): Promise<ListView>;
    page(accountId: string, request: PageRequest): Promise<Page<ListView>>;
    show(accountId: string, listId: string): Promise<ListView>;
    /** @throws ServiceError 'invalid-request' or 'check-in-origin-not-allowed' */
    update(accountId: string, listId: string, changes: UpdateListRequest): Promise<ListView>;
    /** The secret that signs check-ins is never shown again. */
    rotateCheckInSecret(accountId: string, listId: string): Promise<string>;
    /** Closes enrolment permanently. */
    close(accountId: string, listId: string): Promise<ListView>;
    end(accountId: string, listId: string): Promise<ListView>;
    delete(accountId: string, listId: string): Promise<void>;
  };
  readonly devices: {
    /** The token is never shown again. @throws ServiceError 'list-ended' */
    add(
      accountId: string,
      listId: string,
      name?: string,
    ): Promise<{ readonly device: DeviceView } & Pick<AddedDevice, 'token' | 'pairingUrl'>>;
    page(accountId: string, listId: string, request: PageRequest): Promise<Page<DeviceView>>;
    revoke(accountId: string, listId: string, deviceId: string): Promise<void>;
  };
  readonly tokens: {
    /** The token is never shown again. @throws ServiceError for an event that cannot have tokens */
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
  /** The consent ledger of an account, including deleted lists. */
  readonly consents: {
    /** In the API's export format. @throws ServiceError 'not-found', at the first chunk */
    export(accountId: string, listId?: string): AsyncGenerator<Buffer>;
    /** @throws ServiceError 'not-found' */
    evidenceRetainDays(accountId: string): Promise<number>;
    /** @param days 1 to 36525 @throws ServiceError 'not-found' */
    setEvidenceRetainDays(accountId: string, days: number): Promise<void>;
    /**
     * Erases the evidence of all accounts whose retention is over, as the API's job does.
     * @returns number of records
     */
    purge(): Promise<number>;
  };
  /** Audit log; null selects acts on the whole deployment. */
  readonly audit: Pick<AuditService, 'page'>;
  /** The region's name and public signing keys, in the format of the SDK's `Region`; the first id and key sign. */
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
 * Opens a deployment's services, with or without a running API; the caller closes it. The audit log names the current
 * OS user for its acts.
 * @throws Error when the database or the keys are not available
 */
export async function openAdmin(config: ApiConfig, parts: Pick<ApiParts, 'clock' | 'random'> = {}): Promise<Admin> {
  const services = await composeAdmin(config, parts);
  const {
    accounts,
    accountDeletion,
    audit,
    events,
    ledger,
    usage,
    lists,
    devices,
    tokens,
    webhooks,
    rotation,
    signing,
    users,
  } = services;
  const actor = operator();

  /** Acts for an account, with the rights of its API keys. */
  async function as<T>(accountId: string, act: (caller: AccountCaller) => Promise<T>): Promise<T> {
    const { country, billingCurrency } = await accounts.find(accountId);
    return act({ accountId, keyId: 'operator', rights: ALL_RIGHTS, actor, country, billingCurrency });
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
      async create(accountId, name, rights) {
        const { key, apiKey } = await accounts.createApiKey(accountId, { name, ...rights }, actor);
        return { keyId: key.keyId, apiKey };
      },
      async list(accountId) {
        const { items } = await accounts.apiKeys(accountId, { cursor: undefined, limit: Number.MAX_SAFE_INTEGER - 1 });
        return items.toReversed();
      },
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
    users: {
      invite: (accountId, request) => as(accountId, (caller) => users.invite(caller, request, 'show')),
      link: (accountId, userId) => as(accountId, (caller) => users.renewInvitation(caller, userId, 'show')),
      page: (accountId, request) => as(accountId, (caller) => users.page(caller, request)),
      setDisabled: (accountId, userId, disabled) =>
        as(accountId, (caller) => users.update(caller, userId, { disabled })),
      remove: (accountId, userId) => as(accountId, (caller) => users.remove(caller, userId)),
    },
    events: {
      create: (accountId, request, organiser) =>
        as(accountId, async (caller) => {
          const { eventId } = await events.create(caller, request);
          return events.setWidget(caller, eventId, organiser);
        }),
    },
    lists: {
      create: (accountId, request) => as(accountId, (caller) => lists.create(caller, request)),
      page: (accountId, request) => as(accountId, (caller) => lists.page(caller, request)),
      show: (accountId, listId) => as(accountId, (caller) => lists.get(caller, listId)),
      update: (accountId, listId, changes) => as(accountId, (caller) => lists.update(caller, listId, changes)),
      rotateCheckInSecret: (accountId, listId) => as(accountId, (caller) => lists.rotateCheckInSecret(caller, listId)),
      close: (accountId, listId) => as(accountId, (caller) => lists.closeEnrollment(caller, listId)),
      end: (accountId, listId) => as(accountId, (caller) => lists.end(caller, listId)),
      delete: (accountId, listId) => as(accountId, (caller) => lists.delete(caller, listId)),
    },
    devices: {
      async add(accountId, listId, name) {
        const added = await as(accountId, (caller) => devices.add(caller, listId, { name }));
        const { device, token, pairingUrl } = added;
        return { device: toDeviceView(device), token, pairingUrl };
      },
      async page(accountId, listId, request) {
        const { items, nextCursor } = await as(accountId, (caller) =>
          devices.page(caller, listId, { ...request, revoked: false }),
        );
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
