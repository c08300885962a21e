import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { createEnrolmentService } from '../features/people/enrolment.ts';
import { createEnrolmentStore } from '../features/people/enrolment-store.ts';
import { createPersonService } from '../features/people/service.ts';
import { createSyncService } from '../features/sync/service.ts';
import { createSyncStore } from '../features/sync/store.ts';
import { createWidgetService } from '../features/widget/service.ts';
import { createWidgetStore } from '../features/widget/store.ts';
import { observeInference } from '../inference/observe.ts';
import { createInferencePool } from '../inference/pool.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { describeError } from '../platform/logger.ts';
import type { ApiParts } from './parts.ts';
import type { Services } from './services.ts';

/** Parts of nodes that answer requests: the inference threads, and the services of guests, people and devices. */
export type Serving = ReturnType<typeof composeServing>;

/** @param cleanup releases what is opened here */
export function composeServing(
  services: Services,
  o: { readonly config: ApiConfig; readonly parts: ApiParts; readonly logger: Logger },
  cleanup: Cleanup,
) {
  const { config, parts, logger } = o;
  const { personStore, mailingStore, listStore, engines, addOnDirectory, metrics } = services;
  const { connection } = services.database;
  const onError = (message: string) => (error: unknown) => logger.error({ error: describeError(error) }, message);

  const { inferenceWorkers: workers, inferenceQueue: queue } = config;
  const { engineId } = engines.standard;
  const pool =
    parts.createInference?.(logger) ??
    createInferencePool({
      ...{ engineId, addOnDirectory, workers, queue },
      onFailure: onError('an inference worker failed'),
    });
  const inference = observeInference(pool, { metrics, workers, places: workers + queue });
  cleanup.add(() => inference.close());

  const people = createPersonService({ ...services, mailings: mailingStore, people: personStore });
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
    onError: onError('what follows a sync failed'),
  });
  cleanup.add(() => sync.close());
  return { inference, people, enrolments, widget, sync };
}
