import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleProgram, createMigratedDatabase, queryDatabase, requestJson, startTestPostgres } from '@svc/api/testing';
import { startProgram } from '../../inputs/program.ts';
import type { ApiProcess } from './api-process.ts';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessStat {
  readonly parent: number;
  readonly processorMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

/** proc(5): the fields after the name in parentheses. Null if the process has ended. */
async function statOf(pid: string): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number) => Number(fields[index]) * TICK_MS;
  return { parent: Number(fields[1]), processorMs: ticks(11) + ticks(12), endedMs: ticks(13) + ticks(14) };
}

/**
 * Processor time of a PostgreSQL server so far, all of its processes; null without /proc.
 * @param backendPid any process of the server except the first
 */
async function postgresProcessorMs(backendPid: number): Promise<number | null> {
  const parent = (await statOf(String(backendPid)))?.parent;
  const server = parent === undefined ? null : await statOf(String(parent));
  if (server === null) return null;
  let sum = server.processorMs + server.endedMs;
  for (const pid of (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))) {
    const stat = await statOf(pid);
    if (stat !== null && stat.parent === parent) sum += stat.processorMs;
  }
  return sum;
}

/** The whole service: PostgreSQL and the API in separate processes. */
export interface BenchService extends Awaited<ReturnType<ApiProcess['start']>> {
  /** Calls the API as the organiser's server; JSON in and out. @throws Error for an answer that is not 2xx */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Moves the API's clock ahead. */
  advance(ms: number): Promise<void>;
  /** Of the API's process. */
  usage(): Promise<ReturnType<ApiProcess['usage']>>;
  /** Processor time so far of the API and of PostgreSQL, all threads and processes of each. */
  processorMs(): Promise<ProcessorTime>;
  /** Of the API's process; another one after {@link restart}. */
  apiPid(): number;
  /** Ends the API's process at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts the API again, at the same address, with the same database and keys. Resolves when it is ready. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ProcessorTime {
  readonly api: number;
  /** Null if the operating system does not report it. */
  readonly database: number | null;
}

export interface ServiceOptions {
  /** 'fake': no engine is loaded, for suites without recognition. */
  readonly inference: 'models' | 'fake';
  readonly workers?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** All limits are active, but so high that one machine can act as all devices. */
const LIMITS = {
  SVC_RATE_LIMIT_API_KEY: '1000000',
  SVC_RATE_LIMIT_DEVICE: '1000000',
  SVC_RATE_LIMIT_PAYLOADS: '1000000',
};

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await fetch(`${url}/readyz`)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the API does not get ready');
}

type Postgres = Awaited<ReturnType<typeof startTestPostgres>>;
let startPostgres: () => Promise<Postgres> = startTestPostgres;

/** Services get a database in this server instead of a server of their own: for tests, which measure nothing. */
export function sharePostgres(target: Postgres['target']): void {
  startPostgres = () => Promise.resolve({ target, stop: () => Promise.resolve() });
}

export async function startService({ inference, workers = 2, environment }: ServiceOptions): Promise<BenchService> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const postgres = await startPostgres();
  const databaseUrl = await createMigratedDatabase(postgres.target);
  // Bundled as in a deployment: source loaders name each function at creation, which costs time that no deployment
  // pays.
  const program = await bundleProgram(new URL('./api-process.ts', import.meta.url));
  const startApi = (port: string) =>
    startProgram<ApiProcess>(pathToFileURL(program.path), {
      isQuiet: true,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: port,
        DATABASE_URL: databaseUrl,
        SVC_DATA_DIR: dataDirectory,
        SVC_INFERENCE_WORKERS: String(workers),
        BENCH_INFERENCE: inference,
        // Deliveries are stored; another node sends them.
        SVC_JOBS: 'off',
        ...LIMITS,
        ...environment,
      },
    });
  let api = startApi('0');
  const close = async () => {
    await api.stop();
    await postgres.stop();
    await program.remove();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    const started = await api.ask('start');
    await waitUntilReady(started.url);
    return {
      ...started,
      async call<T>(method: string, path: string, body?: object) {
        const { status, body: answer } = await requestJson<T>(started.url + path, {
          method,
          headers: { 'X-Api-Key': started.apiKey, 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}`);
        return answer;
      },
      query: (sql, values) => queryDatabase(databaseUrl, sql, values),
      advance: (ms) => api.ask('advance', ms),
      usage: () => api.ask('usage'),
      async processorMs() {
        // The asking connection ends immediately, so its parent process is determined first.
        const [backend] = await queryDatabase<{ pid: number }>(
          databaseUrl,
          "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
        );
        return {
          api: (await api.ask('usage')).processorMs,
          database: backend === undefined ? null : await postgresProcessorMs(backend.pid),
        };
      },
      apiPid: () => api.pid,
      kill: () => api.kill(),
      async restart() {
        api = startApi(new URL(started.url).port);
        await api.ask('start');
        await waitUntilReady(started.url);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
