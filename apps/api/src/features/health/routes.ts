import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import { type HealthStore, sharedAnswer } from './store.ts';

/** Alive: the process answers. Ready: it can also serve requests, as load balancers check before sending any. */
export function healthHandlers(o: {
  readonly database: HealthStore;
  readonly keyStore: HealthStore;
  readonly modelsLoaded: () => boolean;
  readonly stopping: () => boolean;
}) {
  const [database, keyStore] = [sharedAnswer(o.database), sharedAnswer(o.keyStore)];
  return {
    getHealth: () => ({ status: 'ok' }),
    async getReadiness() {
      if (o.stopping()) throw new ServiceError('not-ready', { detail: 'The service is stopping.' });
      if (!o.modelsLoaded()) throw new ServiceError('not-ready', { detail: 'The models are being loaded.' });
      if (!(await database.answers())) {
        throw new ServiceError('not-ready', { detail: 'The database does not answer.' });
      }
      if (!(await keyStore.answers())) {
        throw new ServiceError('not-ready', { detail: 'The key store does not answer.' });
      }
      return { status: 'ready' };
    },
  } satisfies Partial<Handlers>;
}
