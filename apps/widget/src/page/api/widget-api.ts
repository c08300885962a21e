import {
  type EnrolledGuest,
  type ErrorCode,
  type HeldToken,
  type ImageFault,
  type Problem,
  photoRefusals,
  testPhoto,
  type WidgetSession,
} from '@svc/protocol';
import type { Refusal } from '../../ports.ts';
import type { Call, Ending, FlowEvent } from '../flow/state.ts';
import { guestEndpoints, guestRequest, sessionPath } from '../start/head-start.ts';

/** Endings for the service's refusals; any other permanent refusal is `failed`. */
const endingOf: Partial<Readonly<Record<ErrorCode, Ending>>> = {
  'token-used': 'used',
  'token-expired': 'expired',
  'token-exhausted': 'exhausted',
  'invalid-credential': 'invalid',
  'wrong-credential': 'invalid',
  'missing-credential': 'invalid',
  'list-ended': 'closed',
  'enrolment-closed': 'closed',
  'account-suspended': 'unavailable',
  'no-plan': 'unavailable',
  'plan-limit-reached': 'unavailable',
  'test-limit-reached': 'unavailable',
};
/** What a guest is told about a token that can no longer be used. */
function endingFor(code: ErrorCode, about: HeldToken | null): Ending {
  if (about?.state === 'declined') return 'declined';
  if (about?.state === 'used' && about.deleteAfter !== undefined) return 'enrolled';
  return endingOf[code] ?? 'failed';
}

const refusalOf: Readonly<Record<ImageFault, Refusal>> = {
  format: 'format',
  dimensions: 'too-large',
  damaged: 'image-invalid',
  time: 'too-large',
};

/** Errors after which another try may succeed, whatever the status. */
const passing: ReadonlySet<string> = new Set([
  'photo-in-progress',
  'request-in-flight',
  'rate-limited',
] satisfies ErrorCode[]);

/** Seconds, or a date (RFC 9110 section 10.2.3). @returns null if the header is missing or invalid */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('Retry-After');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/**
 * The event that a refusal of the service causes.
 * @param problem its body; null if the answer is not the service's, as from a captive portal
 */
function eventOfProblem(status: number, headers: Headers, problem: Problem | null): FlowEvent {
  if (status >= 500 || status === 408 || status === 429 || passing.has(problem?.code ?? '')) {
    return { type: 'unreachable', kind: 'busy', retryAfterMs: retryAfterMs(headers) };
  }
  if (problem === null) return { type: 'unreachable', kind: 'offline', retryAfterMs: null };
  if (problem.code === 'consent-version-mismatch') return { type: 'wording-changed' };
  const code = photoRefusals.find((each) => each === problem.code);
  if (code !== undefined) {
    const refusal = problem.reason === undefined ? code : refusalOf[problem.reason];
    return { type: 'photo-refused', refusal, attemptsLeft: problem.attemptsLeft ?? 0 };
  }
  const about = problem.token ?? null;
  return { type: 'ended', why: endingFor(problem.code, about), message: problem.title, about };
}

/** Longer than a photo waits in the queue and is processed; after this time the network counts as lost. */
const TIMEOUT_MS = 60_000;
/** Maximum number of arguments to `String.fromCharCode` that every browser supports. */
const CHUNK_BYTES = 0x8000;

async function toBase64(photo: Blob): Promise<string> {
  const bytes = new Uint8Array(await photo.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  bytes.fill(0);
  return btoa(text);
}

async function requestOf(call: Call): Promise<{ path: string; init: RequestInit; key?: string }> {
  switch (call.to) {
    case 'session':
      return { path: sessionPath(call.language), init: {} };
    case 'enrol': {
      const { consentVersion, language, wordingSha256, mode } = call.session;
      // In a test account nobody's picture leaves the browser: a drawn one stands for it.
      const imageBase64 = await toBase64(mode === 'test' ? new Blob([testPhoto('enrolled')]) : call.photo.jpeg);
      const consent = { consentVersion, ...call.boxes };
      const photoSource = call.photo.source;
      const body = JSON.stringify({ consent, language, wordingSha256, imageBase64, photoSource });
      const headers = { 'Content-Type': 'application/json' };
      return { path: 'enrolments', init: { method: 'POST', headers, body }, key: call.photo.key };
    }
    case 'decline':
      return { path: 'decline', init: { method: 'POST' }, key: call.key };
    case 'undo-decline':
      return { path: 'decline/undo', init: { method: 'POST' }, key: call.key };
  }
}

function eventOf(call: Call, body: unknown): FlowEvent {
  switch (call.to) {
    case 'session':
      return { type: 'session-read', session: body as WidgetSession };
    case 'enrol':
      return { type: 'enrolled', deleteAfter: (body as Pick<EnrolledGuest, 'deleteAfter'>).deleteAfter };
    case 'decline':
      return { type: 'declined' };
    case 'undo-decline':
      return { type: 'decline-undone' };
  }
}

const offline: FlowEvent = { type: 'unreachable', kind: 'offline', retryAfterMs: null };
const isJson = (response: Response) =>
  /^application\/(problem\+)?json\b/.test(response.headers.get('Content-Type') ?? '');

/** Resolves to the resulting event, errors included. @throws DOMException `AbortError` if the signal aborts */
export type CallService = (call: Call, signal: AbortSignal) => Promise<FlowEvent>;

/**
 * The endpoints open to a guest's token.
 * @param o.baseUrl the API's address, without `/v1`
 * @param o.token sent in a header only
 */
export function createWidgetApi(o: {
  readonly baseUrl: URL;
  readonly token: string;
  readonly fetch?: typeof fetch;
}): CallService {
  const send = o.fetch ?? fetch.bind(globalThis);
  const root = guestEndpoints(o.baseUrl);
  const common = guestRequest(o.token);

  let session: WidgetSession | null = null;

  async function ask(call: Call, signal: AbortSignal): Promise<FlowEvent> {
    // In a preview every photo is good, and none leaves the browser.
    if (session?.preview && call.to !== 'session') return eventOf(call, session);
    const { path, init, key } = await requestOf(call);
    const response = await send(new URL(path, root), {
      ...init,
      ...common,
      headers: { ...init.headers, ...common.headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
      signal,
    });
    const body: unknown = isJson(response) ? await response.json() : null;
    if (!response.ok) return eventOfProblem(response.status, response.headers, body as Problem | null);
    // A proxy or captive portal answered instead of the service.
    if (body === null && response.status !== 204) return offline;
    const event = eventOf(call, body);
    if (event.type === 'session-read') session = event.session;
    return event;
  }

  return async (call, signal) => {
    const ended = new AbortController();
    const end = () => ended.abort();
    signal.addEventListener('abort', end);
    const timer = setTimeout(end, TIMEOUT_MS);
    try {
      return await ask(call, ended.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return offline;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  };
}
