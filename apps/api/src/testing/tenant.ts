import { randomBytes } from 'node:crypto';
import { HOUR_MS, type Operation } from '@svc/protocol';
import { expect } from 'vitest';
import { TestAuthenticator } from './authenticator.ts';
import { enrolBody } from './enrolment-fixture.ts';
import { addPasskey, createPerson, signInWith, type TestPerson } from './person.ts';
import { queryDatabase } from './postgres.ts';
import type { TestApi, TestCustomer } from './test-api.ts';
import { addDevice, syncHeaders, type TestDevice } from './test-device.ts';

/** An account with one of every kind of resource, each with the canary in its name. */
export interface Tenant {
  readonly customer: TestCustomer;
  /** Contained in every name, personId and ticketId of the tenant. */
  readonly canary: string;
  /** Path parameter → the tenant's value. */
  readonly parameters: Readonly<Record<string, string>>;
  /** An owner who signed in, and whose second session is among the parameters. */
  readonly person: TestPerson;
  /** With the person's passkey. */
  readonly authenticator: TestAuthenticator;
  readonly guestToken: string;
  readonly deviceToken: string;
  readonly device: TestDevice;
  /** A device's headers besides its token. */
  readonly deviceHeaders: Readonly<Record<string, string>>;
}

type Made = Record<string, string>;

/** A webhook with a delivery that never succeeds, as its host name does not exist. */
async function addWebhook(make: (path: string, body?: object) => Promise<Made>): Promise<Made> {
  const url = 'https://receiver.invalid/hook';
  const { webhookId = '' } = await make('/v1/webhooks', { url });
  const { deliveryId = '' } = await make(`/v1/webhooks/${webhookId}/test`);
  return { webhookId, deliveryId };
}

/** A signed-in owner with two sessions and a passkey, and a user who was invited. */
async function addPeople(api: TestApi, customer: TestCustomer, canary: string) {
  const { accountId } = customer;
  const email = `${canary}@example.org`;
  const person = await createPerson(api, accountId, { email, name: canary });
  const other = await signInWith(api, (await api.admin.users.link(accountId, person.userId)).invitationUrl);
  const authenticator = new TestAuthenticator();
  const passkeyId = await addPasskey(api, person, authenticator);
  const { user } = await api.admin.users.invite(accountId, { email: `x${email}`, name: canary, role: 'door' });
  return { person, authenticator, parameters: { userId: user.userId, sessionId: other.sessionId, passkeyId } };
}

/** Of a payload's link, whose signature is the service's to make. */
const UNSIGNED_LINK = { payloadSha256: 'A'.repeat(43), from: '0', to: '1', expires: '1', signature: 'A'.repeat(86) };

/** Creates all resources through the API, like an organiser. @param nowMs the API's clock */
export async function createTenant(api: TestApi, nowMs: number): Promise<Tenant> {
  const customer = await api.customer({ country: 'DE' });
  const canary = `canary${randomBytes(6).toString('hex')}`;
  const at = (hours: number) => new Date(nowMs + hours * HOUR_MS).toISOString();
  const make = async (path: string, body?: object): Promise<Made> => {
    const answer = await customer.request<Made>('POST', path, body);
    expect([200, 201, 202], `${path} ${JSON.stringify(answer.body)}`).toContain(answer.status);
    return answer.body;
  };
  const metadata = { note: canary };
  const { eventId = '' } = await make('/v1/events', { name: canary, startsAt: at(1), endsAt: at(30), metadata });
  const privacyNoticeUrl = `https://example.org/${canary}`;
  await make(`/v1/events/${eventId}/widget`, { organiserName: canary, privacyNoticeUrl });
  const { listId = '' } = await make('/v1/lists', { name: canary, eventId, metadata });
  const webhook = await addWebhook(make);
  const { keyId = '' } = await make('/v1/api-keys', { name: canary, scopes: ['account:read'], metadata });
  const personId = `${canary}/person`;
  await make(`/v1/lists/${listId}/people`, enrolBody({ now: () => nowMs }, { personId, metadata }));
  const device = await addDevice(customer, listId, { name: canary, metadata });
  const { Authorization: _token, ...withoutToken } = syncHeaders(device);
  const guest = await make(`/v1/events/${eventId}/enrolment-tokens`, { ticketId: `${canary}/ticket` });
  const dashboard = await addPeople(api, customer, canary);
  const { mailingId = '' } = await make(`/v1/events/${eventId}/mailings`, {
    recipients: [{ ticketId: `${canary}/mailed`, email: `${canary}@example.org` }],
    validForHours: 1,
  });
  const made = {
    ...dashboard.parameters,
    eventId,
    mailingId,
    listId,
    personId,
    deviceId: device.id,
    tokenId: guest.tokenId ?? '',
    keyId,
    ...webhook,
  };
  return {
    customer,
    canary,
    person: dashboard.person,
    authenticator: dashboard.authenticator,
    parameters: { ...made, consentVersion: 'eu-v2', ...UNSIGNED_LINK, account: customer.accountId, list: listId },
    guestToken: guest.token ?? '',
    deviceToken: device.token,
    device,
    deviceHeaders: withoutToken,
  };
}

/**
 * Path and required query of an operation on a tenant's resources.
 * @throws Error when the tenant lacks a resource that the operation needs; add it to {@link createTenant}
 */
export function targetOf(operation: Operation, { parameters }: Pick<Tenant, 'parameters'>): string {
  const value = (name: string) => {
    const found = parameters[name];
    if (found === undefined || found === '') throw new Error(`a tenant has no ${name} for ${operation.operationId}`);
    return encodeURIComponent(found);
  };
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${value(name)}`);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => value(name));
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** The tenant's credential of the operation's kind, as headers. */
export function credentialOf(
  tenant: Tenant,
  security: Operation['security'],
  key = tenant.customer.apiKey,
): Record<string, string> {
  if (security === 'apiKey') return { 'X-Api-Key': key };
  if (security === 'session') return tenant.person.headers;
  if (security === 'guestToken') return { Authorization: `Bearer ${tenant.guestToken}` };
  return security === 'none' ? {} : { Authorization: `Bearer ${tenant.deviceToken}`, ...tenant.deviceHeaders };
}

/** Suspends an account or resumes it, effective at the nodes' next look-up. */
export async function setSuspended(api: TestApi, accountId: string, suspended: boolean): Promise<void> {
  const sql = 'UPDATE accounts SET suspended_at = CASE WHEN $2 THEN now() END WHERE account_id = $1';
  await queryDatabase(api.ownerUrl, sql, [accountId, suspended]);
}
