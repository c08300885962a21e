import type { Engines } from '../../inference/engines.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import type { Lack, Readiness } from './readiness.ts';

const DETAILS: Readonly<Record<Lack, string>> = {
  stopping: 'The service is stopping.',
  models: 'The models are being loaded.',
  database: 'The database does not answer.',
  'key-store': 'The key store does not answer.',
  'key-encryption': 'The key-encryption keys are not available now.',
};

/** Alive: the process answers. Ready: it can also serve requests, as load balancers check before sending any. */
export function healthHandlers(o: { readonly readiness: Pick<Readiness, 'lack'>; readonly engines: Engines }) {
  return {
    getHealth: () => ({ status: 'ok' }),
    async getReadiness() {
      const lack = await o.readiness.lack();
      if (lack !== null) throw new ServiceError('not-ready', { detail: DETAILS[lack] });
      return { status: 'ready', models: o.engines.models };
    },
  } satisfies Partial<Handlers>;
}
