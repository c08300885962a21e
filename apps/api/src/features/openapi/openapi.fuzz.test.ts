import { randomInt } from 'node:crypto';
import { buildOpenApiDocument, isStream, type Operation, operations } from '@svc/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { Known } from '../../testing/fuzz/known.ts';
import { type Plan, plans } from '../../testing/fuzz/plans.ts';
import {
  agent,
  type Caller,
  NO_ANSWER,
  render,
  send,
  type WireAnswer,
  type WireRequest,
} from '../../testing/fuzz/send.ts';
import { FUZZ_START_MS } from '../../testing/fuzz/values.ts';
import { createTenant } from '../../testing/tenant.ts';
import { createLogSink, createManualClock, oneNodeOnly, startTestApi, type TestApi } from '../../testing/test-api.ts';

/** `SVC_TEST_API_FUZZ_REQUESTS` for a longer run with a new seed; `SVC_TEST_FUZZ_SEED` repeats a run. */
const REQUESTS = Number(process.env.SVC_TEST_API_FUZZ_REQUESTS ?? 2_000);
const SEED = Number(process.env.SVC_TEST_FUZZ_SEED ?? (REQUESTS > 2_000 ? randomInt(2 ** 31) : 20_261_121));
const AT_ONCE = 20;
/** Number of complaints after which the run ends. */
const ENOUGH = 10;
const MANY = '100000000';
const LIMITS = {
  SVC_RATE_LIMIT_API_KEY: MANY,
  SVC_RATE_LIMIT_GUEST_TOKEN: MANY,
  SVC_RATE_LIMIT_DEVICE: MANY,
  SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS: MANY,
};

const clock = createManualClock(FUZZ_START_MS);
const log = createLogSink();
let api: TestApi;
let callers: [Caller, Caller];

const newCaller = async (): Promise<Caller> => {
  const tenant = await createTenant(api, clock.now());
  return { tenant, known: new Known(tenant) };
};

beforeAll(async () => {
  const parts = { createInference: createFakeInference, clock, logDestination: log };
  const oneNode = oneNodeOnly('how it answers what hardly is HTTP');
  api = await startTestApi(inject('postgres'), parts, { ...LIMITS, ...oneNode });
  callers = [await newCaller(), await newCaller()];
});
afterAll(async () => {
  agent.destroy();
  await api.close();
});

interface Exchange {
  readonly plan: Plan;
  readonly caller: Caller;
  readonly other: Caller;
  readonly wire: WireRequest;
}

function learn({ caller, wire }: Exchange, answer: WireAnswer): void {
  if (answer.status >= 300 || !answer.mediaType.startsWith('application/json')) return;
  const isOwn = Object.values(wire.headers).some((value) => value.includes(caller.tenant.customer.apiKey));
  if (isOwn && wire.method !== 'HEAD') caller.known.learn(JSON.parse(answer.text));
}

/** The service's log of a failed request. */
function loggedOf(problem: string): string {
  const requestId = /req_[\w-]+/.exec(problem)?.[0] ?? problem;
  const lines = log.text.split('\n').filter((line) => line.includes(requestId) && line.includes('failed'));
  return lines.join('\n').slice(0, 1_500);
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
ajv.addSchema(buildOpenApiDocument(), 'openapi');
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Whether a body violates the document's schema, or is not JSON. */
function breaksItsSchema({ path, method }: Operation, body: Uint8Array): boolean {
  const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
  const $ref = `openapi#/${pointer.map(escaped).join('/')}`;
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $id: $ref, $ref });
  try {
    return !validate(JSON.parse(Buffer.from(body).toString()));
  } catch {
    return true;
  }
}

/** A problem without what it tells the holder of a token: the names that the token's page shows. */
function withoutToken(problem: string): string {
  try {
    return JSON.stringify({ ...JSON.parse(problem), token: undefined });
  } catch {
    return problem;
  }
}

/** Violations of rules for every answer, whatever the request. */
function complaintsAbout({ plan, caller, other, wire }: Exchange, answer: WireAnswer): string[] {
  const complaints: string[] = [];
  const busy = answer.status === 503 && /"code":"(overloaded|not-ready)"/.test(answer.text);
  if (answer.status >= 500 && !busy) complaints.push(`answered ${answer.status}: ${loggedOf(answer.text)}`);
  if (answer.status >= 400 && !answer.mediaType.startsWith('application/problem+json')) {
    complaints.push(`answered ${answer.status} as ${answer.mediaType}`);
  }
  const { operation, body } = plan;
  const isRead = operation.request !== undefined && wire.body !== null && wire.body.length > 0;
  const isWhole = body?.text !== 'short-length' && wire.method === operation.method.toUpperCase();
  if (answer.status < 300 && isRead && isWhole) {
    judged += 1;
    if (breaksItsSchema(operation, wire.body)) complaints.push('took a body that its schema refuses');
  }
  const presented = Object.values(wire.headers).join(' ');
  const isTheirs = plan.credential === 'foreign';
  const owner = isTheirs ? other : caller;
  const stranger = isTheirs ? caller : other;
  // An operation that creates something echoes its input, which may contain the stranger's data.
  const isEcho = plan.foreign || wire.body?.includes(stranger.tenant.canary) === true;
  if (!isEcho && answer.text.includes(stranger.tenant.canary)) complaints.push('showed another tenant’s data');
  if (answer.status >= 400 && !isEcho && !isTheirs && withoutToken(answer.text).includes(owner.tenant.canary)) {
    complaints.push('echoed input in an error');
  }
  if (presented.includes('svc') && /svc[kedsl]_[0-9A-Za-z]{49}/.test(answer.text) && answer.status >= 400) {
    complaints.push('showed a secret in an error');
  }
  return complaints;
}

/** Runs a batch concurrently; the application compares each answer with the document. */
async function run(batch: readonly Plan[]): Promise<string[]> {
  const exchanges = batch.map((plan): Exchange => {
    const [caller, other] = plan.tenant === 0 ? callers : [callers[1], callers[0]];
    return { plan, caller, other, wire: render(plan, caller, other) };
  });
  const answers = await Promise.allSettled(exchanges.map(({ wire }) => send(api.url, wire)));
  const complaints = exchanges.flatMap((exchange, i) => {
    const answer = answers[i];
    const { method, path, body } = exchange.wire;
    const what = `${exchange.plan.operation.operationId}: ${method} ${path.slice(0, 300)} ${body?.toString().slice(0, 300) ?? ''}`;
    if (answer?.status !== 'fulfilled') {
      // Bytes beyond a too short length are no valid request: the connection is closed, at once or after an error
      // answer.
      const isCut = exchange.plan.body?.text === 'short-length' && answer?.reason !== NO_ANSWER;
      return isCut ? [] : [`${what}\n  ${String(answer?.reason)}`];
    }
    statuses.set(answer.value.status, (statuses.get(answer.value.status) ?? 0) + 1);
    if (answer.value.status < 300) succeeded.add(exchange.plan.operation.operationId);
    learn(exchange, answer.value);
    return complaintsAbout(exchange, answer.value).map((complaint) => `${what}\n  ${complaint}`);
  });
  const violations = [...api.violations].filter((violation) => !seen.has(violation));
  for (const violation of violations) seen.add(violation);
  return [...complaints, ...violations];
}

/** Number of accepted bodies. */
let judged = 0;
const statuses = new Map<number, number>();
const succeeded = new Set<string>();
const seen = new Set<string>();

it(
  `${REQUESTS} requests made of the document`,
  async () => {
    process.stdout.write(`openapi.fuzz: seed ${SEED}, ${REQUESTS} requests\n`);
    const arbitrary = plans();
    const complaints: string[] = [];
    let sent = 0;
    for (let chunk = 0; sent < REQUESTS && complaints.length < ENOUGH; chunk += 1) {
      const planned = fc.sample(arbitrary, { seed: SEED + chunk, numRuns: Math.min(1_000, REQUESTS - sent) });
      for (let i = 0; i < planned.length && complaints.length < ENOUGH; i += AT_ONCE) {
        const found = await run(planned.slice(i, i + AT_ONCE));
        complaints.push(...found.map((complaint) => `request ${sent + i} to +${AT_ONCE}: ${complaint}`));
      }
      sent += planned.length;
      // New callers, as requests on deleted resources would only get 404.
      callers = [await newCaller(), callers[0]];
      clock.advance(60_000);
    }
    expect(complaints, `SVC_TEST_FUZZ_SEED=${SEED}`).toEqual([]);
    const counted = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`);
    process.stdout.write(`openapi.fuzz: ${counted.join(', ')}\n`);
    // A fuzzer whose requests never succeed would prove nothing.
    const never = operations
      // What signs in needs a link or a passkey, which no generator has.
      .filter((o) => !isStream(o) && !o.signsIn)
      .map(({ operationId }) => operationId)
      .filter((operationId) => !succeeded.has(operationId));
    process.stdout.write(`openapi.fuzz: never succeeded: ${never.join(', ') || 'none'}\n`);
    expect(never.length).toBeLessThan(operations.length / 4);
    expect(judged).toBeGreaterThan(REQUESTS / 50);
  },
  60_000 + REQUESTS * 60,
);
