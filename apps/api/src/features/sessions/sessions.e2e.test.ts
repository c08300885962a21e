import type { PasskeyChallenge, Session } from '@svc/protocol';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestAuthenticator } from '../../testing/authenticator.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { addPasskey, createPerson, signInWithPasskey, toPerson, visit } from '../../testing/person.ts';
import { createManualClock, startTestApi, type TestApi, type TestCustomer } from '../../testing/test-api.ts';

const clock = createManualClock();
let api: TestApi;
let customer: TestCustomer;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference, clock });
  customer = await api.customer({ country: 'DE' });
});
afterAll(() => api.close());

it('an invitation signs in, a passkey is added, and signs in from then on', async () => {
  const person = await createPerson(api, customer.accountId, { role: 'manager' });
  expect((await person.request('GET', '/v1/session')).body).toMatchObject({ way: 'invitation', passkeys: 0 });
  const authenticator = new TestAuthenticator();
  await addPasskey(api, person, authenticator);
  const again = await signInWithPasskey(api, authenticator);
  expect(again.session).toMatchObject({ way: 'passkey', passkeys: 1, user: { userId: person.userId } });
  expect((await again.request('GET', '/v1/lists')).status).toBe(200);
});

it('a passkey’s answer signs in once', async () => {
  const person = await createPerson(api, customer.accountId);
  const authenticator = new TestAuthenticator();
  await addPasskey(api, person, authenticator);
  const begun = await visit<PasskeyChallenge>(api, 'POST', '/v1/sign-in/passkey/options');
  const answer = authenticator.get(begun.body);
  toPerson(api, await visit<Session>(api, 'POST', '/v1/sign-in/passkey', answer));
  expect(await visit(api, 'POST', '/v1/sign-in/passkey', answer)).toMatchObject({
    status: 401,
    body: { code: 'sign-in-failed' },
  });
});
