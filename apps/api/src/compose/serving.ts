import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { createArrivalService } from '../features/arrivals/service.ts';
import { createArrivalStore } from '../features/arrivals/store.ts';
import { createEnrolmentService } from '../features/people/enrolment.ts';
import { createEnrolmentStore } from '../features/people/enrolment-store.ts';
import { createExpiryStore } from '../features/people/expiry-store.ts';
import { createPersonService } from '../features/people/service.ts';
import { createSyncService } from '../features/sync/service.ts';
import { createSyncStore } from '../features/sync/store.ts';
import { createGuestStore } from '../features/tokens/guest-store.ts';
import { createGuestService } from '../features/tokens/guests.ts';
import { createWidgetService } from '../features/widget/service.ts';
import { createWidgetStore } from '../features/widget/store.ts';
import { observeInference } from '../inference/observe.ts';
import { createInferencePool } from '../inference/pool.ts';
import type { InferencePool } from '../inference/port.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { describeError } from '../platform/logger.ts';
import type { InstalledEngines } from './engines.ts';
import type { ApiParts } from './parts.ts';
import type { Services } from './services.ts';

/** Parts of nodes that answer requests: the inference threads, and the services of guests, people and devices. */
export type Serving = ReturnType<typeof composeServing>;

interface NodeParts {
  readonly config: ApiConfig;
  readonly parts: ApiParts;
  readonly logger: Logger;
}

const errorLine = (logger: Logger, message: string) => (error: unknown) =>
  logger.error({ error: describeError(error) }, message);

/** Starts the inference threads, which load their models by themselves. @param cleanup ends them */
export function openInference(
  installed: InstalledEngines,
  { config, parts, logger }: NodeParts,
  cleanup: Cleanup,
): InferencePool {
  const { inferenceWorkers: workers, inferenceQueue: queue } = config;
  const { addOnDirectory } = installed;
  const { engineId } = (parts.engines ?? installed.engines).standard;
  const pool =
    parts.createInference?.(logger) ??
    createInferencePool({
      ...{ engineId, addOnDirectory, workers, queue },
      onFailure: errorLine(logger, 'an inference worker failed'),
    });
  cleanup.add(() => pool.close());
  return pool;
}

/** @param cleanup releases what is opened here */
export function composeServing(
  services: Services,
  { config, logger, pool }: Pick<NodeParts, 'config' | 'logger'> & { readonly pool: InferencePool },
  cleanup: Cleanup,
) {
  const { personStore, mailingStore, listStore, metrics } = services;
  const { connection } = services.database;
  const { inferenceWorkers: workers, inferenceQueue: queue } = config;
  const inference = observeInference(pool, { metrics, workers, places: workers + queue });

  const people = createPersonService({
    ...services,
    mailings: mailingStore,
    people: personStore,
    expiryStore: createExpiryStore(connection),
  });
  const guests = createGuestService({ ...services, people, store: createGuestStore(connection) });
  const store = createEnrolmentStore(connection);
  const enrolments = createEnrolmentService({ ...services, store, people: personStore, lists: listStore });
  const widget = createWidgetService({
    ...services,
    mailings: mailingStore,
    store: createWidgetStore(connection),
    enrolments,
  });
  const sync = createSyncService({
    ...services,
    store: createSyncStore(connection),
    checkInOrigins: config.checkInOrigins,
    payloadsOrigin: config.payloadsOrigin,
    onError: errorLine(logger, 'what follows a sync failed'),
  });
  cleanup.add(() => sync.close());
  services.whenMoved(() => sync.forget());
  const arrivals = createArrivalService({ ...services, store: createArrivalStore(connection) });
  return { inference, people, guests, enrolments, widget, sync, arrivals };
}
