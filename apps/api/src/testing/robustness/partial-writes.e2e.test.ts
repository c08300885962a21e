import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { createList, enrolBody, enrolPerson, inDatabase } from '../enrolment-fixture.ts';
import { createFakeInference, createManualClock, startTestApi, type TestApi, type TestCustomer } from '../index.ts';
import { loseKeys } from '../key-stores.ts';
import { createGuestPage, createStage, createToken } from '../widget-fixture.ts';
import { type Deployment, findPartialWrites } from './partial-writes.ts';

const clock = createManualClock();
let api: TestApi;
let deployment: Deployment;
let customer: TestCustomer;
let listId: string;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { clock, createInference: createFakeInference });
  deployment = await composeAdmin(api.config, { clock });
  await enrolSome();
});
afterAll(async () => {
  await deployment.close();
  await api.close();
});

/** All kinds of changes: enrolments, replacement, erasure, withdrawal, a guest, a deleted list. */
async function enrolSome(): Promise<void> {
  customer = await api.customer({ country: 'DE' });
  listId = await createList(customer);
  for (const personId of ['anna', 'ben', 'ben', 'cem', 'dora']) {
    expect((await enrolPerson(listId, enrolBody(clock, { personId }), customer)).status).toBe(201);
  }
  const people = `/v1/lists/${listId}/people`;
  await customer.request('DELETE', `${people}/cem`);
  await customer.request('DELETE', `${people}/dora?reason=consent-withdrawn`);
  const stage = await createStage(customer, clock);
  const { token } = await createToken(customer, stage.eventId);
  expect((await createGuestPage(api, token).enrol({ key: 'page' })).status).toBe(201);
  const gone = await createList(customer);
  await enrolPerson(gone, enrolBody(clock, { personId: 'emil' }), customer);
  await customer.request('DELETE', `/v1/lists/${gone}`);
  await customer.request('POST', '/v1/webhooks', { url: 'https://receiver.invalid/hook' });
  await enrolPerson(listId, enrolBody(clock, { personId: 'anna' }), customer);
  await customer.request('POST', `/v1/lists/${listId}/end`, undefined, { headers: { 'Idempotency-Key': 'end' } });
}

it('finds nothing where nothing is wrong', async () => {
  expect(await findPartialWrites(deployment, customer.accountId)).toEqual([]);
});

/** Findings after a statement, which is then rolled back. */
async function findPlanted(sql: string): Promise<string[]> {
  const { database } = deployment;
  const tx = await database.connection.transaction();
  try {
    await tx.raw(sql.replaceAll('$1', `'${listId}'`));
    return await findPartialWrites({ ...deployment, database: { ...database, connection: tx } }, customer.accountId);
  } finally {
    await tx.rollback();
  }
}

const ANNA = "list_id = $1 AND person_id = 'anna'";
const HER_FACE = `(account_id, list_id, epoch, tag) = (SELECT account_id, list_id, face_epoch, face_tag FROM people WHERE ${ANNA})`;

describe('a planted fault is found:', () => {
  it.each<[string, string, RegExp]>([
    ['a face that is missing', `DELETE FROM faces WHERE ${HER_FACE}`, /^a person without a face/],
    ['a person who is missing', `DELETE FROM people WHERE ${ANNA}`, /^a face without a person/],
    [
      'a later deadline',
      `UPDATE people SET delete_after = delete_after + interval '1s' WHERE ${ANNA}`,
      /^a person who differs/,
    ],
    [
      'a removal of a face that is there',
      `INSERT INTO face_removals SELECT account_id, list_id, epoch, tag, 1, now() FROM faces WHERE ${HER_FACE}`,
      /^a face that is removed and there/,
    ],
    ['a version twice', 'UPDATE faces SET version = 3 WHERE list_id = $1', /^two changes of one version/],
    [
      'a version back in time',
      'UPDATE lists SET list_version = 2 WHERE list_id = $1',
      /^a change above its list’s version/,
    ],
    [
      'a wrong count of people',
      'UPDATE accounts SET people_billed = people_billed + 1 WHERE account_id = (SELECT account_id FROM lists WHERE list_id = $1)',
      /^a bill that counts other people/,
    ],
    [
      'people who were not billed',
      'DELETE FROM billed_people WHERE account_id = (SELECT account_id FROM lists WHERE list_id = $1)',
      /^a person who is not on the bill/,
    ],
    ['a deletion that stopped', 'UPDATE lists SET deleting_at = now() WHERE list_id = $1', /^a list that a deletion/],
    [
      'a record of another',
      `UPDATE faces SET record = overlay(record placing '\\x00' from 100) WHERE ${HER_FACE}`,
      /^a face that does not open/,
    ],
    [
      'a consent that is missing',
      'DELETE FROM consents WHERE list_id = $1 AND seq = (SELECT max(seq) FROM consents WHERE list_id = $1)',
      /^a chain of another length/,
    ],
    [
      'a consent without a face',
      'WITH p AS (DELETE FROM people WHERE list_id = $1) DELETE FROM faces WHERE list_id = $1',
      /^a consent without a face/,
    ],
    [
      'a delivery without its words',
      'UPDATE webhook_deliveries SET payload = NULL WHERE account_id = (SELECT account_id FROM lists WHERE list_id = $1)',
      /^a delivery that waits with nothing to say/,
    ],
    [
      'an answer without its words',
      'UPDATE idempotent_requests SET answer_sealed = NULL WHERE account_id = (SELECT account_id FROM lists WHERE list_id = $1)',
      /^an answer that is half kept/,
    ],
    [
      'a ticket that was not forgotten',
      "UPDATE enrolment_tokens SET ticket_id_sealed = '\\x01' WHERE account_id = (SELECT account_id FROM lists WHERE list_id = $1)",
      /^a spent token that still knows/,
    ],
  ])('%s', async (_what, sql, finding) => {
    expect(await findPlanted(sql)).toEqual(expect.arrayContaining([expect.stringMatching(finding)]));
  });

  // The ledger and keys are read on other connections, so these two changes are committed.
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a consent that was changed',
      () => inDatabase(api, 'UPDATE consents SET under16 = true WHERE list_id = $1 AND seq = 1', [listId]),
      /^the ledger, commitment-mismatch/,
    ],
    ['keys that are gone', () => loseKeys(api.config, listId), /^a face that does not open/],
  ])('%s', async (_what, plant, finding) => {
    await plant();
    expect(await findPartialWrites(deployment, customer.accountId)).toEqual(
      expect.arrayContaining([expect.stringMatching(finding)]),
    );
  });
});
