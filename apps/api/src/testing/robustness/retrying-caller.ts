import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, requestJson } from '../test-api.ts';

/** The parsed body of an answer. */
export type Body = Readonly<Record<string, unknown>> | null;

/** Codes that ask to repeat the request later. */
const LATER = new Set(['request-in-flight', 'photo-in-progress']);
const PAUSE_MS = 15;
const LIMIT_MS = 60_000;

/** A request to send. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a request until it is answered conclusively, that is, not with a lost connection, 503 or «still in flight».
 * @param urls URLs of the running nodes
 * @param found called for answers that must never occur
 * @throws Error when there is no answer within a minute
 */
export async function sendWithRetries(
  sent: Sent,
  urls: () => readonly string[],
  found: (finding: string) => void,
): Promise<Answer<Body> & { readonly tries: number }> {
  const deadline = performance.now() + LIMIT_MS;
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    const known = urls();
    const url = known[tries % Math.max(1, known.length)];
    const answer = url === undefined ? null : await sendOnce(url, sent).catch(() => null);
    const code = typeof answer?.body?.code === 'string' ? answer.body.code : '';
    if (answer !== null && answer.status >= 500 && answer.status !== 503) {
      found(`${sent.method} ${withoutIds(sent.path)} was answered ${answer.status} ${code}`);
    }
    if (answer !== null && answer.status < 500 && !LATER.has(code)) return { ...answer, tries };
    await sleep(PAUSE_MS);
  }
  throw new Error(`no answer for a minute: ${sent.method} ${withoutIds(sent.path)}`);
}

function sendOnce(url: string, { method, path, body, headers }: Sent): Promise<Answer<Body>> {
  return requestJson<Body>(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  });
}

const withoutIds = (path: string) => path.replaceAll(/\/(?!v1)[^/?]*[0-9_][^/?]*/g, '/…');
