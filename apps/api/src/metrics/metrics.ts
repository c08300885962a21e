import { createServer } from 'node:http';
import { type ErrorCode, errorTable, type LinkFailureReason } from '@svc/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Readiness } from '../features/health/readiness.ts';

/** One HTTP exchange: the route's pattern, never the path. */
export interface RequestMeasure {
  readonly method: string;
  /** Null when no route matched. */
  readonly route: string | null;
  readonly status: number;
  /** Code of the answered problem. */
  readonly code: ErrorCode | null;
  readonly seconds: number;
}

/** An inference thread's time for one photo, in milliseconds. */
export interface StageTimings {
  readonly decodeMs: number;
  readonly analyseMs: number;
  readonly sealMs: number;
}

/** What came of something, and how long it took. */
interface Measured<Outcome = string> {
  readonly outcome: Outcome;
  readonly seconds: number;
}

export type SyncKind = 'unchanged' | 'delta' | 'snapshot' | 'wipe';

type PayloadLinkOutcome = 'issued' | 'fetched' | 'refused' | LinkFailureReason;

/** Values read on request. */
export interface Gauges {
  readonly readiness: Pick<Readiness, 'lack' | 'startSeconds'>;
  /** Places in the inference queue: total, taken, and photos waiting for a thread. */
  inference(): { readonly places: number; readonly taken: number; readonly waiting: number };
  /** Connections of the pool, and the length of the queue for them. */
  databasePool(): { readonly used: number; readonly free: number; readonly waiting: number };
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const INFERENCE_SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30, 60];
const STAGE_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const TRANSACTION_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const JOB_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];
const EXPIRY_SECONDS = [30, 60, 120, 300, 600, 3_600, 86_400];
const MAIL_OUTCOMES = ['sent', 'bounced', 'failed', 'skipped', 'waiting', 'server'];
const SYNC_KINDS: readonly SyncKind[] = ['unchanged', 'delta', 'snapshot', 'wipe'];

function createGauges(registers: Registry[], gauges: Gauges): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('svc_inference_places', 'Enrolments that may be in the service at once', () => gauges.inference().places);
  gauge('svc_inference_places_taken', 'Enrolments that hold a place', () => gauges.inference().taken);
  gauge('svc_inference_queue_length', 'Photos that wait for an inference thread', () => gauges.inference().waiting);
  const pool = new Gauge({
    name: 'svc_database_pool_connections',
    help: 'Connections of the pool by state',
    labelNames: ['state'],
    registers,
    collect() {
      const { used, free } = gauges.databasePool();
      pool.set({ state: 'used' }, used);
      pool.set({ state: 'free' }, free);
    },
  });
  gauge('svc_database_pool_waiting', 'Queries that wait for a connection', () => gauges.databasePool().waiting);
  new Gauge({
    name: 'svc_ready',
    help: '1 if this node can serve, as /readyz says',
    registers,
    async collect() {
      this.set((await gauges.readiness.lack()) === null ? 1 : 0);
    },
  });
  gauge(
    'svc_start_duration_seconds',
    'From the start of the process until this node was first ready; 0 until then',
    () => gauges.readiness.startSeconds() ?? 0,
  );
}

/**
 * Counts and durations. Names passed here become labels: constants from the code, never identifiers of accounts, lists,
 * devices or people.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics with a registry of their own, so that services in one process are separate. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: readonly number[],
  ) => new Histogram({ name, help, labelNames, buckets: [...buckets], registers });

  const unanswered = counter('svc_http_connections_refused_total', 'Connections closed because too many were open', []);
  const inProgress = new Gauge({ name: 'svc_http_requests_in_progress', help: 'Requests being answered', registers });
  const requests = histogram(
    'svc_http_request_duration_seconds',
    'From the request’s head to the last byte of the answer, by route pattern',
    ['method', 'route', 'status'],
    REQUEST_SECONDS,
  );
  const problems = counter('svc_http_problems_total', 'Problems answered, by code', ['code']);
  const refused = counter('svc_inference_refused_total', 'Enrolments refused because every place was taken', []);
  const inference = histogram(
    'svc_inference_task_duration_seconds',
    'A photo’s way through the pool, the wait for a thread included, by outcome',
    ['outcome'],
    INFERENCE_SECONDS,
  );
  const stages = histogram('svc_inference_stage_duration_seconds', 'Parts of that way', ['stage'], STAGE_SECONDS);
  const transactions = histogram(
    'svc_database_transaction_duration_seconds',
    'Database transactions, the wait for a connection included',
    ['outcome'],
    TRANSACTION_SECONDS,
  );
  const retries = counter('svc_database_transaction_retries_total', 'Transactions run again after a conflict', []);
  const syncs = counter('svc_syncs_total', 'Syncs of devices, by kind of answer', ['kind']);
  const payloadLinks = counter('svc_payload_links_total', 'Links to payloads, by what came of them', ['outcome']);
  // Not `job`: a scrape gives that label to the target, and renames the metric's own.
  const jobs = histogram('svc_job_duration_seconds', 'Background jobs', ['name', 'outcome'], JOB_SECONDS);
  const knownJobs = new Set<string>();
  const expired = histogram(
    'svc_person_expiry_delay_seconds',
    'From the date of a person’s deletion until the person was deleted',
    [],
    EXPIRY_SECONDS,
  );
  const died = counter('svc_webhook_deliveries_dead_total', 'Webhook deliveries that were given up', []);
  const attempts = histogram(
    'svc_webhook_attempt_duration_seconds',
    'Attempts to deliver a webhook, by what came of them',
    ['outcome'],
    JOB_SECONDS,
  );
  const mails = histogram(
    'svc_mail_duration_seconds',
    'Attempts to mail a guest’s link, by what came of them',
    ['outcome'],
    JOB_SECONDS,
  );

  // Counted from zero, so that the first of its kind is an increase.
  for (const [code, { status }] of Object.entries(errorTable)) if (status >= 500) problems.inc({ code }, 0);
  for (const kind of SYNC_KINDS) syncs.inc({ kind }, 0);
  for (const outcome of ['sealed', 'overloaded', 'failed']) inference.zero({ outcome });
  for (const outcome of ['committed', 'rolled-back']) transactions.zero({ outcome });
  attempts.zero({ outcome: 'delivered' });
  for (const outcome of MAIL_OUTCOMES) mails.zero({ outcome });

  return {
    /** A connection above the limit was refused. */
    connectionRefused: () => unanswered.inc(),
    requestStarted: () => inProgress.inc(),
    requestFinished({ method, route, status, code, seconds }: RequestMeasure) {
      inProgress.dec();
      requests.observe({ method, route: route ?? 'none', status }, seconds);
      if (code !== null) problems.inc({ code });
    },
    /** The inference queue was full. */
    inferenceRefused: () => refused.inc(),
    /** @param outcome `sealed`, the photo's error, `overloaded` or `failed`; `seconds` include the wait for a thread */
    inferenceFinished({ outcome, seconds, timings }: Measured & { readonly timings?: StageTimings }) {
      inference.observe({ outcome }, seconds);
      if (timings === undefined) return;
      const { decodeMs, analyseMs, sealMs } = timings;
      stages.observe({ stage: 'wait' }, Math.max(0, seconds - (decodeMs + analyseMs + sealMs) / 1_000));
      stages.observe({ stage: 'decode' }, decodeMs / 1_000);
      stages.observe({ stage: 'analyse' }, analyseMs / 1_000);
      stages.observe({ stage: 'seal' }, sealMs / 1_000);
    },
    /** @param retries number of repetitions because of deadlocks or conflicts */
    transactionFinished({
      outcome,
      seconds,
      retries: again,
    }: Measured<'committed' | 'rolled-back'> & { readonly retries: number }) {
      transactions.observe({ outcome }, seconds);
      if (again > 0) retries.inc(again);
    },
    /** `issued` to a device, `fetched` from this node, or `refused` by it; or why a device's link failed. */
    payloadLink: (outcome: PayloadLinkOutcome) => payloadLinks.inc({ outcome }),
    syncAnswered: (kind: SyncKind) => syncs.inc({ kind }),
    /** A kind of job that this node may run: counted from zero. */
    jobKnown(name: string) {
      if (knownJobs.has(name)) return;
      knownJobs.add(name);
      for (const outcome of ['completed', 'failed']) jobs.zero({ name, outcome });
    },
    jobFinished: ({ job, outcome, seconds }: Measured<'completed' | 'failed'> & { readonly job: string }) =>
      jobs.observe({ name: job, outcome }, seconds),
    /** Of people past their date. @param delays seconds from that date until each was deleted */
    peopleExpired(delays: readonly number[]) {
      for (const seconds of delays) expired.observe(seconds);
    },
    /** @param outcome `delivered`, or how the attempt failed */
    deliveryAttempted: ({ outcome, seconds }: Measured) => attempts.observe({ outcome }, seconds),
    /** A delivery ran out of attempts. */
    deliveryDied: () => died.inc(),
    /** @param outcome what became of the recipient; `server` for trouble of the mail server itself */
    mailFinished: ({ outcome, seconds }: Measured) => mails.observe({ outcome }, seconds),
    /** Adds these gauges to the page. */
    watch: (gauges: Gauges) => createGauges(registers, gauges),
    /** Adds the process's memory, CPU, event loop lag and garbage collection. Once per process. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    contentType: registry.contentType,
    /** The page in Prometheus's text format. */
    render: () => registry.metrics(),
  };
}

interface MetricsServer {
  /** `http://host:port/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/metrics';

/**
 * Serves the metrics on a separate port, so that proxies need no rule to hide them.
 * @param port 0 for any free port
 * @throws Error when the port is in use
 */
export async function startMetricsServer(
  metrics: Pick<Metrics, 'contentType' | 'render'>,
  host: string,
  port: number,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    if ((request.url ?? '').split('?', 1)[0] !== PATH || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    metrics.render().then(
      (page) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(page),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the metrics server has no port');
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
