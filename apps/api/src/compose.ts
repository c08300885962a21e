import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createNodeAead } from '@svc/core/aead-node';
import { engineOf } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import type { RequestHandler, Router } from 'express';
import type { DestinationStream, Logger } from 'pino';
import { Cleanup } from './cleanup.ts';
import { composeJobs, composeWebhooks } from './compose-background.ts';
import type { ApiConfig } from './config.ts';
import { openKeyEncryption } from './crypto/kek-source.ts';
import { createKeyRing } from './crypto/key-ring.ts';
import { createKeyRotation } from './crypto/key-rotation.ts';
import { type KeyStorageTarget, openKeyStorage } from './crypto/key-storage.ts';
import { systemRandom } from './crypto/random.ts';
import { openSigningKey } from './crypto/signing-key.ts';
import { type Connection, type DatabaseTarget, openDatabase } from './db/connection.ts';
import { startEmbeddedServer } from './db/embedded/index.ts';
import { migrate } from './db/migrate.ts';
import { createAccountDeletion } from './features/accounts/deletion.ts';
import { createAccountService } from './features/accounts/service.ts';
import { createAccountStore } from './features/accounts/store.ts';
import { mountAuditLog } from './features/audit/routes.ts';
import { createAuditService } from './features/audit/service.ts';
import { createAuditStore } from './features/audit/store.ts';
import { createConsentLedger } from './features/consents/ledger.ts';
import { mountConsents } from './features/consents/routes.ts';
import { createConsentService } from './features/consents/service.ts';
import { createConsentStore } from './features/consents/store.ts';
import { mountDevices } from './features/devices/routes.ts';
import { createDeviceService } from './features/devices/service.ts';
import { createDeviceStore } from './features/devices/store.ts';
import { createEndStore } from './features/events/end-store.ts';
import { mountEvents } from './features/events/routes.ts';
import { createEventService } from './features/events/service.ts';
import { createEventStore } from './features/events/store.ts';
import { mountHealth } from './features/health/routes.ts';
import { createHealthStore } from './features/health/store.ts';
import { createIdempotencyService } from './features/idempotency/service.ts';
import { createIdempotencyStore } from './features/idempotency/store.ts';
import { mountKiosk } from './features/kiosk/routes.ts';
import { readSite } from './features/kiosk/site.ts';
import { createEpochService } from './features/lists/epochs.ts';
import { mountLists } from './features/lists/routes.ts';
import { createListService } from './features/lists/service.ts';
import { createListStore } from './features/lists/store.ts';
import { mountOpenApi } from './features/openapi/routes.ts';
import { createEnrolmentService } from './features/people/enrolment.ts';
import { createEnrolmentStore } from './features/people/enrolment-store.ts';
import { createPersonExpiry } from './features/people/expiry.ts';
import { createExpiryStore } from './features/people/expiry-store.ts';
import { mountPeople } from './features/people/routes.ts';
import { createPersonService } from './features/people/service.ts';
import { createPersonStore } from './features/people/store.ts';
import { createEraseAgain } from './features/restore/erase-again.ts';
import { type MovedKeys, moveKeyStorage } from './features/restore/move.ts';
import { createRestoreService, KeyStoreError } from './features/restore/service.ts';
import { createRestoreStore } from './features/restore/store.ts';
import { mountSync } from './features/sync/routes.ts';
import { createSyncService } from './features/sync/service.ts';
import { createSyncStore } from './features/sync/store.ts';
import { mountTokens } from './features/tokens/routes.ts';
import { createTokenService } from './features/tokens/service.ts';
import { createTokenStore } from './features/tokens/store.ts';
import { mountUsage } from './features/usage/routes.ts';
import { createUsageService } from './features/usage/service.ts';
import { createUsageStore } from './features/usage/store.ts';
import { createDeliveryStore } from './features/webhooks/delivery-store.ts';
import { createOutbox } from './features/webhooks/outbox.ts';
import { mountWebhooks } from './features/webhooks/routes.ts';
import type { ResolveHost } from './features/webhooks/sender.ts';
import { mountWidget } from './features/widget/routes.ts';
import { createWidgetService } from './features/widget/service.ts';
import { createWidgetStore } from './features/widget/store.ts';
import { mountWordings } from './features/wording/routes.ts';
import { createApp } from './http/app.ts';
import { mountCors } from './http/cors.ts';
import { createGuards } from './http/guards.ts';
import { describeError } from './http/log-safe.ts';
import { startHttpServer } from './http/server.ts';
import { createIds } from './ids.ts';
import { observeInference } from './inference/observe.ts';
import { createInferencePool } from './inference/pool.ts';
import type { InferencePool } from './inference/port.ts';
import { createLogger } from './logger.ts';
import { createPrometheusMetrics, type PrometheusMetrics } from './metrics/prometheus.ts';
import { startMetricsServer } from './metrics/server.ts';
import type { Clock, Random } from './ports.ts';
import { originOf } from './widget-config.ts';

const SHUTDOWN_GRACE_MS = 15_000;
/** How often the mark of applied erasures is moved and old ones are forgotten. */

/** What a test may put in the place of the real thing. */
export interface ApiParts {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logDestination?: DestinationStream;
  /** Addresses of the names that webhooks have. */
  readonly resolveHost?: ResolveHost;
  readonly createInference?: (logger: Logger) => InferencePool;
  /** Sees every request first, to look at how it is answered. */
  readonly observe?: RequestHandler;
  /** Mounts routes beside the product's own, behind the same middleware, for what a benchmark compares them with. */
  readonly mount?: (router: Router, connection: Connection) => void;
}

/** A running API. */
export interface RunningApi {
  /** `http://host:port` */
  readonly url: string;
  /** Where Prometheus finds this node's metrics; null where they are not served. */
  readonly metricsUrl: string | null;
  readonly logger: Logger;
  /**
   * Is not ready any more, goes on answering for as long as the configuration says, finishes the requests in progress and lets everything go;
   * a second call waits for the first.
   */
  close(): Promise<void>;
}

/** Database, keys and the services on them: what the API and the command line share. */
async function composeServices(config: ApiConfig, parts: ApiParts, share: boolean, logger: Logger, cleanup: Cleanup) {
  const clock = parts.clock ?? { now: () => Date.now() };
  const random = parts.random ?? systemRandom;
  const ids = createIds(clock, random);
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 });

  const target = await openTarget(config, random, share, logger, cleanup);
  const metrics = createPrometheusMetrics();
  const database = openDatabase({ target, metrics, poolSize: config.traffic.databaseConnections });
  cleanup.add(() => database.close());
  const { connection } = database;
  await migrate(connection);

  const { dataDirectory, kek, kekFile } = config;
  const keyEncryption = await openKeyEncryption({ random, dataDirectory, kek, kekFile });
  const keysAt = keyStorageTarget(config);
  const storage = await openKeyStorage(keysAt ?? { kind: 'postgres', target }, random);
  cleanup.add(() => storage.close());
  const { keys: keyStore, erasures } = storage;
  const keyRing = createKeyRing({ keyEncryption, keyStore, clock, random });
  const rotation = createKeyRotation({ keyEncryption, keyStore });
  const signingKey = await openSigningKey(config.signingKeyFile ?? join(dataDirectory, 'signing-key.pem'));

  const engine = engineOf((await openModelBundle({ addOnDirectory: null })).manifest, config.engineId);
  const aead = createNodeAead();
  const listStore = createListStore(connection);
  const epochs = createEpochService({ store: listStore, database, keyRing, engine, aead, clock, random });
  const audit = createAuditService({ store: createAuditStore(connection), ids, clock });
  const usage = createUsageService({ store: createUsageStore(connection), database, audit, clock });
  const events = createEventService({
    store: createEventStore(connection),
    ends: createEndStore(),
    database,
    audit,
    ids,
    clock,
  });
  const consentStore = createConsentStore(connection);
  const consents = createConsentService({ store: consentStore, ids, clock, random });
  const ledger = createConsentLedger({ store: consentStore, database, keyRing, audit, clock, random });
  const accountStore = createAccountStore(connection);
  const accounts = createAccountService({
    store: accountStore,
    database,
    audit,
    keyRing,
    erasures,
    ids,
    clock,
    random,
  });
  const outbox = createOutbox({ deliveries: createDeliveryStore(connection), ids, clock });
  const requests = createIdempotencyService({ store: createIdempotencyStore(connection), keyRing, ids, clock, random });
  const lists = createListService({
    store: listStore,
    database,
    epochs,
    events,
    keyRing,
    erasures,
    requests,
    audit,
    outbox,
    ids,
    clock,
  });
  const tokens = createTokenService({
    database,
    keyRing,
    store: createTokenStore(connection),
    events,
    listStore,
    audit,
    ids,
    clock,
    random,
    widgetUrl: config.widget.url,
  });
  const devices = createDeviceService({
    database,
    store: createDeviceStore(connection),
    erasures,
    lists,
    listStore,
    audit,
    outbox,
    ids,
    clock,
    random,
  });
  const accountDeletion = createAccountDeletion({
    store: accountStore,
    lists,
    database,
    audit,
    keyRing,
    erasures,
    clock,
  });
  const personStore = createPersonStore(connection);
  const personExpiry = createPersonExpiry({
    store: createExpiryStore(connection),
    listStore,
    outbox,
    requests,
    database,
    keyRing,
    erasures,
    clock,
    random,
  });
  const restoreStore = createRestoreStore(connection);
  const restore = createRestoreService({
    store: restoreStore,
    storage,
    erasures,
    again: createEraseAgain({
      ...{ store: restoreStore, listStore, people: personStore, consents, requests, outbox },
      ...{ database, keyRing, clock, random },
    }),
    lists,
    accounts: accountDeletion,
    expiry: personExpiry,
    clock,
    backupRetentionDays: config.backupRetentionDays,
  });
  await restore.attach({ apart: keysAt !== null, acceptOldBackup: config.acceptOldBackup });
  await keyRing.verify();
  // Before anything is served: a restored backup must revive nobody.
  const replayed = await restore.replay();
  if (Object.values(replayed).some((count) => count > 0)) {
    logger.warn({ replayed }, 'the database was older than the key store: what was erased since is erased again');
  }
  return {
    erasures,
    storage,
    rotation,
    accountDeletion,
    personStore,
    personExpiry,
    restore,
    clock,
    random,
    ids,
    database,
    keyRing,
    signingKey,
    listStore,
    epochs,
    audit,
    usage,
    outbox,
    events,
    accounts,
    lists,
    tokens,
    devices,
    requests,
    consents,
    ledger,
    metrics,
    keyEncryption,
    keyStore,
  };
}

/** Null: in the main database. */
export function keyStorageTarget({ keyDatabaseUrl, keyStoreDirectory }: ApiConfig): KeyStorageTarget | null {
  if (keyStoreDirectory !== undefined) return { kind: 'folder', path: keyStoreDirectory };
  if (keyDatabaseUrl === undefined) return null;
  return { kind: 'postgres', target: { connectionString: keyDatabaseUrl } };
}

/** The configured database, or the embedded one. */
export async function openTarget(
  config: ApiConfig,
  random: Random,
  share: boolean,
  logger: Logger,
  cleanup: Cleanup,
): Promise<DatabaseTarget> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl };
  const server = await startEmbeddedServer({
    dataDirectory: config.dataDirectory,
    random,
    share,
    onLost: () => logger.warn('the embedded database went away and is being brought back'),
  });
  cleanup.add(() => server.stop());
  return server.target;
}

/**
 * Starts the API: database, keys, models, HTTP. Answers `/healthz` when it resolves, `/readyz` once the models are loaded.
 * @throws Error when a part cannot be had; what was started by then is stopped again
 */
export async function startApi(config: ApiConfig, parts: ApiParts = {}): Promise<RunningApi> {
  const logger = createLogger(config.logLevel, parts.logDestination);
  const cleanup = new Cleanup();
  try {
    return await compose(config, parts, logger, cleanup);
  } catch (error) {
    await cleanup.run().catch(() => undefined);
    throw error;
  }
}

async function openMetrics({ metricsHost, metricsPort }: ApiConfig, metrics: PrometheusMetrics, cleanup: Cleanup) {
  if (metricsPort === null) return null;
  metrics.watchProcess();
  const server = await startMetricsServer(metrics, metricsHost, metricsPort);
  cleanup.add(() => server.close());
  return server;
}

async function compose(config: ApiConfig, parts: ApiParts, logger: Logger, cleanup: Cleanup): Promise<RunningApi> {
  const services = await composeServices(config, parts, false, logger, cleanup);
  const {
    clock,
    random,
    ids,
    database,
    keyRing,
    erasures,
    storage,
    accountDeletion,
    personStore,
    signingKey,
    listStore,
    epochs,
    audit,
    usage,
    outbox,
    events,
    accounts,
    lists,
    tokens,
    devices,
    requests,
    consents,
    ledger,
    metrics,
  } = services;
  const { connection } = database;

  const onError = (message: string) => (error: unknown) => logger.error({ error: describeError(error) }, message);
  const { engineId, inferenceWorkers: workers, inferenceQueue: queue } = config;
  const pool =
    parts.createInference?.(logger) ??
    createInferencePool({ engineId, workers, queue, onFailure: onError('an inference worker failed') });
  const inference = observeInference(pool, { metrics, workers, places: workers + queue });
  cleanup.add(() => inference.close());

  const held = { database, keyRing, erasures, clock, random };
  const people = createPersonService({
    ...held,
    people: personStore,
    lists,
    listStore,
    consents,
    requests,
    audit,
    outbox,
  });
  const enrolments = createEnrolmentService({
    ...held,
    store: createEnrolmentStore(connection),
    people: personStore,
    lists: listStore,
    epochs,
    usage,
    consents,
    outbox,
    ids,
  });
  const widget = createWidgetService({ ...held, store: createWidgetStore(connection), enrolments, outbox, ids });
  const sync = createSyncService({
    database,
    store: createSyncStore(connection),
    outbox,
    keyRing,
    erasures,
    signingKey,
    metrics,
    clock,
    onError: onError('what follows a sync failed'),
  });
  cleanup.add(() => sync.close());
  // To callers and devices these lists are gone: nobody waits for the rows.
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
      ...{
        config: config.background,
        database,
        keyRing,
        audit,
        metrics,
        ids,
        clock,
        random,
        resolveHost: parts.resolveHost,
      },
      onError: onError('webhooks could not be delivered'),
    },
    background,
  );

  if (config.background.jobs) {
    composeJobs({ ...services, graceMs: SHUTDOWN_GRACE_MS, logger }, background);
  }

  const kiosk = readSite(config.kioskDirectory);
  let stopping = false;
  const guards = createGuards({
    traffic: config.traffic,
    database,
    idempotency: requests,
    accounts,
    authenticateGuest: (token) => widget.authenticate(token),
    authenticateDevice: (token) => sync.authenticate(token),
    random,
  });
  const { account, guest, device } = guards;
  const app = createApp({
    trustProxy: config.traffic.trustProxy,
    logger,
    random,
    metrics,
    observe: parts.observe,
    mount(router) {
      mountHealth(router, {
        database: createHealthStore(connection),
        keyStore: storage,
        modelsLoaded: () => inference.isReady(),
        stopping: () => stopping,
      });
      mountCors(router, { widget: [originOf(config.widget.url)], kiosks: config.widget.kioskOrigins });
      // Asked far more often than anything else, so that it is looked for first.
      mountSync(router, { sync, device });
      parts.mount?.(router, connection);
      mountOpenApi(router);
      if (kiosk !== null) {
        mountKiosk(router, { site: kiosk, deployment: { signingKeys: [signingKey.publicKey] } });
      }
      mountEvents(router, { events, account });
      mountTokens(router, { tokens, account });
      mountWidget(router, { widget, inference, guard: guest });
      mountLists(router, { lists, account });
      mountPeople(router, { people, enrolments, inference, account });
      mountConsents(router, { ledger, account });
      mountWordings(router, { account });
      mountDevices(router, { devices, account });
      mountUsage(router, { usage, account });
      mountAuditLog(router, { audit, account });
      mountWebhooks(router, { webhooks, account });
    },
  });
  metrics.watch({ inference: () => inference.occupancy(), databasePool: () => database.pool() });
  const metricsServer = await openMetrics(config, metrics, cleanup);
  const server = await startHttpServer(app, config.host, config.port, random);
  cleanup.add(() => server.close(SHUTDOWN_GRACE_MS));

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
    logger,
    close() {
      closing ??= stop();
      return closing;
    },
  };
}

/**
 * Moves the keys and the memory of erasures from the main database to where the settings point. No node may run meanwhile; interrupted, it is
 * called again.
 * @throws KeyStoreError when there is nothing to move, or the other place is another deployment's
 */
export async function moveKeys(config: ApiConfig): Promise<MovedKeys> {
  const cleanup = new Cleanup();
  try {
    const keysAt = keyStorageTarget(config);
    if (keysAt === null)
      throw new KeyStoreError('set SVC_KEY_DATABASE_URL or SVC_KEY_STORE_DIR: where to move the keys');
    const target = await openTarget(config, systemRandom, true, createLogger('silent'), cleanup);
    const { connection, close } = openDatabase({ target });
    cleanup.add(close);
    await migrate(connection);
    const main = await openKeyStorage({ kind: 'postgres', target }, systemRandom);
    cleanup.add(() => main.close());
    const apart = await openKeyStorage(keysAt, systemRandom);
    cleanup.add(() => apart.close());
    return await moveKeyStorage({
      from: main,
      to: apart,
      store: createRestoreStore(connection),
      now: () => Date.now(),
    });
  } finally {
    await cleanup.run();
  }
}

/** Opens the services without HTTP, for the command line. A running API's embedded database is shared with it. */
export async function composeAdmin(config: ApiConfig, parts: ApiParts = {}) {
  const cleanup = new Cleanup();
  const logger = createLogger('silent');
  try {
    const services = await composeServices(config, parts, true, logger, cleanup);
    const { database, keyRing, audit, metrics, ids, clock, random } = services;
    const webhooks = composeWebhooks(
      {
        ...{ database, keyRing, audit, metrics, ids, clock, random },
        // Whoever delivers is a node of the API; a command line that comes and goes is none.
        config: { ...config.background, jobs: false },
        onError: () => undefined,
      },
      cleanup,
    );
    return { ...services, webhooks, close: () => cleanup.run() };
  } catch (error) {
    await cleanup.run().catch(() => undefined);
    throw error;
  }
}
