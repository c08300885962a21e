import type { AddDeviceRequest, CreateEventRequest, InviteUserRequest, Organiser } from '@svc/protocol';
import type { ApiConfig } from '../config/config.ts';
import { type AccountCaller, ALL_RIGHTS, type NewAccount, type NewKey } from '../features/accounts/service.ts';
import { operator } from '../features/audit/service.ts';
import type { DeviceRecord } from '../features/devices/store.ts';
import type { NewPlan } from '../features/usage/service.ts';
import type { WebhookRecord } from '../features/webhooks/store.ts';
import type { PageRequest } from '../platform/paging.ts';
import { composeAdmin } from './admin.ts';
import type { ApiParts } from './parts.ts';

/** A device without its token's hash. */
export type DeviceView = Omit<DeviceRecord, 'tokenSha256'>;
/** A webhook without its sealed secrets. */
export type WebhookView = Omit<WebhookRecord, 'secretSealed' | 'formerSecrets'>;

/**
 * Operations on a deployment without HTTP, for the `svc` command line and the demo: those of the services, with the
 * account's id in place of the caller. An unknown account, or an unknown resource in it, is a ServiceError 'not-found';
 * cursors are those of the API.
 */
export type Admin = Awaited<ReturnType<typeof openAdmin>>;

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
export async function openAdmin(config: ApiConfig, parts: Pick<ApiParts, 'clock' | 'random'> = {}) {
  const services = await composeAdmin(config, parts);
  const { accounts, accountDeletion, audit, events, ledger, usage } = services;
  const { lists, devices, tokens, webhooks, rotation, signing, users } = services;
  const actor = operator();

  /** A service's method for an account, with the rights of its API keys. */
  function of<Given extends unknown[], Made>(method: (caller: AccountCaller, ...given: Given) => Promise<Made>) {
    return async (accountId: string, ...given: Given): Promise<Made> => {
      const { country, billingCurrency, mode } = await accounts.find(accountId);
      const caller = { accountId, keyId: 'operator', rights: ALL_RIGHTS, actor, country, billingCurrency, mode };
      return method(caller, ...given);
    };
  }

  return {
    accounts: {
      create: (account: NewAccount) => accounts.create(account, actor),
      list: () => accounts.all(),
      show: (accountId: string) => accounts.find(accountId),
      /** Until it is resumed, its credentials get 401 and its devices are wiped. */
      suspend: (accountId: string) => accounts.suspend(accountId, actor),
      resume: (accountId: string) => accounts.resume(accountId, actor),
      /** Destroys all its data: keys, lists, ledger. */
      delete: (accountId: string) => accountDeletion.delete(accountId, actor),
    },
    keys: {
      /** The key is never shown again. */
      async create(accountId: string, name: string, rights?: Omit<NewKey, 'name'>) {
        const { key, apiKey } = await accounts.createApiKey(accountId, { name, ...rights }, actor);
        return { keyId: key.keyId, apiKey };
      },
      /** Oldest first. */
      async list(accountId: string) {
        const { items } = await accounts.apiKeys(accountId, { cursor: undefined, limit: Number.MAX_SAFE_INTEGER - 1 });
        return items.toReversed();
      },
      revoke: (accountId: string, keyId: string) => accounts.revokeApiKey(accountId, keyId, actor),
      /** What a key is. @throws ServiceError 'invalid-credential' or 'account-suspended' */
      identify: async (apiKey: string) => accounts.own(await accounts.authenticate(apiKey)),
    },
    /** The key-encryption keys (KEKs). */
    keks: {
      status: () => rotation.status(),
      /** Wraps all keys by the current KEK, while nodes run; may be repeated at any time. */
      async rotate() {
        const report = await rotation.rotate();
        const target = report.keks.find((kek) => kek.current)?.kekId ?? 'none';
        await audit.record(null, { accountId: null, actor, action: 'kek.rotate', target });
        return report;
      },
    },
    plans: {
      set: (accountId: string, plan: NewPlan | null) => usage.setPlan(accountId, plan, actor),
      newPeriod: (accountId: string) => usage.startPeriod(accountId, actor),
      show: (accountId: string) => usage.read(accountId),
    },
    /** People of the dashboard. Links are shown, never mailed. */
    users: {
      invite: of((caller, request: InviteUserRequest) => users.invite(caller, request, 'show')),
      /** A new link to sign in with; those from before stop working. */
      link: of((caller, userId: string) => users.renewInvitation(caller, userId, 'show')),
      page: of(users.page),
      setDisabled: of((caller, userId: string, disabled: boolean) => users.update(caller, userId, { disabled })),
      remove: of(users.remove),
    },
    events: {
      /** @param organiser what the widget says of it; without it no guest can be invited */
      create: of(async (caller, request: CreateEventRequest, organiser?: Organiser) => {
        const event = await events.create(caller, request);
        return organiser === undefined ? event : events.setWidget(caller, event.eventId, organiser);
      }),
      page: of(events.page),
      show: of(events.read),
    },
    lists: {
      create: of(lists.create),
      page: of(lists.page),
      show: of(lists.get),
      update: of(lists.update),
      /** The secret that signs check-ins is never shown again. */
      rotateCheckInSecret: of(lists.rotateCheckInSecret),
      close: of(lists.closeEnrollment),
      end: of(lists.end),
      undoEnd: of(lists.undoEnd),
      delete: of(lists.delete),
    },
    devices: {
      /** The token is never shown again. */
      add: of(async (caller, listId: string, request: AddDeviceRequest) => {
        const { device, token, pairingUrl } = await devices.add(caller, listId, request);
        return { device: toDeviceView(device), token, pairingUrl };
      }),
      page: of(async (caller, listId: string, request: PageRequest) => {
        const { items, nextCursor } = await devices.page(caller, listId, { ...request, revoked: false });
        return { items: items.map(toDeviceView), nextCursor };
      }),
      revoke: of(devices.revoke),
    },
    tokens: { create: of(tokens.create), page: of(tokens.page), revoke: of(tokens.revoke) },
    webhooks: {
      page: of(async (caller, request: PageRequest) => {
        const { items, nextCursor } = await webhooks.page(caller, request);
        return { items: items.map(toWebhookView), nextCursor };
      }),
      deliveries: of(webhooks.deliveries),
      replay: of(webhooks.replay),
    },
    /** The consent ledger of an account, including deleted lists. */
    consents: {
      /** In the API's export format. @throws ServiceError 'not-found', at the first chunk */
      export: (accountId: string, listId?: string) => ledger.export(accountId, listId),
      evidenceRetainDays: (accountId: string) => ledger.evidenceRetainDays(accountId),
      /** @param days 1 to 36525 */
      setEvidenceRetainDays: (accountId: string, days: number) => ledger.setEvidenceRetainDays(accountId, days, actor),
      /** Erases the evidence of all accounts whose retention is over, as the API's job does. @returns number of records */
      purge: () => ledger.purgeExpiredEvidence(),
    },
    /** Audit log; null selects acts on the whole deployment. */
    audit: { page: audit.page },
    /** The region's name and public signing keys, in the format of the SDK's `Region`; the first id and key sign. */
    region() {
      const { key, announced } = signing.known();
      return { region: config.region, keyId: key.keyId, signingKey: key.publicKey, signingKeys: announced };
    },
    close: services.close,
  };
}
