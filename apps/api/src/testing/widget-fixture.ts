import { HOUR_MS } from '@svc/protocol';
import { expect } from 'vitest';
import { base64, createList } from './enrolment-fixture.ts';
import { type Answer, type ManualClock, sendJson, type TestApi, type TestCustomer } from './test-api.ts';

/** An event with widget settings and a list, ready for tokens. */
export interface WidgetStage {
  readonly eventId: string;
  readonly listId: string;
}

export interface MadeToken {
  readonly tokenId: string;
  readonly token: string;
  readonly ticketId: string;
  readonly expiresAt: string;
  readonly url?: string;
}

export const widgetSettings = {
  organiserName: 'Riverside Hall',
  privacyNoticeUrl: 'https://example.org/face-check-in-privacy',
};

export async function createEvent(owner: TestCustomer, clock: ManualClock, endsInHours = 72): Promise<string> {
  const created = await owner.request<{ eventId: string }>('POST', '/v1/events', {
    name: 'Concert',
    startsAt: new Date(clock.now() - HOUR_MS).toISOString(),
    endsAt: new Date(clock.now() + endsInHours * HOUR_MS).toISOString(),
  });
  expect(created.status).toBe(201);
  return created.body.eventId;
}

export async function createStage(
  owner: TestCustomer,
  clock: ManualClock,
  endsInHours = 72,
  list: object = {},
): Promise<WidgetStage> {
  const eventId = await createEvent(owner, clock, endsInHours);
  expect((await owner.request('POST', `/v1/events/${eventId}/widget`, widgetSettings)).status).toBe(200);
  const listId = await createList(owner, { name: 'Concert', eventId, ...list });
  return { eventId, listId };
}

export async function createToken(owner: TestCustomer, eventId: string, request: object = {}): Promise<MadeToken> {
  const body = { ticketId: 'ticket-1', ...request };
  const created = await owner.request<MadeToken>('POST', `/v1/events/${eventId}/enrolment-tokens`, body);
  expect(created.status).toBe(201);
  return created.body;
}

export interface GuestRequest {
  readonly image?: string;
  readonly consent?: object;
  /** Replaces the default body. */
  readonly body?: object;
  /** `Idempotency-Key` */
  readonly key?: string;
}

/** The requests of the page in a guest's browser. */
export function createGuestPage(api: Pick<TestApi, 'url'>, token: string) {
  const send = <T = Record<string, unknown>>(method: string, path: string, body?: object, key?: string) =>
    sendJson<T>(api.url + path, method, body, {
      Authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    });
  let shown: Promise<{ language: string; wordingSha256: string; consentVersion: string }> | null = null;
  const session = (query = '') => send('GET', `/v1/widget/session${query}`);
  const read = async () => {
    const { status, body } = await send<{ language: string; wordingSha256: string; consentVersion: string }>(
      'GET',
      '/v1/widget/session',
    );
    expect(status).toBe(200);
    return body;
  };
  return {
    session,
    /** Reads the session first, so that the token may be used up afterwards. */
    open: async () => {
      shown ??= read();
      await shown;
    },
    async enrol(o: GuestRequest = {}): Promise<Answer<Record<string, unknown>>> {
      shown ??= read();
      const { language, wordingSha256, consentVersion } = await shown;
      const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true, ...o.consent };
      const body = { consent, language, wordingSha256, imageBase64: base64(o.image ?? 'a face'), ...o.body };
      return send('POST', '/v1/widget/enrolments', body, o.key);
    },
    decline: (key?: string) => send('POST', '/v1/widget/decline', undefined, key),
    undo: (key?: string) => send('POST', '/v1/widget/decline/undo', undefined, key),
  };
}

/** Status and code of an answer. */
export const outcome = ({ status, body }: { status: number; body: Record<string, unknown> | null }) => [
  status,
  body?.code,
];

/** Shared steps of the widget's tests on the current stage. */
export function onStage(now: () => { api: TestApi; customer: TestCustomer; stage: WidgetStage }) {
  return {
    async open(request: object = {}) {
      const made = await createToken(now().customer, now().stage.eventId, request);
      return { ...made, page: createGuestPage(now().api, made.token) };
    },
    async stateOf(tokenId: string) {
      const { customer, stage } = now();
      return (await customer.request('GET', `/v1/events/${stage.eventId}/enrolment-tokens/${tokenId}`)).body;
    },
    async people() {
      const { customer, stage } = now();
      const path = `/v1/lists/${stage.listId}/people`;
      const { body } = await customer.request<{ items: { personId: string }[] }>('GET', path);
      return body.items.map((person) => person.personId);
    },
  };
}
