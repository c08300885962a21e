import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Problem } from '@svc/protocol';
import { CliError, exitCodes } from '../cli-error.ts';
import { print, remark } from '../output.ts';

interface Listening {
  readonly forwardTo: string;
  readonly url: string;
}

const POLL_MS = 1_000;
const ANSWER_MS = 15_000;
/** Answers of a proxy before a receiver that is not there. Any other is the receiver's own, and is not asked for twice. */
const RESTARTING: ReadonlySet<number> = new Set([502, 503, 504]);

type Pulled = { readonly items: readonly { readonly deliveryId: string; readonly body: string }[] };

/** The service does not answer, or asks to come again later. */
class Unavailable extends CliError {}

/** The service's webhooks. */
function serviceAt(url: string, apiKey: string) {
  return {
    /** @throws CliError, an {@link Unavailable} where a repeat may succeed */
    async ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
      const within = AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal === undefined ? [] : [signal])]);
      const headers = { 'X-Api-Key': apiKey, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
      const init = { method, headers, body: body === undefined ? null : JSON.stringify(body), signal: within };
      const answer = await fetch(new URL(`/v1/webhooks${path}`, url), init).catch(() => null);
      if (answer === null) throw new Unavailable('the service cannot be reached', exitCodes.environment);
      if (answer.ok) return (answer.status === 204 ? null : await answer.json()) as T;
      const { code } = (await answer.json().catch(() => ({ code: String(answer.status) }))) as Pick<Problem, 'code'>;
      const Failure = answer.status >= 500 || answer.status === 429 ? Unavailable : CliError;
      throw new Failure(`the service refused: ${code}`, exitCodes.environment);
    },
  };
}

/** The headers of Standard Webhooks for one attempt. */
function signed(secret: string, id: string, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const signature1 = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { 'Content-Type': 'application/json', ...signature1 };
}

/**
 * Makes a webhook whose notifications are fetched, passes them on one after the other until Ctrl-C, and removes it. What
 * the receiver does not take is sent again; nothing is lost while the receiver or the service restarts.
 */
export async function listenToWebhook({ forwardTo, url }: Listening): Promise<void> {
  const { SVC_API_KEY: apiKey } = process.env;
  if (apiKey === undefined) throw new CliError('SVC_API_KEY is not set: an API key of the account');
  const ended = new AbortController();
  const { signal } = ended;
  const end = () => ended.abort();
  for (const sign of ['SIGINT', 'SIGTERM'] as const) process.once(sign, end);
  const service = serviceAt(url, apiKey);
  const asked = { url: forwardTo, delivery: 'pull' };
  const { webhookId, secret } = await service.ask<{ webhookId: string; secret: string }>('POST', '', asked, signal);
  remark(`webhook ${webhookId}: passed on to ${forwardTo} until Ctrl-C; signed with`);
  print(secret);

  /** @returns whether it was taken */
  async function forward(deliveryId: string, body: string): Promise<boolean> {
    const { type } = JSON.parse(body) as { readonly type: string };
    const headers = signed(secret, deliveryId, body);
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const init = { method: 'POST', headers, body, redirect: 'manual', signal: within } as const;
    const answer = await fetch(forwardTo, init).catch(() => null);
    await answer?.body?.cancel();
    if (!signal.aborted) print(`${type}  ${answer?.status ?? 'no answer'}  ${deliveryId}`);
    return answer !== null && !RESTARTING.has(answer.status);
  }

  /** One request for what is pending, until one is not taken. @returns whether there may be more */
  async function passOn(taken: { deliveryId: string }[]): Promise<boolean> {
    const { items } = await service.ask<Pulled>('POST', `/${webhookId}/pull`, { taken }, signal);
    taken.length = 0;
    for (const { deliveryId, body } of items) {
      if (!(await forward(deliveryId, body))) return false;
      taken.push({ deliveryId });
    }
    return items.length > 0;
  }

  const taken: { deliveryId: string }[] = [];
  try {
    while (!signal.aborted) {
      const isMore = await passOn(taken).catch((error: unknown) => {
        if (signal.aborted || error instanceof Unavailable) return false;
        throw error;
      });
      if (!isMore) await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    for (const sign of ['SIGINT', 'SIGTERM'] as const) process.off(sign, end);
    await service.ask('DELETE', `/${webhookId}`).then(
      () => remark(`webhook ${webhookId}: removed`),
      () => remark(`webhook ${webhookId}: could not be removed; delete it in the dashboard`),
    );
  }
}
