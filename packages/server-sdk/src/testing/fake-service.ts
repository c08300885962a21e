import { createProblem, type ErrorCode, errorTable } from '@svc/protocol';
import { buildClient, type SvcClient } from '../client.ts';
import type { Platform, SvcClientOptions } from '../http.ts';

/** A request that was sent. */
export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | null;
  readonly form: FormData | null;
}

export type Reply = Response | Error | ((sent: Sent, signal: AbortSignal) => Promise<Response>);

export const apiKey = `svck_${'a'.repeat(49)}`;

/** A JSON answer. */
export const json = (body: unknown, status = 200): Response => Response.json(body, { status });

/** A problem answer of the service. */
export function problem(code: ErrorCode, headers: Record<string, string> = {}): Response {
  const body = JSON.stringify(createProblem(code, { requestId: 'req_1' }));
  const { status } = errorTable[code];
  return new Response(body, { status, headers: { 'Content-Type': 'application/problem+json', ...headers } });
}

/** Answers requests in order and records them; waits are recorded and take no time. */
export function createFakeService(
  replies: Reply[],
  options: Partial<SvcClientOptions> = {},
): { client: SvcClient; sent: Sent[]; waits: number[] } {
  const sent: Sent[] = [];
  const waits: number[] = [];
  let keys = 0;
  const platform: Platform = {
    now: () => Date.parse('2026-05-01T12:00:00Z'),
    random: () => 0.5,
    userAgent: 'svc-server-sdk/test',
    newIdempotencyKey: () => {
      keys += 1;
      return `key-${keys}`;
    },
    sleep(ms, signal) {
      waits.push(ms);
      return new Promise((resolve, reject) => {
        setTimeout(() => (signal?.aborted === true ? reject(signal.reason) : resolve()), 2);
      });
    },
  };
  const fake: typeof fetch = (input, init) => {
    const { method = 'GET', headers, body, signal } = init ?? {};
    const request: Sent = {
      method,
      url: new URL(String(input)),
      headers: new Headers(headers),
      body: typeof body === 'string' ? body : null,
      form: body instanceof FormData ? body : null,
    };
    sent.push(request);
    const reply = replies.shift();
    if (reply === undefined) return Promise.reject(new Error('more requests than replies'));
    if (reply instanceof Error) return Promise.reject(reply);
    if (typeof reply !== 'function') return Promise.resolve(reply);
    return reply(request, signal ?? new AbortController().signal);
  };
  const client = buildClient({ baseUrl: 'https://eu.example.com/', apiKey, fetch: fake, ...options }, platform);
  return { client, sent, waits };
}
