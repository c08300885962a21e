import { expect } from 'vitest';
import type { Database } from '../db/connection.ts';
import { queryDatabase } from './postgres.ts';
import type { ManualClock, TestApi, TestCustomer } from './test-api.ts';

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

export interface BodyOptions {
  readonly personId?: unknown;
  readonly image?: string;
  readonly consent?: object;
  readonly photoSource?: unknown;
  readonly metadata?: object;
}

/** An enrolment request, with options for deviations. */
export function enrolBody(clock: Pick<ManualClock, 'now'>, o: BodyOptions = {}) {
  return {
    personId: 'personId' in o ? o.personId : 'ticket-1',
    imageBase64: base64(o.image ?? 'a face'),
    ...('photoSource' in o ? { photoSource: o.photoSource } : {}),
    ...(o.metadata === undefined ? {} : { metadata: o.metadata }),
    consent: {
      consentVersion: 'eu-v2',
      givenAt: new Date(clock.now()).toISOString(),
      explicitBiometricConsent: true,
      writtenRelease: true,
      under16: false,
      guardianConsent: false,
      ...o.consent,
    },
  };
}

export async function createList(
  owner: TestCustomer,
  request: object = { name: 'Members', ongoing: true },
): Promise<string> {
  const created = await owner.request<{ listId: string }>('POST', '/v1/lists', request);
  expect(created.status).toBe(201);
  return created.body.listId;
}

export const enrolPerson = (listId: string, request: unknown, owner: TestCustomer) =>
  owner.request('POST', `/v1/lists/${listId}/people`, request);

/**
 * Puts people `from` to `to` into a list directly, as enrolling each would take hours: records of the right size, with tag
 * and deadline. The list's version is then `to` + 1.
 */
export async function fillList(
  { connection }: Pick<Database, 'connection'>,
  { accountId, listId }: { readonly accountId: string; readonly listId: string },
  to: number,
  from = 1,
): Promise<void> {
  await connection.raw(
    `INSERT INTO faces (account_id, list_id, epoch, tag, record, delete_after, version)
     SELECT ?, ?, 1, decode(md5(i::text), 'hex'), decode(md5(i::text) || rpad('', 16, '0') || rpad('', 592, md5(i::text)), 'hex'),
            now() + interval '100 days', i + 1
     FROM generate_series(?::integer, ?::integer) AS i`,
    [accountId, listId, from, to],
  );
  await connection('lists')
    .where({ list_id: listId })
    .update({ list_version: to + 1 });
}

/** Rows of a statement, for data without an endpoint. */
export const inDatabase = <Row extends object>(api: TestApi, sql: string, values: unknown[]) =>
  queryDatabase<Row>(api.ownerUrl, sql, values);
