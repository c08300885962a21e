import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { openingAddress } from '../config/start-error.ts';
import { createReadiness } from '../features/health/readiness.ts';
import { createLiveService } from '../features/live/service.ts';
import { createLiveStore } from '../features/live/store.ts';
import { startHttpServer } from '../http/server.ts';
import { type Metrics, startMetricsServer } from '../metrics/metrics.ts';
import { Cleanup, openWith } from '../platform/cleanup.ts';
import { createLogger, describeError } from '../platform/logger.ts';
import { composeApp } from './app.ts';
import { composeJobs, composeMailings, composeWebhooks } from './background.ts';
import { openEngines } from './engines.ts';
import type { ApiParts } from './parts.ts';
import { composeServices } from './services.ts';
import { composeServing, openInference } from './serving.ts';

const SHUTDOWN_GRACE_MS = 15_000;

/** A running API. */
export interface RunningApi {
  /** `http://host:port` */
  readonly url: string;
  /** Address of this node's Prometheus metrics; null when they are not served. */
  readonly metricsUrl: string | null;
  /** Whether anybody may sign in to the dashboard. */
  hasUsers(): Promise<boolean>;
  /** A link for the first owner; null where somebody can sign in, or several accounts wait for theirs. */
  offerFirstOwner(isSeen: boolean): Promise<string | null>;
  readonly logger: Logger;
  /**
   * Reports not ready, keeps answering for the configured delay, finishes requests in progress and releases all
   * resources; a second call waits for the first.
   */
  close(): Promise<void>;
}

/**
 * Starts the API: database, keys, models, HTTP. When it resolves, `/healthz` answers; `/readyz` follows once the models
 * are loaded.
 * @throws Error when a part cannot start; the parts already started are stopped
 */
export async function startApi(config: ApiConfig, parts: ApiParts = {}): Promise<RunningApi> {
  const logger = createLogger(config.logLevel, parts.logDestination);
  return openWith((cleanup) => compose(config, parts, logger, cleanup));
}

async function compose(config: ApiConfig, parts: ApiParts, logger: Logger, cleanup: Cleanup): Promise<RunningApi> {
  const installed = await openEngines(config, logger);
  // Before the database is opened, which takes about as long as loading the models.
  const pool = openInference(installed, { config, parts, logger }, cleanup);
  const services = await composeServices(config, parts, false, logger, cleanup, installed);
  const { database, metrics, random, accountDeletion, lists } = services;
  const onError = (message: string) => (error: unknown) => logger.error({ error: describeError(error) }, message);
  const { models } = services.engines;
  if (models.warnings.length > 0) logger.warn(models, 'weaker models than the recommended ones serve: see svc doctor');
  // The only node of its database: no other one may lack the engine.
  const left = config.databaseUrl === null ? lists.leaveBuiltIn() : Promise.resolve(0);
  const moved = (await left.catch(onError('unused lists keep the built-in engine'))) ?? 0;
  if (moved > 0) logger.info({ lists: moved }, 'unused lists have the recommended engine in place of the built-in one');
  const serving = composeServing(services, { config, logger, pool }, cleanup);

  // Callers and devices no longer see these lists, so nothing waits for the deletion of the rows.
  const deletions = accountDeletion
    .finishDeletions()
    .then(() => lists.finishDeletions())
    .catch(onError('an interrupted deletion could not be finished'));
  cleanup.add(() => deletions);

  // Stopped first, while requests are still answered.
  const background = new Cleanup();
  cleanup.add(() => background.run());
  const webhooks = composeWebhooks(
    {
      ...services,
      config: config.background,
      resolveHost: parts.resolveHost,
      onError: onError('webhooks could not be delivered'),
    },
    background,
  );
  if (config.background.jobs) {
    composeJobs({ ...services, graceMs: SHUTDOWN_GRACE_MS, logger }, background);
    composeMailings({ ...services, config, graceMs: SHUTDOWN_GRACE_MS, logger }, background);
  }

  const live = createLiveService({
    store: createLiveStore(database.connection),
    database,
    onError: onError('what has changed could not be read'),
  });
  background.add(() => live.close());

  let stopping = false;
  const readiness = createReadiness({
    database,
    keyStore: services.storage,
    keyEncryption: services.keyEncryption,
    modelsLoaded: () => serving.inference.isReady(),
    stopping: () => stopping,
    logger,
    uptimeMs: () => performance.now(),
  });
  const app = composeApp({ ...services, ...serving, webhooks, live, readiness }, { config, parts, logger });
  metrics.watch({ inference: () => serving.inference.occupancy(), databasePool: () => database.pool(), readiness });
  const metricsServer = await openMetrics(config, metrics, cleanup);
  const server = await openingAddress({ host: 'HOST', port: 'PORT' }, () =>
    startHttpServer(app, {
      host: config.host,
      port: config.port,
      random,
      connections: config.traffic.connections,
      onRefused: () => metrics.connectionRefused(),
    }),
  );
  cleanup.add(() => server.close(SHUTDOWN_GRACE_MS));
  readiness.watch();
  background.add(() => readiness.close());

  async function stop(): Promise<void> {
    stopping = true;
    server.drain();
    const closed = pause(config.drainMs).then(() => server.close(SHUTDOWN_GRACE_MS));
    const outcomes = await Promise.allSettled([background.run(), closed]);
    await cleanup.run();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  let closing: Promise<void> | null = null;
  return {
    url: server.url,
    metricsUrl: metricsServer?.url ?? null,
    hasUsers: () => services.users.hasAny(),
    offerFirstOwner: (isSeen) => services.firstOwner.offer(isSeen),
    logger,
    close() {
      closing ??= stop();
      return closing;
    },
  };
}

async function openMetrics({ metricsHost, metricsPort }: ApiConfig, metrics: Metrics, cleanup: Cleanup) {
  if (metricsPort === null) return null;
  metrics.watchProcess();
  const server = await openingAddress({ host: 'SVC_METRICS_HOST', port: 'SVC_METRICS_PORT' }, () =>
    startMetricsServer(metrics, metricsHost, metricsPort),
  );
  cleanup.add(() => server.close());
  return server;
}
