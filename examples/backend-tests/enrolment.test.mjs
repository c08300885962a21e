// Every answer that an enrolment can have, by drawn photos: no camera, no face, no network but the service's.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testConsent, testPhoto } from '@svc/server-sdk/testing';
import { client, newList } from './account.mjs';

let list;
const made = [];
/** Deleted in the end, also when a test fails: a test account has room for few lists. */
async function makeList() {
  made.push(await newList());
  return made.at(-1);
}
before(async () => {
  list = await makeList();
});
after(() => Promise.allSettled(made.map(({ listId }) => client.deleteList(listId))));

/** @param change of a request that succeeds */
const personOf = (personId, change = {}) => ({
  personId,
  image: testPhoto('enrolled'),
  consent: testConsent(list.consentVersion),
  ...change,
});
const enrol = (personId, change) => client.enrolPerson(list.listId, personOf(personId, change));
const refused = (status, code) => (error) => {
  assert.deepEqual([error.status, error.code], [status, code]);
  return true;
};

test('201: enrolled, and again with another face', async () => {
  assert.equal((await enrol('T-1')).personId, 'T-1');
  await enrol('T-1', { image: testPhoto('different-person') });
  assert.equal((await client.getPerson(list.listId, 'T-1')).state, 'enrolled');
});

for (const name of ['no-face', 'several-faces', 'face-too-small', 'too-dark', 'too-bright', 'blurred'])
  test(`422: ${name}`, () => assert.rejects(enrol('T-2', { image: testPhoto(name) }), refused(422, name)));
for (const name of ['turned-away', 'covered', 'photo-not-live'])
  test(`422: ${name}`, () => assert.rejects(enrol('T-2', { image: testPhoto(name) }), refused(422, name)));

test('422: two photos of different people', () => {
  const additionalImages = [testPhoto('different-person')];
  return assert.rejects(enrol('T-2', { additionalImages }), refused(422, 'different-person'));
});

test('422: a photo of a person, which no test account takes', () =>
  assert.rejects(enrol('T-2', { image: new Uint8Array([1]) }), refused(422, 'not-a-test-photo')));

test('400: not an image; no personId; a box that is not ticked', async () => {
  await assert.rejects(enrol('T-2', { image: testPhoto('image-invalid') }), refused(400, 'image-invalid'));
  await assert.rejects(enrol(''), refused(400, 'invalid-request'));
  const consent = { ...testConsent(list.consentVersion), writtenRelease: false };
  await assert.rejects(enrol('T-2', { consent }), refused(400, 'invalid-request'));
});

test('402: more people than a test account may have', async () => {
  const { listId } = await makeList();
  const people = Array.from({ length: 100 }, (_, i) => personOf(`T-${i}`));
  const { results } = await client.enrolPeople(listId, people);
  assert.ok(results.every(({ status }) => status === 201));
  await assert.rejects(client.enrolPerson(listId, personOf('T-100')), refused(402, 'test-limit-reached'));
});

test('404: no such list', async () => {
  const { listId } = await makeList();
  await client.deleteList(listId);
  await assert.rejects(client.enrolPerson(listId, personOf('T-1')), refused(404, 'not-found'));
});

test('409: other consent wording; enrolment closed; the list ended', async () => {
  await assert.rejects(enrol('T-2', { consent: testConsent('us-v2') }), refused(409, 'consent-version-mismatch'));
  const { listId } = await makeList();
  await client.closeEnrollment(listId);
  await assert.rejects(client.enrolPerson(listId, personOf('T-1')), refused(409, 'enrolment-closed'));
  await client.endList(listId);
  await assert.rejects(client.enrolPerson(listId, personOf('T-1')), refused(409, 'list-ended'));
});

test('413: a photo that is too large', () =>
  assert.rejects(enrol('T-2', { image: new Uint8Array(16 * 2 ** 20) }), refused(413, 'request-too-large')));
