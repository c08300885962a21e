import { requestJson } from '@svc/api/testing';

type Call = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: T }>;

/** Results of guests at a service, and their tokens. */
export interface Guests {
  readonly statuses: Readonly<Record<'unusable' | 'enrolled' | 'again' | 'declined', number>>;
  readonly tokens: readonly string[];
}

/** An event with a widget; one guest enrols after an unusable photo, another declines. */
export async function haveGuests(
  url: string,
  call: Call,
  o: {
    readonly enrols: string;
    readonly declines: string;
    readonly photo: Uint8Array;
    readonly unusable: Uint8Array;
    /** Prefix of each `Idempotency-Key`. */
    readonly key: string;
  },
): Promise<Guests> {
  const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
  const { eventId } = (await call<{ eventId: string }>('POST', '/v1/events', { name: 'Concert', ...times })).body;
  const settings = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/privacy' };
  await call('POST', `/v1/events/${eventId}/widget`, settings);
  await call('POST', '/v1/lists', { name: 'Concert', eventId });
  const tokensOf = `/v1/events/${eventId}/enrolment-tokens`;
  const tokenFor = async (ticketId: string) =>
    (await call<{ token: string }>('POST', tokensOf, { ticketId, validForHours: 1 })).body.token;
  const [enrols, declines] = [await tokenFor(o.enrols), await tokenFor(o.declines)];

  const send = <T>(token: string, method: string, path: string, body?: object, tryOf = '0') =>
    requestJson<T>(`${url}/v1/widget/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': o.key + tryOf,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  interface Session {
    readonly consentVersion: string;
    readonly language: string;
    readonly wordingSha256: string;
  }
  const { consentVersion, language, wordingSha256 } = (await send<Session>(enrols, 'GET', 'session')).body;
  const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
  const enrol = async (photo: Uint8Array, tryOf: string) => {
    const imageBase64 = Buffer.from(photo).toString('base64');
    const body = { consent, language, wordingSha256, imageBase64 };
    return (await send(enrols, 'POST', 'enrolments', body, tryOf)).status;
  };
  const statuses = {
    unusable: await enrol(o.unusable, '1'),
    declined: (await send(declines, 'POST', 'decline')).status,
    enrolled: await enrol(o.photo, '2'),
    again: await enrol(o.photo, '2'),
  };
  await call('GET', tokensOf);
  return { statuses, tokens: [enrols, declines] };
}
