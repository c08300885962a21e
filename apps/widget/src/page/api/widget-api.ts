import type { EnrolledGuest, Problem, WidgetSession } from '@svc/protocol';
import type { Call, FlowEvent } from '../flow/events.ts';
import { eventOfProblem } from './answer.ts';

/** Longer than a photo waits for its place and is looked at; whoever is not answered by then has lost the network. */
const TIMEOUT_MS = 60_000;
/** What one call of `String.fromCharCode` can take everywhere. */
const CHUNK_BYTES = 0x8000;

/** The service, as far as a guest's token goes. */
export interface WidgetApi {
  /** Resolves to what came of it, whatever that is. @throws DOMException `AbortError`, by the signal alone */
  call(call: Call, signal: AbortSignal): Promise<FlowEvent>;
}

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
    case 'session': {
      const query = call.language === null ? '' : `?${new URLSearchParams({ language: call.language })}`;
      return { path: `session${query}`, init: {} };
    }
    case 'enrol': {
      const { consentVersion, language, wordingSha256 } = call.session;
      const imageBase64 = await toBase64(call.photo.jpeg);
      const consent = { consentVersion, ...call.boxes };
      const photoSource = call.photo.source;
      const body = JSON.stringify({ consent, language, wordingSha256, imageBase64, photoSource });
      const headers = { 'Content-Type': 'application/json' };
      return { path: 'enrolments', init: { method: 'POST', headers, body }, key: call.photo.key };
    }
    case 'decline':
      return { path: 'decline', init: { method: 'POST' }, key: call.key };
  }
}

function eventOf(call: Call, body: unknown): FlowEvent {
  switch (call.to) {
    case 'session':
      return { type: 'session-read', session: body as WidgetSession };
    case 'enrol':
      return { type: 'enrolled', deleteAfter: (body as EnrolledGuest).deleteAfter };
    case 'decline':
      return { type: 'declined' };
  }
}

const offline: FlowEvent = { type: 'unreachable', kind: 'offline', retryAfterMs: null };
const isJson = (response: Response) =>
  /^application\/(problem\+)?json\b/.test(response.headers.get('Content-Type') ?? '');

/**
 * @param o.baseUrl the API's address, without `/v1`
 * @param o.token goes into a header, and nowhere else
 */
export function createWidgetApi(o: {
  readonly baseUrl: URL;
  readonly token: string;
  readonly fetch?: typeof fetch;
}): WidgetApi {
  const send = o.fetch ?? fetch.bind(globalThis);
  const root = new URL('v1/widget/', `${o.baseUrl.href.replace(/\/+$/, '')}/`);

  async function ask(call: Call, signal: AbortSignal): Promise<FlowEvent> {
    const { path, init, key } = await requestOf(call);
    const response = await send(new URL(path, root), {
      ...init,
      headers: {
        ...init.headers,
        Accept: 'application/json',
        Authorization: `Bearer ${o.token}`,
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      signal,
    });
    const body: unknown = isJson(response) ? await response.json() : null;
    if (!response.ok) return eventOfProblem(response.status, response.headers, body as Problem | null);
    // Somebody on the way answers in the place of the service.
    if (body === null && response.status !== 204) return offline;
    return eventOf(call, body);
  }

  return {
    async call(call, signal) {
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
    },
  };
}
