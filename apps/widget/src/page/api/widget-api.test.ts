import { createProblem, type ErrorCode, errorTable, type HeldToken, type ImageFault, testPhoto } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { sampleSession } from '../../testing/sample-states.ts';
import { type Call, type FlowEvent, noBoxes } from '../flow/state.ts';
import en from '../text/generated/en.json';
import { createWidgetApi } from './widget-api.ts';

const session = sampleSession();
const photo = {
  jpeg: new Blob([Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)]),
  width: 1,
  height: 1,
  key: 'key-1',
  source: 'camera',
  mirrored: true,
} as const;
const calls = {
  session: { to: 'session', language: 'de' },
  enrol: { to: 'enrol', photo, boxes: { ...noBoxes, explicitBiometricConsent: true, writtenRelease: true }, session },
  decline: { to: 'decline', key: 'key-2' },
  undo: { to: 'undo-decline', key: 'key-2' },
} as const satisfies Record<string, Call>;

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

/** @returns the resulting event, and the request as it was sent */
async function ask(
  call: Call,
  answer: () => Response | Promise<Response>,
  baseUrl = 'https://api.example/below',
): Promise<[FlowEvent, Request]> {
  let sent: Request | undefined;
  const callService = createWidgetApi({
    baseUrl: new URL(baseUrl),
    token: 'svce_token',
    fetch: async (url, init) => {
      sent = new Request(url, init);
      return answer();
    },
  });
  const event = await callService(call, new AbortController().signal);
  if (sent === undefined) throw new Error('nothing was sent');
  return [event, sent];
}

async function problem(
  code: ErrorCode,
  call: Call = calls.enrol,
  more: { attemptsLeft?: number; reason?: ImageFault; token?: HeldToken } = {},
) {
  const body = createProblem(code, { requestId: 'r', ...more });
  const [event] = await ask(call, () => json(body.status, body, { 'Content-Type': 'application/problem+json' }));
  return event;
}

describe('a request', () => {
  it('for the session names the language, and has the token in a header only', async () => {
    const [event, request] = await ask(calls.session, () => json(200, session));
    expect(event).toEqual({ type: 'session-read', session });
    expect([request.method, request.url]).toEqual(['GET', 'https://api.example/below/v1/widget/session?language=de']);
    expect(request.headers.get('Authorization')).toBe('Bearer svce_token');
    expect([request.credentials, request.referrerPolicy, request.redirect]).toEqual(['omit', 'no-referrer', 'error']);
  });

  it.each(['', '/', '//'])('goes to the API however many slashes its address ends with: “%s”', async (slashes) => {
    const [, request] = await ask(calls.session, () => json(200, session), `https://api.example${slashes}`);
    expect(request.url).toBe('https://api.example/v1/widget/session?language=de');
  });

  it('to enrol has consent, wording and photo, under the photo’s key', async () => {
    const [event, request] = await ask(calls.enrol, () => json(201, { deleteAfter: session.deleteAfter }));
    expect(event).toEqual({ type: 'enrolled', deleteAfter: session.deleteAfter });
    expect(request.headers.get('Idempotency-Key')).toBe('key-1');
    const { imageBase64, ...rest } = (await request.json()) as Record<string, string>;
    expect(rest).toEqual({
      consent: {
        consentVersion: 'eu-v2',
        explicitBiometricConsent: true,
        writtenRelease: true,
        under16: false,
        guardianConsent: false,
      },
      language: 'en',
      wordingSha256: session.wordingSha256,
      photoSource: photo.source,
    });
    expect(Buffer.from(imageBase64 ?? '', 'base64')).toEqual(Buffer.from(await photo.jpeg.arrayBuffer()));
  });

  it('to decline has no body', async () => {
    const [event, request] = await ask(calls.decline, () => new Response(null, { status: 204 }));
    expect(event).toEqual({ type: 'declined' });
    expect([request.method, request.headers.get('Idempotency-Key'), request.body]).toEqual(['POST', 'key-2', null]);
  });
});

describe('an answer', () => {
  it('that refuses a photo says how many attempts are left', async () => {
    const refused = { type: 'photo-refused', refusal: 'no-face', attemptsLeft: 2 };
    expect(await problem('no-face', calls.enrol, { attemptsLeft: 2 })).toEqual(refused);
  });

  it.each([
    ['format', 'format', 'This kind of picture can’t be read'],
    ['dimensions', 'too-large', 'That picture is too large'],
    ['damaged', 'image-invalid', 'The picture could not be read'],
    ['time', 'too-large', 'That picture is too large'],
  ] as const)('that cannot read a photo says why: %s', async (reason, refusal, title) => {
    expect(await problem('image-invalid', calls.enrol, { reason })).toMatchObject({ type: 'photo-refused', refusal });
    expect(en[`refused.${refusal}`]).toBe(title);
  });

  const ends: readonly [ErrorCode, string][] = [
    ['token-used', 'used'],
    ['token-expired', 'expired'],
    ['token-exhausted', 'exhausted'],
    ['invalid-credential', 'invalid'],
    ['list-ended', 'closed'],
    ['enrolment-closed', 'closed'],
    ['account-suspended', 'unavailable'],
    ['no-plan', 'unavailable'],
    ['plan-limit-reached', 'unavailable'],
    ['invalid-request', 'failed'],
  ];
  it.each(ends)('%s ends it as %s, in the service’s own words for the organiser', async (code, why) => {
    expect(await problem(code)).toEqual({ type: 'ended', why, message: errorTable[code].title, about: null });
  });

  it.each([
    ['token-used', { state: 'used', deleteAfter: '2026-06-20T23:00:00.000Z' }, 'enrolled'],
    ['token-used', { state: 'used' }, 'used'],
    ['token-used', { state: 'declined' }, 'declined'],
    ['invalid-credential', { state: 'revoked' }, 'invalid'],
    ['token-expired', { state: 'expired' }, 'expired'],
    ['enrolment-closed', { state: 'valid' }, 'closed'],
  ] as const)('%s of a token that is known: %o', async (code, known, why) => {
    const hall = {
      organiserName: 'Hall',
      eventName: 'Concert',
      privacyNoticeUrl: 'https://hall.example/',
      brand: null,
    };
    const about = { ...hall, ...known };
    expect(await problem(code, calls.session, { token: about })).toMatchObject({ type: 'ended', why, about });
  });

  it('for another wording asks for the consent again', async () => {
    expect(await problem('consent-version-mismatch')).toEqual({ type: 'wording-changed' });
  });

  it.each(['photo-in-progress', 'request-in-flight', 'rate-limited', 'overloaded', 'internal-error'] as const)(
    '%s is tried again',
    async (code) => {
      expect(await problem(code)).toMatchObject({ type: 'unreachable', kind: 'busy' });
    },
  );

  it('tells when to try again', async () => {
    const [event] = await ask(calls.enrol, () => json(503, {}, { 'Retry-After': '7' }));
    expect(event).toEqual({ type: 'unreachable', kind: 'busy', retryAfterMs: 7_000 });
    const date = new Date(Date.now() + 600_000).toUTCString();
    const [later] = await ask(calls.enrol, () => json(503, {}, { 'Retry-After': date }));
    expect(later.type === 'unreachable' && (later.retryAfterMs ?? 0) > 300_000).toBe(true);
    const [wrong] = await ask(calls.enrol, () => json(503, {}, { 'Retry-After': 'soon' }));
    expect(wrong).toMatchObject({ retryAfterMs: null });
  });

  const portal = (status: number) => () =>
    new Response('<p>Log in</p>', { status, headers: { 'Content-Type': 'text/html' } });
  it.each([
    ['a captive portal', portal(200)],
    ['a portal that refuses', portal(403)],
    ['half an answer', () => new Response('{"a', { status: 200, headers: { 'Content-Type': 'application/json' } })],
    ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ])('%s is no answer', async (_name, answer) => {
    for (const call of Object.values(calls)) {
      expect((await ask(call, answer))[0]).toEqual({ type: 'unreachable', kind: 'offline', retryAfterMs: null });
    }
  });

  it('is ignored after the request was aborted', async () => {
    const leave = new AbortController();
    const callService = createWidgetApi({
      baseUrl: new URL('https://api.example/'),
      token: 't',
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
          leave.abort();
        }),
    });
    const asked = callService(calls.session, leave.signal);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a preview', () => {
  it('asks for its session alone: no photo and no choice is sent', async () => {
    const sent: string[] = [];
    const callService = createWidgetApi({
      baseUrl: new URL('https://api.example'),
      token: 'svce_token',
      fetch: async (url) => {
        sent.push(new URL(String(url)).pathname);
        return json(200, { ...session, preview: true });
      },
    });
    const call = (one: Call) => callService(one, new AbortController().signal);
    expect(await call(calls.session)).toMatchObject({ type: 'session-read', session: { preview: true } });
    expect(await call(calls.enrol)).toEqual({ type: 'enrolled', deleteAfter: session.deleteAfter });
    expect(await call(calls.decline)).toEqual({ type: 'declined' });
    expect(await call({ to: 'undo-decline', key: 'key-2' })).toEqual({ type: 'decline-undone' });
    await call(calls.session);
    expect(sent).toEqual(['/v1/widget/session', '/v1/widget/session']);
  });
});

it('a test account is sent a drawn photo, whatever the camera saw', async () => {
  const sent: string[] = [];
  const callService = createWidgetApi({
    baseUrl: new URL('https://api.example'),
    token: 'svce_token',
    fetch: async (_url, init) => {
      sent.push(String(init?.body));
      return json(201, { deleteAfter: session.deleteAfter });
    },
  });
  const call = { ...calls.enrol, session: { ...session, mode: 'test' } } as const;
  await callService(call, new AbortController().signal);
  const drawn = Buffer.from(testPhoto('enrolled')).toString('base64');
  expect(JSON.parse(sent[0] ?? '')).toMatchObject({ imageBase64: drawn });
});
