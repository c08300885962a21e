import { queryDatabase, startTestApi, type TestApi, type TestCustomer } from '@svc/api/testing';
import { deriveLookupKey, lookupTag, openRecord, parsePack } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { postgresOfRun } from '../support/postgres.ts';
import { TestDevice } from '../sync/device.ts';

/** A service with the real engine, and one organiser. */
export interface EnrolmentService {
  readonly api: TestApi;
  readonly customer: TestCustomer;
  createList(owner?: TestCustomer, request?: object): Promise<string>;
  /** Runs one statement as the database's owner, for what no endpoint does. */
  inDatabase(sql: string, values: unknown[]): Promise<unknown[]>;
  /** The template that a device would compare with, as stored. */
  templateOf(listId: string, personId: string): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface EnrolBody {
  readonly personId?: unknown;
  readonly photo?: Uint8Array | undefined;
  readonly imageBase64?: unknown;
  readonly consent?: object;
}

export function enrolBody({ personId = 'T-1', photo, imageBase64, consent }: EnrolBody) {
  return {
    personId,
    imageBase64: photo === undefined ? imageBase64 : Buffer.from(photo).toString('base64'),
    consent: {
      consentVersion: 'eu-v2',
      givenAt: new Date().toISOString(),
      explicitBiometricConsent: true,
      writtenRelease: true,
      under16: false,
      guardianConsent: false,
      ...consent,
    },
  };
}

/** @param environment settings of the API besides the default test settings */
export async function startEnrolmentService(environment: Record<string, string> = {}): Promise<EnrolmentService> {
  // Capacity for several requests at once: an account gets about half of the places.
  const api = await startTestApi(
    postgresOfRun(),
    {},
    { SVC_INFERENCE_WORKERS: '1', SVC_INFERENCE_QUEUE: '15', ...environment },
  );
  const customer = await api.customer({ country: 'DE' });
  return {
    api,
    customer,
    async createList(owner = customer, request = { name: 'Members', ongoing: true }) {
      const created = await owner.request<{ listId: string }>('POST', '/v1/lists', request);
      if (created.status !== 201) throw new Error(`no list: ${created.status}`);
      return created.body.listId;
    },
    inDatabase: (sql, values) => queryDatabase(api.config.databaseUrl, sql, values),
    async templateOf(listId, personId) {
      const { signingKey, keyId } = api.admin.region();
      const added = await customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`);
      const device = new TestDevice({ url: api.url, signingKey, keyId }, added.body.token);
      const answer = await device.sync();
      const listKey = device.openListKey(answer);
      const [epoch] = parsePack(answer.payload).epochs;
      const record = epoch?.find(lookupTag(deriveLookupKey(listKey), personId));
      if (!epoch || !record) throw new Error('not in the pack');
      return openRecord(createNodeAead(), { listKey, listId, personId, record, ...epoch });
    },
    close: () => api.close(),
  };
}
