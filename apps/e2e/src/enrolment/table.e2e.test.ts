import type { TestCustomer } from '@svc/api/testing';
import { MAX_ENROLMENT_BODY_BYTES } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portrait, unusable } from './photos.ts';
import { type EnrolBody, type EnrolmentService, enrolBody, startEnrolmentService } from './service.ts';

let service: EnrolmentService;
let customer: TestCustomer;
let photo: Buffer;

beforeAll(async () => {
  service = await startEnrolmentService();
  customer = service.customer;
  photo = await portrait();
});
afterAll(() => service.close());

async function enrol(listId: string, body: EnrolBody = {}, owner = customer) {
  const answer = await owner.request('POST', `/v1/lists/${listId}/people`, enrolBody({ photo, ...body }));
  return { ...answer, outcome: answer.status === 201 ? '201' : `${answer.status} ${answer.body.code}` };
}

const tooMany = async (accountId: string, people: number) => {
  await service.inDatabase('UPDATE accounts SET people_billed = $1 WHERE account_id = $2', [people, accountId]);
};

describe('POST /v1/lists/{listId}/people, row by row', () => {
  it('201: enrolled, with Location, personId, modelId and deleteAfter', async () => {
    const listId = await service.createList();
    const answer = await enrol(listId, { personId: 'Gast 1/ä' });
    expect(answer.outcome).toBe('201');
    expect(answer.headers.get('location')).toBe(`/v1/lists/${listId}/people/Gast%201%2F%C3%A4`);
    expect(Object.keys(answer.body).sort()).toEqual(['deleteAfter', 'modelId', 'personId']);
    expect((await customer.request('GET', answer.headers.get('location') ?? '')).status).toBe(200);
  });

  it('201: the face of an existing personId is replaced', async () => {
    const listId = await service.createList();
    const first = await enrol(listId);
    const before = await service.templateOf(listId, 'T-1');
    const second = await enrol(listId, { photo: await portrait(1) });
    expect([first.outcome, second.outcome]).toEqual(['201', '201']);
    expect(second.body.modelId).toBe(first.body.modelId);
    expect(await service.templateOf(listId, 'T-1')).not.toEqual(before);
  });

  it.each<[string, EnrolBody]>([
    ['personId empty', { personId: '' }],
    ['personId over 200 characters', { personId: 'x'.repeat(201) }],
    ['no explicit consent', { consent: { explicitBiometricConsent: false } }],
    ['no written release', { consent: { writtenRelease: false } }],
    ['no guardian consent for under-16', { consent: { under16: true, guardianConsent: false } }],
    ['consent of no shape', { consent: { givenAt: 'today' } }],
    ['image not valid base64', { photo: undefined, imageBase64: 'not base64!' }],
  ])('400: %s', async (_name, body) => {
    expect((await enrol(await service.createList(), body)).outcome).toBe('400 invalid-request');
  });

  it.each(['personId', 'consent', 'imageBase64'])('400: %s missing', async (field) => {
    const listId = await service.createList();
    const rest = { ...enrolBody({ photo }), [field]: undefined };
    const answer = await customer.request('POST', `/v1/lists/${listId}/people`, rest);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid-request']);
    expect(answer.body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });

  it('400: image neither JPEG nor PNG', async () => {
    const answer = await enrol(await service.createList(), { photo: Buffer.from('GIF89a') });
    expect(answer.outcome).toBe('400 image-invalid');
  });

  it('402: no plan', async () => {
    const owner = await service.api.customer({ country: 'DE', plan: null });
    expect((await enrol(await service.createList(owner), {}, owner)).outcome).toBe('402 no-plan');
  });

  it('402: more people than the pilot’s 500, except when a face is replaced', async () => {
    const owner = await service.api.customer({ country: 'DE' });
    const listId = await service.createList(owner);
    expect((await enrol(listId, { personId: 'first' }, owner)).outcome).toBe('201');
    await tooMany(owner.accountId, 499);
    expect((await enrol(listId, { personId: 'the 500th' }, owner)).outcome).toBe('201');
    expect((await enrol(listId, { personId: 'the 501st' }, owner)).outcome).toBe('402 plan-limit-reached');
    expect((await enrol(listId, { personId: 'first' }, owner)).outcome).toBe('201');
  });

  it('404: no such list, or another account’s', async () => {
    const listId = await service.createList();
    const stranger = await service.api.customer({ country: 'DE' });
    expect((await enrol(listId, {}, stranger)).outcome).toBe('404 not-found');
    expect((await enrol(`${listId.slice(0, -4)}0000`)).outcome).toBe('404 not-found');
  });

  it('409: closed, ended, another consent version', async () => {
    const listId = await service.createList();
    for (const consentVersion of ['us-v2', 'uk-v2', 'eu-v1']) {
      expect((await enrol(listId, { consent: { consentVersion } })).outcome).toBe('409 consent-version-mismatch');
    }
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    expect((await enrol(listId)).outcome).toBe('409 enrolment-closed');
    await customer.request('POST', `/v1/lists/${listId}/end`);
    expect((await enrol(listId)).outcome).toBe('409 list-ended');
  });

  it('413: over 15 MB', async () => {
    const listId = await service.createList();
    const answer = await customer.request(
      'POST',
      `/v1/lists/${listId}/people`,
      'x'.repeat(MAX_ENROLMENT_BODY_BYTES + 1),
    );
    expect([answer.status, answer.body.code]).toEqual([413, 'request-too-large']);
  });

  it('422: no face, several faces, too small', async () => {
    const listId = await service.createList();
    for (const kind of ['an empty room', 'two faces', 'a tiny face']) {
      const { code, photo: take } = unusable[kind] ?? {};
      expect((await enrol(listId, { photo: await take?.() })).outcome).toBe(`422 ${code}`);
    }
  });
});

describe('the rules besides', () => {
  it('consent is checked before the image: an invalid image is not decoded', async () => {
    const listId = await service.createList();
    const image = { photo: Buffer.from('no image') };
    expect((await enrol(listId, { ...image, consent: { writtenRelease: false } })).outcome).toBe('400 invalid-request');
    expect((await enrol(listId, { ...image, consent: { consentVersion: 'us-v2' } })).outcome).toBe(
      '409 consent-version-mismatch',
    );
    expect((await enrol(listId, image)).outcome).toBe('400 image-invalid');
  });

  it('each country has its own consent version, and only that is accepted', async () => {
    for (const [country, accepted] of [
      ['US', 'us-v2'],
      ['FR', 'eu-v2'],
      ['IS', 'eu-v2'],
      ['GB', 'uk-v2'],
      ['CH', 'uk-v2'],
    ]) {
      const listId = await service.createList(customer, { name: 'x', ongoing: true, country });
      for (const consentVersion of ['us-v2', 'eu-v2', 'uk-v2']) {
        const { status } = await enrol(listId, { consent: { consentVersion } });
        expect([country, consentVersion, status]).toEqual([
          country,
          consentVersion,
          consentVersion === accepted ? 201 : 409,
        ]);
      }
    }
  });

  it('several at once are all enrolled, each with the right face', async () => {
    const listId = await service.createList();
    const photos = await Promise.all([0, 1, 2].map((i) => portrait(i)));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => enrol(listId, { personId: `p${i}`, photo: photos[i % 3] })),
    );
    expect(answers.map((answer) => answer.outcome)).toEqual(Array.from({ length: 6 }, () => '201'));
    const people = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toHaveLength(6);
    expect(await service.templateOf(listId, 'p0')).toEqual(await service.templateOf(listId, 'p3'));
    expect(await service.templateOf(listId, 'p0')).not.toEqual(await service.templateOf(listId, 'p1'));
  });
});
