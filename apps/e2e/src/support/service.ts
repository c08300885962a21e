import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeInference, startTestApi, startTestPostgres, type TestApi, testEngines } from '@svc/api/testing';
import { SyncDevice } from '@svc/benchmarks/inputs/sync-device';
import type { AddedDevice } from '@svc/protocol';
import { inject } from 'vitest';

/** As a shell reports SIGINT. */
const INTERRUPTED = 130;
const PARENT_POLL_MS = 500;

/** The PostgreSQL of this run: Playwright's global setup leaves it in the environment, vitest's provides it. */
export function postgresOfRun(): Parameters<typeof startTestApi>[0] {
  const { SVC_TEST_POSTGRES: given } = process.env;
  return given === undefined ? inject('postgres') : JSON.parse(given);
}

/** Resolves at Ctrl-C, a signal to end, or the end of the program that started this one, which passes them on. */
function interruption(): Promise<void> {
  const { ppid } = process;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    setInterval(() => process.ppid !== ppid && resolve(), PARENT_POLL_MS).unref();
  });
}

/**
 * Works with a PostgreSQL and a temporary folder of its own, outside of test runners. When it is interrupted, at any
 * moment, it ends at once, and leaves no more behind than at its end.
 */
export async function withPostgres(work: () => Promise<void>): Promise<void> {
  const interrupted = interruption();
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
  // The server may run as another user.
  await chmod(folder, 0o711);
  process.env.TMPDIR = folder;
  const starting = startTestPostgres();
  const working = starting.then(({ target }) => {
    process.env.SVC_TEST_POSTGRES = JSON.stringify(target);
    return work();
  });
  let exitCode: number | undefined;
  try {
    exitCode = await Promise.race([working.then(() => undefined), interrupted.then(() => INTERRUPTED)]);
  } finally {
    if (exitCode !== undefined) {
      process.stdout.write('\ninterrupted: removing what was made\n');
      // What still works is cut off from its database: it fails, and ends with the process.
      process.stdout.write = () => true;
      process.on('uncaughtException', () => undefined);
    }
    const postgres = await starting.catch(() => null);
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (exitCode !== undefined) process.exit(exitCode);
}

/** A device of this token that only syncs. */
export const syncDeviceOf = ({ url, admin }: Pick<TestApi, 'url' | 'admin'>, token: string): SyncDevice =>
  new SyncDevice({ url, signingKey: admin.region().signingKey }, token);

/** Something that is waited for until a test lets it come. */
export function signal(): { readonly came: Promise<void>; come(): void } {
  let come = () => {};
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come: () => come() };
}

/** A request that enrols. @param photo an image; for the fake inference a text */
export const enrolBody = (personId: string, photo: Uint8Array | string, consent: object = {}) => ({
  personId,
  imageBase64: Buffer.from(photo).toString('base64'),
  consent: {
    ...{ consentVersion: 'eu-v2', givenAt: new Date().toISOString() },
    ...{ explicitBiometricConsent: true, writtenRelease: true, ...consent },
  },
});

type ApiParts = NonNullable<Parameters<typeof startTestApi>[1]>;

/**
 * A service with one organiser, called as the organiser's server does.
 * @param o.clock with it photos are texts of the fake inference, instead of the service's own engine
 * @param o.environment settings of the API besides the default test settings
 * @param o.mount routes before the pages
 */
export async function startService({
  clock,
  environment = {},
  mount = () => {},
}: {
  readonly clock?: { now(): number };
  readonly environment?: Readonly<Record<string, string>>;
  readonly mount?: NonNullable<ApiParts['mount']>;
} = {}) {
  const faked = clock && { clock, createInference: createFakeInference, engines: testEngines() };
  // Capacity for several requests at once: an account gets about half of the places.
  const places = { SVC_INFERENCE_WORKERS: '1', SVC_INFERENCE_QUEUE: '15' };
  const api = await startTestApi(postgresOfRun(), { ...faked, mount }, { ...places, ...environment });
  const customer = await api.customer({ country: 'DE' });
  /** @returns the body of an answer @throws Error for one that is not 2xx */
  async function call<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
    const answer = await customer.request<T>(method, path, body);
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const addDevice = (listId: string, request?: object) =>
    call<AddedDevice>('POST', `/v1/lists/${listId}/devices`, request);
  return {
    ...{ api, url: api.url, customer, call, addDevice },
    /** As a device pins it first. */
    get region() {
      return { baseUrl: api.url, signingKeys: [api.admin.region().signingKey] as const };
    },
    /** Default: an ongoing list. @returns its id */
    async createList(request: object = { name: 'Members', ongoing: true }) {
      return (await call<{ listId: string }>('POST', '/v1/lists', request)).listId;
    },
    enrol: (listId: string, personId: string, photo: Uint8Array | string = 'a face') => {
      const givenAt = new Date(clock?.now() ?? Date.now()).toISOString();
      const body = enrolBody(personId, photo, { givenAt });
      return customer.request<Record<string, unknown>>('POST', `/v1/lists/${listId}/people`, body);
    },
    revoke: (listId: string, deviceId: string) => call<void>('DELETE', `/v1/lists/${listId}/devices/${deviceId}`),
    /** The template that a device would compare with, as stored. */
    async templateOf(listId: string, personId: string): Promise<Float32Array> {
      const device = syncDeviceOf(api, (await addDevice(listId)).token);
      const [template] = await device.openPeople(await device.sync(), [personId]);
      return template ?? new Float32Array();
    },
    close: () => api.close(),
  };
}
export type Service = Awaited<ReturnType<typeof startService>>;
