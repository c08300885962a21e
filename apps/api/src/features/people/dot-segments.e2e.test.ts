import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createManualClock,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';

const clock = createManualClock();
let api: TestApi;
let customer: TestCustomer;
let listId: string;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { clock, createInference: createFakeInference });
  customer = await api.customer({ country: 'FR' });
  listId = await createList(customer);
});
afterAll(() => api.close());

const enrol = (personId: string) => enrolPerson(listId, enrolBody(clock, { personId }), customer);
const peopleOf = async (query: string) => {
  const { body } = await customer.request<{ items: { personId: string }[]; nextCursor: null }>(
    'GET',
    `/v1/lists/${listId}/people${query}`,
  );
  expect(body.nextCursor).toBeNull();
  return body.items.map(({ personId }) => personId);
};

/** Sends a path as it is; `fetch` and every other client of the URL standard resolves its dots first. */
function sendRaw(method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const headers = { 'X-Api-Key': customer.apiKey };
    const sent = httpRequest({ hostname, port, method, path, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

it.each(['.', '..'])('a person called %j is read and erased by the query, where Location leads', async (personId) => {
  const location = (await enrol(personId)).headers.get('location') ?? '';
  expect(location).toBe(`/v1/lists/${listId}/people?personId=${personId}`);
  expect(new URL(location, api.url).href).toBe(`${api.url}${location}`);
  expect(await peopleOf(`?personId=${personId}`)).toEqual([personId]);
  expect((await customer.request('DELETE', location)).status).toBe(204);
  expect(await peopleOf(`?personId=${personId}`)).toEqual([]);
  expect((await customer.request('DELETE', location)).status).toBe(404);
});

it.each(['a/b', 'a%2Fb', 'a%252Fb', '%2e%2e', 'a\r\nX-Injected: 1', '?personId=a&b#c'])(
  'a person called %j is one name in Location and in a path, decoded once',
  async (personId) => {
    const answer = await enrol(personId);
    const location = `/v1/lists/${listId}/people/${encodeURIComponent(personId)}`;
    expect([answer.headers.get('location'), answer.headers.get('x-injected')]).toEqual([location, null]);
    expect((await customer.request('GET', location)).body.personId).toBe(personId);
    // Of what is decoded twice, or not at all, nothing would be left to erase here.
    expect((await customer.request('DELETE', location)).status).toBe(204);
    expect(await peopleOf(`?personId=${encodeURIComponent(personId)}`)).toEqual([]);
  },
);

it.each(['..', '.', '%2e%2e', '%2E', '../', './..'])('DELETE …/people/%s is 404 and deletes nothing', async (path) => {
  await enrol('somebody');
  expect((await customer.request('DELETE', `/v1/lists/${listId}/people/${path}`)).status).toBe(404);
  expect(await sendRaw('DELETE', `/v1/lists/${listId}/people/${path}`)).toBe(404);
  expect((await customer.request('GET', `/v1/lists/${listId}`)).status).toBe(200);
  expect(await peopleOf('')).toEqual(['somebody']);
});

it('by the query anybody can be named, and somebody has to be for a deletion', async () => {
  await enrol('a/b & c');
  expect(await peopleOf('?personId=a%2Fb%20%26%20c')).toEqual(['a/b & c']);
  expect(await peopleOf('?personId=')).toEqual([]);
  for (const query of ['', '?reason=consent-withdrawn', '?personId=a&personId=b', '?personId=a&reason=other']) {
    const answer = await customer.request('DELETE', `/v1/lists/${listId}/people${query}`);
    expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'invalid-request']);
  }
  expect((await customer.request('DELETE', `/v1/lists/${listId}/people?personId=nobody`)).status).toBe(404);
  expect(await peopleOf('?personId=a%2Fb%20%26%20c')).toEqual(['a/b & c']);
  const other = await api.customer();
  expect((await other.request('DELETE', `/v1/lists/${listId}/people?personId=somebody`)).status).toBe(404);
});
