import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSvcClient, isSvcApiError, isSvcConnectionError, type SvcClient } from '@svc/server-sdk';
import { CliError, exitCodes } from '../cli-error.ts';
import { print, remark } from '../output.ts';

interface Listening {
  readonly forwardTo: string;
  readonly url: string;
}

const POLL_MS = 1_000;
const ANSWER_MS = 15_000;
/** After as many answers that do not take it, a notification is given up, so that the others get through. */
const MAX_TRIES = 3;
/** A receiver that is not there, or a proxy before it: it is waited for, however long. */
const RESTARTING: ReadonlySet<number | string> = new Set(['no answer', 502, 503, 504]);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** @throws CliError for an address that a key must not be sent to, or for what is no key */
function clientOf(baseUrl: string, apiKey: string): SvcClient {
  try {
    return createSvcClient({ baseUrl, apiKey, timeoutMs: ANSWER_MS });
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error));
  }
}

/** What to say of a request that failed. */
function failureOf(error: unknown): unknown {
  if (isSvcApiError(error)) return new CliError(`the service refused: ${error.message}`, exitCodes.environment);
  if (!isSvcConnectionError(error)) return error;
  return new CliError(`the service cannot be reached: ${error.message}`, exitCodes.environment);
}

/** The headers of Standard Webhooks for one attempt. */
function signed(secret: string, id: string, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    ...{ 'Content-Type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp },
    'webhook-signature': `v1,${signature}`,
  };
}

/**
 * Makes a webhook whose notifications are fetched, passes them on one after the other until Ctrl-C, and removes it.
 * Nothing is lost while the receiver or the service restarts; what the receiver answers otherwise than 2xx, or too late,
 * is sent three times.
 */
export async function listenToWebhook({ forwardTo, url }: Listening): Promise<void> {
  const { SVC_API_KEY: apiKey } = process.env;
  if (apiKey === undefined) throw new CliError('SVC_API_KEY is not set: it must be an API key of the account');
  const client = clientOf(url, apiKey);
  const ended = new AbortController();
  const { signal } = ended;
  const end = () => ended.abort();
  for (const name of SIGNALS) process.on(name, end);

  /** @returns the status, or why there is none */
  async function forward(secret: string, deliveryId: string, body: string): Promise<number | string> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const init = { method: 'POST', headers: signed(secret, deliveryId, body), body, redirect: 'manual' } as const;
    const answer = await fetch(forwardTo, { ...init, signal: within }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status ?? (within.aborted ? 'too late' : 'no answer');
  }

  let taken: { deliveryId: string }[] = [];
  let tries = 0;
  /** One request for what is pending, until one is not taken. @returns whether there may be more */
  async function passOn(webhookId: string, secret: string): Promise<boolean> {
    const { items } = await client.pullWebhookEvents(webhookId, { taken }, { signal });
    taken = [];
    for (const { deliveryId, body } of items) {
      const status = await forward(secret, deliveryId, body);
      if (signal.aborted) return false;
      const { type } = JSON.parse(body) as { readonly type: string };
      print(`${type}  ${status}  ${deliveryId}`);
      if (RESTARTING.has(status)) return false;
      tries += 1;
      if (!(Number(status) >= 200 && Number(status) < 300) && tries < MAX_TRIES) return false;
      tries = 0;
      taken.push({ deliveryId });
    }
    return items.length > 0;
  }

  let webhookId: string | null = null;
  try {
    // Not called off by Ctrl-C: what it makes has to be removed.
    const created = await client.createWebhook({ url: forwardTo, delivery: 'pull' }, { maxRetries: 1 });
    webhookId = created.webhookId;
    remark(`webhook ${webhookId}: forwarding to ${forwardTo} until Ctrl-C; signed with`);
    print(created.secret);
    while (!signal.aborted) {
      const isMore = await passOn(webhookId, created.secret).catch((error: unknown) => {
        if (signal.aborted || ((isSvcApiError(error) || isSvcConnectionError(error)) && error.retryable)) return false;
        throw error;
      });
      if (!isMore) await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } catch (error) {
    throw failureOf(error);
  } finally {
    if (webhookId !== null) await remove(client, webhookId);
    for (const name of SIGNALS) process.off(name, end);
  }
}

/** Those that are gone already count as removed. */
async function remove(client: SvcClient, webhookId: string): Promise<void> {
  const failure = await client.deleteWebhook(webhookId, { maxRetries: 1 }).then(
    () => null,
    (error: unknown) => error,
  );
  const isGone = failure === null || (isSvcApiError(failure) && failure.code === 'not-found');
  remark(`webhook ${webhookId}: ${isGone ? 'removed' : 'could not be removed; delete it in the dashboard'}`);
}
