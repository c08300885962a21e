import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { createList, enrolBody, inDatabase } from '../enrolment-fixture.ts';
import { createFakeInference, createManualClock, startTestApi, type TestApi, type TestCustomer } from '../index.ts';
import type { ReceivedNotification } from '../webhook-receiver.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { Deployment } from './partial-writes.ts';

const clock = createManualClock();
const OTHER = '2001-01-01T00:00:00.000Z';
let api: TestApi;
let deployment: Deployment;
let customer: TestCustomer;
let listId: string;
let acknowledged: Acknowledgements;
let deleteAfter: string;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { clock, createInference: createFakeInference });
  deployment = await composeAdmin(api.config, { clock });
});
afterAll(async () => {
  await deployment.close();
  await api.close();
});

async function enrol(personId: string): Promise<string> {
  const body = enrolBody(clock, { personId });
  const enrolled = await customer.request<{ deleteAfter: string }>('POST', `/v1/lists/${listId}/people`, body);
  acknowledged.enrolled(listId, personId, enrolled.body.deleteAfter);
  return enrolled.body.deleteAfter;
}

beforeEach(async () => {
  customer = await api.customer({ country: 'DE' });
  listId = await createList(customer);
  acknowledged = new Acknowledgements();
  deleteAfter = await enrol('anna');
  await enrol('ben');
  await customer.request('DELETE', `/v1/lists/${listId}/people/ben?reason=consent-withdrawn`);
  acknowledged.erased(listId, 'ben', true);
  await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
  acknowledged.closed(listId, 'list.closed');
});

const differences = () => acknowledged.compare(deployment, customer.accountId);

describe('acknowledgements compared with the database', () => {
  it('agrees where nothing is wrong', async () => {
    expect(await differences()).toEqual([]);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'an enrolment that is not there',
      () => acknowledged.enrolled(listId, 'cem', OTHER),
      /cem: told 2001-.*, there is null/,
    ],
    [
      'another face than acknowledged',
      () => acknowledged.enrolled(listId, 'anna', OTHER),
      /anna: told 2001-.*, there is 2/,
    ],
    ['an erasure that was undone', () => acknowledged.erased(listId, 'anna', false), /anna: told null, there is 2/],
    [
      'a withdrawal that is not in the ledger',
      () => acknowledged.erased(listId, 'anna', true),
      /1 withdrawals told, 0 in/,
    ],
    ['an effect that happened twice', () => enrolTwice(), /1 enrolments told, 2 consents/],
    ['an unacknowledged person', () => enrolUntold(), /is there, nobody was told/],
    ['a bill of more people than acknowledged', () => enrolUntold(), /3 people billed, 2 told/],
    ['a deletion that left something', () => acknowledged.deleted(listId), /was deleted, and something of it is there/],
    [
      'an enrolment after the close',
      () => inDatabase(api, 'UPDATE faces SET version = 1000 WHERE list_id = $1', [listId]),
      /an enrolment was committed after its close/,
    ],
  ])('%s is found', async (_what, plant, finding) => {
    await plant();
    expect(await differences()).toEqual(expect.arrayContaining([expect.stringMatching(finding)]));
  });

  async function enrolUntold(): Promise<void> {
    await inDatabase(api, 'UPDATE lists SET enrollment_closed_at = NULL WHERE list_id = $1', [listId]);
    await customer.request('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId: 'dora' }));
  }

  async function enrolTwice(): Promise<void> {
    await inDatabase(api, 'UPDATE lists SET enrollment_closed_at = NULL WHERE list_id = $1', [listId]);
    await customer.request('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId: 'anna' }));
  }
});

describe('what a receiver got', () => {
  const notification = (id: string, type: string, data: Record<string, unknown>): ReceivedNotification => {
    const body = { type, timestamp: '2026-06-01T10:00:00.000Z', data };
    return { headers: { 'webhook-id': id }, text: JSON.stringify(body), body };
  };
  const enrolled = (id: string, until = deleteAfter) =>
    notification(id, 'person.enrolled', { listId, personId: 'anna', deleteAfter: until });
  const deleted = () => notification('d', 'person.deleted', { listId, personId: 'ben', reason: 'consent-withdrawn' });
  const closed = (id = 'c') => notification(id, 'list.closed', { listId });

  it('agrees, however often it came', () => {
    const received = [enrolled('a'), deleted(), closed(), enrolled('a'), closed()];
    expect(acknowledged.compareNotifications(received)).toEqual([]);
  });

  it.each<[string, () => ReceivedNotification[], RegExp]>([
    ['a missing notification of an enrolment', () => [deleted(), closed()], /^not delivered: enrolled/],
    ['a missing notification of a deletion', () => [enrolled('a'), closed()], /^not delivered: person.deleted/],
    ['a missing notification of a close', () => [enrolled('a'), deleted()], /^0 deliveries of what happened once/],
    [
      'a close with two notifications',
      () => [enrolled('a'), deleted(), closed(), closed('e')],
      /^2 deliveries of what/,
    ],
    [
      'an enrolment with two notifications',
      () => [enrolled('a'), enrolled('b'), deleted(), closed()],
      /^2 deliveries of one enrol/,
    ],
    [
      'an enrolment that was not committed',
      () => [enrolled('a'), enrolled('b', OTHER), deleted(), closed()],
      /^nobody was told of person.enrolled .* anna 2001-/,
    ],
    ['one delivery that says two things', () => [enrolled('a'), deleted(), closed('a')], /^one delivery that says two/],
  ])('%s is found', (_what, received, finding) => {
    expect(acknowledged.compareNotifications(received())).toEqual(
      expect.arrayContaining([expect.stringMatching(finding)]),
    );
  });
});
