import { randomUUID } from 'node:crypto';
import { requestJson } from '@svc/api/testing';

/** Callers that enrol people one after another, and repeat each request until it is answered. */
export interface EnrolmentLoad {
  /** IDs of everybody whose enrolment was answered 201. */
  readonly acknowledged: ReadonlySet<string>;
  /** Answers that no caller may get: neither 201 nor 503 nor an Idempotency-Key that is still in use. */
  readonly unexpected: readonly string[];
  /** When a request that was begun after `ms` was first answered 201, in milliseconds; null for not yet. */
  firstSince(ms: number): number | null;
  stop(): Promise<void>;
}

const CALLERS = 4;
const PAUSE_MS = 20;
/** A caller does not wait for ever: the proxy in front of a deployment does not either. */
const LIMIT_MS = 10_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export function startEnrolmentLoad(url: string, apiKey: string, listId: string): EnrolmentLoad {
  const acknowledged = new Set<string>();
  const unexpected: string[] = [];
  const answered: { readonly begun: number; readonly at: number }[] = [];
  let isStopped = false;

  async function enrol(personId: string): Promise<void> {
    const key = randomUUID();
    const body = JSON.stringify({
      personId,
      imageBase64: Buffer.from('a face').toString('base64'),
      consent: {
        consentVersion: 'eu-v2',
        givenAt: new Date(Date.now() - 1_000).toISOString(),
        explicitBiometricConsent: true,
        writtenRelease: true,
      },
    });
    while (!isStopped) {
      const begun = performance.now();
      const answer = await requestJson<{ code?: string }>(`${url}/v1/lists/${listId}/people`, {
        method: 'POST',
        headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body,
        signal: AbortSignal.timeout(LIMIT_MS),
      }).catch(() => null);
      if (answer?.status === 201) {
        acknowledged.add(personId);
        answered.push({ begun, at: performance.now() });
        return;
      }
      const code = answer?.body?.code;
      if (answer !== null && answer.status !== 503 && code !== 'request-in-flight') {
        unexpected.push(`${answer.status} ${code}`);
      }
      await pause(PAUSE_MS);
    }
  }

  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let made = 0; !isStopped; made += 1) {
      await enrol(`ticket-${caller}-${made}`);
      await pause(PAUSE_MS);
    }
  });
  return {
    acknowledged,
    unexpected,
    firstSince: (ms) => answered.find(({ begun }) => begun >= ms)?.at ?? null,
    async stop() {
      isStopped = true;
      await Promise.all(callers);
    },
  };
}
