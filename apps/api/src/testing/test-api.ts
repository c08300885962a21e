import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { engineRecipes, versionsOf } from '@svc/face-models';
import type { RequestHandler } from 'express';
import type pg from 'pg';
import { type Admin, openAdmin } from '../compose/operator.ts';
import type { ApiParts } from '../compose/parts.ts';
import { type RunningApi, startApi } from '../compose/start-api.ts';
import { type ApiConfig, readConfig } from '../config/config.ts';
import type { NewAccount } from '../features/accounts/service.ts';
import type { NewPlan } from '../features/usage/service.ts';
import { createEngines, type Engines } from '../inference/engines.ts';
import { missingHeaders, type ObservedAnswer, OpenApiContract, observeAnswers } from './openapi-contract.ts';
import { createMigratedDatabase, servingUrl } from './postgres.ts';
import { startProxy } from './proxy.ts';

/** A clock set by a test. */
export interface ManualClock {
  now(): number;
  advance(ms: number): void;
}

export function createManualClock(startMs = Date.now()): ManualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
  };
}

/** Collects log output. */
export function createLogSink(): Pick<Writable, 'write'> & { readonly text: string } {
  const lines: string[] = [];
  return {
    write(line: unknown) {
      lines.push(String(line));
      return true;
    },
    get text() {
      return lines.join('');
    },
  };
}

export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** A customer: an account with a key, and requests with it. */
export interface TestCustomer {
  readonly accountId: string;
  readonly apiKey: string;
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    init?: RequestInit,
  ): Promise<Answer<T>>;
}

export interface TestApi {
  readonly url: string;
  readonly config: ApiConfig;
  /** The database for the role that owns its tables: the API itself serves without its rights. */
  readonly ownerUrl: string;
  readonly running: RunningApi;
  readonly admin: Admin;
  customer(o?: Omit<Partial<NewAccount>, 'plan'> & { plan?: NewPlan | null }): Promise<TestCustomer>;
  /** Differences of the answers so far from the OpenAPI document, and missing common headers. */
  readonly violations: Set<string>;
  /** @throws Error when there were violations */
  close(): Promise<void>;
}

/** Sends and receives JSON; an answer without a body is null. */
export async function requestJson<T>(url: string, init: RequestInit): Promise<Answer<T>> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : null) as T };
}

/** Sends JSON, or a text as it is. */
export const sendJson = <T>(
  url: string,
  method: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  init: RequestInit = {},
): Promise<Answer<T>> =>
  requestJson<T>(url, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...init,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
  });

/** Tests send more than the limits permit; tests of the limits set their own. */
const NO_RATE_LIMITS = {
  SVC_RATE_LIMIT_API_KEY: '0',
  SVC_RATE_LIMIT_GUEST_TOKEN: '0',
  SVC_RATE_LIMIT_DEVICE: '0',
  SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS: '0',
  SVC_RATE_LIMIT_SIGN_IN: '0',
  SVC_RATE_LIMIT_PAYLOADS: '0',
};

/** Reading the built pages takes a tenth of a second. */
const pagesIn = (folder: string) =>
  Object.fromEntries(['DASHBOARD', 'KIOSK', 'MANUAL', 'WIDGET'].map((page) => [`SVC_${page}_DIR`, folder]));
const NO_PAGES = pagesIn('/nowhere');
/** Settings with which the service serves the pages that were built. */
export const BUILT_PAGES = pagesIn('');

/**
 * Settings for tests of one node's memory or HTTP behaviour, which need a single node even in runs with several.
 * @param _why what is specific to one node
 */
export const oneNodeOnly = (_why: string) => ({ SVC_TEST_NODES: '1' });

/** Starts several complete nodes on one database, behind a proxy that distributes requests in turn. */
async function startNodes(count: number, config: ApiConfig, parts: ApiParts): Promise<RunningApi> {
  const first = await startApi(config, parts);
  if (count === 1) return first;
  const nodes = [first];
  while (nodes.length < count) nodes.push(await startApi(config, parts));
  const proxy = await startProxy(
    nodes.map((node) => node.url),
    () => true,
  );
  return {
    ...first,
    url: proxy.url,
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
      await proxy.close();
    },
  };
}

/** A deployment that can send mail; without jobs none is sent. */
const noMail = { send: () => Promise.reject(new Error('a test sends no mail')) };

/** One per process, as compiling the document is slow. */
let contract: OpenApiContract | undefined;

/**
 * The whole API on a database of its own, without pages: one node, or `SVC_TEST_NODES` behind a proxy. Parts such as the inference are
 * created per node.
 */
export async function startTestApi(
  postgres: pg.ClientConfig,
  parts: ApiParts = {},
  environment: Record<string, string> = {},
): Promise<TestApi> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'svc-api-'));
  const nodes = Number(environment.SVC_TEST_NODES ?? process.env.SVC_TEST_NODES ?? 1);
  const ownerUrl = environment.DATABASE_URL ?? (await createMigratedDatabase(postgres));
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'info',
    // Background work would disturb tests of other things.
    SVC_JOBS: 'off',
    DATABASE_URL: environment.DATABASE_URL ?? servingUrl(ownerUrl),
    SVC_DATA_DIR: dataDirectory,
    // No models, whatever is installed on this machine.
    SVC_MODELS_DIR: join(dataDirectory, 'models'),
    // One node's number in total, as other tests run concurrently.
    SVC_DATABASE_CONNECTIONS: String(Math.ceil(10 / nodes)),
    ...NO_RATE_LIMITS,
    ...NO_PAGES,
    ...environment,
  });
  const violations = new Set<string>();
  contract ??= new OpenApiContract();
  const document = contract;
  const check = (answer: ObservedAnswer) => [...document.check(answer), ...missingHeaders(answer)];
  const holdAgainstDocument = observeAnswers({ check }, violations);
  const observe: RequestHandler = (request, response, next) => {
    holdAgainstDocument(request, response, () => (parts.observe ? parts.observe(request, response, next) : next()));
  };
  const running = await startNodes(nodes, config, {
    logDestination: createLogSink(),
    ...(config.mail === null ? { mail: noMail } : {}),
    ...parts,
    observe,
  });
  const admin = await openAdmin(config, parts);
  return {
    url: running.url,
    config,
    ownerUrl,
    running,
    admin,
    async customer({ plan = 'pilot', ...o } = {}) {
      const asked = { name: 'Test', billingCurrency: 'EUR', ...o, plan: plan ?? undefined };
      const account = await admin.accounts.create(asked);
      const { apiKey } = await admin.keys.create(account.accountId, 'test');
      return {
        accountId: account.accountId,
        apiKey,
        request(method, path, body, init = {}) {
          const headers = { 'X-Api-Key': apiKey, ...(init.headers as Record<string, string> | undefined) };
          return sendJson(running.url + path, method, body, headers, init);
        },
      };
    },
    violations,
    async close() {
      await admin.close();
      await running.close();
      await rm(dataDirectory, { recursive: true, force: true });
      if (violations.size > 0) {
        throw new Error(`answers that the OpenAPI document does not have:\n${[...violations].join('\n')}`);
      }
    },
  };
}

const [preferred, base] = engineRecipes;

/** The engine of every deployment, and that of an add-on. */
export const testModels = { base, addOn: preferred } as const;

/** Engines of a node with fake inference, whatever is installed on this machine. */
export const testEngines = (
  o: { readonly standard?: 'base' | 'addOn'; readonly hasAddOn?: boolean; readonly checksPhotos?: boolean } = {},
): Engines =>
  createEngines({
    known: engineRecipes.flatMap(versionsOf),
    installed: (o.hasAddOn === false ? [base] : engineRecipes).flatMap(versionsOf).map(({ engineId }) => engineId),
    standard: testModels[o.standard ?? 'base'],
    checksPhotos: o.checksPhotos ?? true,
    passive: { name: 'minifasnet', hasEvidence: true },
  });
