import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createNodeAead } from '@svc/core/aead-node';
import { openModelBundle } from '@svc/face-models/node';
import type { RequestHandler } from 'express';
import type { DestinationStream, Logger } from 'pino';
import { Cleanup } from './cleanup.ts';
import type { ApiConfig } from './config.ts';
import { openKeyEncryption } from './crypto/kek-source.ts';
import { createKeyRing } from './crypto/key-ring.ts';
import { createKeyStore } from './crypto/key-store.ts';
import { systemRandom } from './crypto/random.ts';
import { openSigningKey } from './crypto/signing-key.ts';
import { type DatabaseTarget, openDatabase } from './db/connection.ts';
import { startEmbeddedServer } from './db/embedded/index.ts';
import { migrate } from './db/migrate.ts';
import { createAccountService } from './features/accounts/service.ts';
import { createAccountStore } from './features/accounts/store.ts';
import { createAuditService } from './features/audit/service.ts';
import { createAuditStore } from './features/audit/store.ts';
import { createConsentService } from './features/consents/service.ts';
import { createConsentStore } from './features/consents/store.ts';
import { mountDevices } from './features/devices/routes.ts';
import { createDeviceService } from './features/devices/service.ts';
import { createDeviceStore } from './features/devices/store.ts';
import { mountEvents } from './features/events/routes.ts';
import { createEventService } from './features/events/service.ts';
import { createEventStore } from './features/events/store.ts';
import { mountHealth } from './features/health/routes.ts';
import { createHealthStore } from './features/health/store.ts';
import { createEpochService } from './features/lists/epochs.ts';
import { mountLists } from './features/lists/routes.ts';
import { createListService } from './features/lists/service.ts';
import { createListStore } from './features/lists/store.ts';
import { mountOpenApi } from './features/openapi/routes.ts';
import { createEnrolmentService } from './features/people/enrolment.ts';
import { mountPeople } from './features/people/routes.ts';
import { createPersonService } from './features/people/service.ts';
import { createPersonStore } from './features/people/store.ts';
import { mountSync } from './features/sync/routes.ts';
import { createSyncService } from './features/sync/service.ts';
import { createSyncStore } from './features/sync/store.ts';
import { createUsageService } from './features/usage/service.ts';
import { createUsageStore } from './features/usage/store.ts';
import { createDeliveryStore } from './features/webhooks/delivery-store.ts';
import { createOutbox } from './features/webhooks/outbox.ts';
import { createApp } from './http/app.ts';
import { createAuthenticateAccount } from './http/authenticate.ts';
import { describeError } from './http/log-safe.ts';
import { startHttpServer } from './http/server.ts';
import { createIds } from './ids.ts';
import { createInferencePool } from './inference/pool.ts';
import type { InferencePool } from './inference/port.ts';
import { createLogger } from './logger.ts';
import type { Clock, Random } from './ports.ts';

const SHUTDOWN_GRACE_MS = 15_000;

/** What a test may put in the place of the real thing. */
export interface ApiParts {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logDestination?: DestinationStream;
  readonly createInference?: (logger: Logger) => InferencePool;
  /** Sees every request first, to look at how it is answered. */
  readonly observe?: RequestHandler;
}

/** A running API. */
export interface RunningApi {
  /** `http://host:port` */
  readonly url: string;
  readonly logger: Logger;
  /** Finishes the requests in progress, then lets everything go; a second call waits for the first. */
  close(): Promise<void>;
}

/** Database, keys and the services on them: what the API and the command line share. */
async function composeServices(config: ApiConfig, parts: ApiParts, share: boolean, logger: Logger, cleanup: Cleanup) {
  const clock = parts.clock ?? { now: () => Date.now() };
  const random = parts.random ?? systemRandom;
  const ids = createIds(clock, random);
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 });

  const target = await openTarget(config, random, share, logger, cleanup);
  const database = openDatabase({ target });
  cleanup.add(() => database.close());
  const { connection } = database;
  await migrate(connection);

  const { dataDirectory, kek, kekFile } = config;
  const keyEncryption = await openKeyEncryption({ random, dataDirectory, kek, kekFile });
  const keyRing = createKeyRing({ keyEncryption, keyStore: createKeyStore(connection), clock, random });
  await keyRing.verify();
  const signingKey = await openSigningKey(config.signingKeyFile ?? join(dataDirectory, 'signing-key.pem'));

  const { engine } = (await openModelBundle({ addOnDirectory: null })).manifest;
  const aead = createNodeAead();
  const listStore = createListStore(connection);
  const epochs = createEpochService({ store: listStore, database, keyRing, engine, aead, clock, random });
  const audit = createAuditService({ store: createAuditStore(connection), ids, clock });
  const events = createEventService({ store: createEventStore(connection), database, audit, ids, clock });
  const accounts = createAccountService({
    store: createAccountStore(connection),
    database,
    audit,
    keyRing,
    ids,
    clock,
    random,
  });
  const outbox = createOutbox({ deliveries: createDeliveryStore(connection), ids, clock });
  const lists = createListService({ store: listStore, database, epochs, events, keyRing, audit, outbox, ids, clock });
  return {
    clock,
    random,
    ids,
    database,
    keyRing,
    signingKey,
    listStore,
    epochs,
    audit,
    outbox,
    events,
    accounts,
    lists,
  };
}

async function openTarget(
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

async function compose(config: ApiConfig, parts: ApiParts, logger: Logger, cleanup: Cleanup): Promise<RunningApi> {
  const services = await composeServices(config, parts, false, logger, cleanup);
  const {
    clock,
    random,
    ids,
    database,
    keyRing,
    signingKey,
    listStore,
    epochs,
    audit,
    outbox,
    events,
    accounts,
    lists,
  } = services;
  const { connection } = database;

  const onError = (message: string) => (error: unknown) => logger.error({ error: describeError(error) }, message);
  const inference =
    parts.createInference?.(logger) ??
    createInferencePool({
      workers: config.inferenceWorkers,
      queue: config.inferenceQueue,
      onFailure: onError('an inference worker failed'),
    });
  cleanup.add(() => inference.close());

  const personStore = createPersonStore(connection);
  const usage = createUsageService({ store: createUsageStore(connection), clock });
  const consents = createConsentService({ store: createConsentStore(), ids, clock });
  const held = { database, keyRing, clock, random };
  const people = createPersonService({ ...held, people: personStore, lists, listStore, consents, audit, outbox });
  const enrolments = createEnrolmentService({
    ...held,
    people: personStore,
    lists: listStore,
    epochs,
    usage,
    consents,
    outbox,
    ids,
  });
  const deviceStore = createDeviceStore(connection);
  const devices = createDeviceService({
    database,
    store: deviceStore,
    lists,
    listStore,
    audit,
    outbox,
    ids,
    clock,
    random,
  });
  const sync = createSyncService({
    database,
    store: createSyncStore(connection),
    keyRing,
    signingKey,
    clock,
    onError: onError('what follows a sync failed'),
  });
  cleanup.add(() => sync.close());
  // To callers and devices these lists are gone: nobody waits for the rows.
  const deletions = lists.finishDeletions().catch(onError('an interrupted deletion could not be finished'));
  cleanup.add(() => deletions);

  let stopping = false;
  const authenticate = createAuthenticateAccount(accounts);
  const app = createApp({
    logger,
    random,
    observe: parts.observe,
    mount(router) {
      mountHealth(router, {
        database: createHealthStore(connection),
        modelsLoaded: () => inference.isReady(),
        stopping: () => stopping,
      });
      mountOpenApi(router);
      mountEvents(router, { events, authenticate });
      mountLists(router, { lists, authenticate });
      mountPeople(router, { lists, people, enrolments, inference, authenticate });
      mountDevices(router, { devices, authenticate });
      mountSync(router, { sync });
    },
  });
  const server = await startHttpServer(app, config.host, config.port, random);
  cleanup.add(() => server.close(SHUTDOWN_GRACE_MS));

  let closing: Promise<void> | null = null;
  return {
    url: server.url,
    logger,
    close() {
      stopping = true;
      closing ??= cleanup.run();
      return closing;
    },
  };
}

/** Opens the services without HTTP, for the command line. A running API's embedded database is shared with it. */
export async function composeAdmin(config: ApiConfig, parts: ApiParts = {}) {
  const cleanup = new Cleanup();
  const logger = createLogger('silent');
  try {
    const { accounts, audit, lists, signingKey } = await composeServices(config, parts, true, logger, cleanup);
    return { accounts, audit, lists, signingKey, close: () => cleanup.run() };
  } catch (error) {
    await cleanup.run().catch(() => undefined);
    throw error;
  }
}
