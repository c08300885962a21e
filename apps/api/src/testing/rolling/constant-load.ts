import { enrolBody } from '../enrolment-fixture.ts';
import { createManualClock, sendJson } from '../test-api.ts';
import { askSync, newDeviceKey } from '../test-device.ts';

/** Callers without pauses: some enrol, some sync, some read. */
export interface ConstantLoad {
  /** Expected answers. */
  readonly answered: { enrolled: number; synced: number; read: number };
  /** All other outcomes as text. */
  readonly failures: readonly string[];
  /** People whose enrolment was answered with 201. */
  readonly enrolled: ReadonlySet<string>;
  /** Stops after the requests in progress. */
  stop(): Promise<void>;
}

const CALLERS_OF_A_KIND = 2;

/**
 * @param url of the service @param apiKey of an account without limits @param photo of everybody who is enrolled
 */
export async function startConstantLoad(url: string, apiKey: string, photo: Uint8Array): Promise<ConstantLoad> {
  const answered = { enrolled: 0, synced: 0, read: 0 };
  const failures: string[] = [];
  const enrolled = new Set<string>();
  const clock = createManualClock();
  const imageBase64 = Buffer.from(photo).toString('base64');
  let isStopped = false;

  const call = (method: string, path: string, body?: unknown) =>
    sendJson<Record<string, string>>(url + path, method, body, { 'X-Api-Key': apiKey });
  const list = await call('POST', '/v1/lists', { name: 'Members', ongoing: true, country: 'DE' });
  const people = `/v1/lists/${list.body.listId}/people`;
  const devices = `/v1/lists/${list.body.listId}/devices`;

  async function enrol(personId: string): Promise<number> {
    const body = { ...enrolBody(clock, { personId }), imageBase64 };
    const { status } = await call('POST', people, body);
    if (status === 201) enrolled.add(personId);
    return status;
  }

  async function openDevice(): Promise<() => Promise<number>> {
    const { id = '', token = '' } = (await call('POST', devices)).body;
    const device = { id, token, pair: newDeviceKey() };
    return async () => {
      const answer = await askSync({ url }, device);
      await answer.arrayBuffer();
      return answer.status;
    };
  }

  async function repeat(kind: keyof typeof answered, expected: number, once: () => Promise<number>): Promise<void> {
    while (!isStopped) {
      const outcome = await once().catch((error: unknown) => describe(error));
      if (outcome === expected) answered[kind] += 1;
      else failures.push(`${kind}: ${outcome}`);
    }
  }

  const callers: Promise<void>[] = [];
  for (let caller = 0; caller < CALLERS_OF_A_KIND; caller += 1) {
    let made = 0;
    const enrolNext = () => {
      made += 1;
      return enrol(`ticket-${caller}-${made}`);
    };
    const sync = await openDevice();
    callers.push(
      repeat('enrolled', 201, enrolNext),
      repeat('synced', 200, sync),
      repeat('read', 200, async () => (await call('GET', `${people}?limit=1`)).status),
    );
  }
  return {
    answered,
    failures,
    enrolled,
    async stop() {
      isStopped = true;
      await Promise.all(callers);
    },
  };
}

/** An error with its causes, since `fetch` hides them. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  return `${error.message}${code}${error.cause === undefined ? '' : `: ${describe(error.cause)}`}`;
}
