import { type FaceCore, loadCore } from '@svc/core';
import { engineOf } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrolBody, type Service, startService } from '../support/service.ts';
import { portrait, readable, unusable } from './photos.ts';

let service: Service;
let listId: string;

beforeAll(async () => {
  service = await startService();
  listId = await service.createList();
});
afterAll(() => service.close());

const enrol = (personId: string, photo: Uint8Array) => service.enrol(listId, personId, photo);

describe('201: what is read', () => {
  let core: FaceCore;
  let reference: Float32Array;
  let threshold: number;
  beforeAll(async () => {
    expect((await enrol('reference', await portrait())).status).toBe(201);
    core = await loadCore();
    reference = await service.templateOf(listId, 'reference');
    threshold = engineOf((await openModelBundle({ addOnDirectory: null })).manifest).matchThreshold;
  });

  // Each form of files on its own is the decoder's test.
  it.each(Object.entries(readable))('%s, as the same person', async (kind, photo) => {
    expect((await enrol(kind, await photo())).status).toBe(201);
    expect(core.cosine(reference, await service.templateOf(listId, kind))).toBeGreaterThan(threshold);
  });

  it('another person as another person', async () => {
    expect((await enrol('another', await portrait(1))).status).toBe(201);
    expect(core.cosine(reference, await service.templateOf(listId, 'another'))).toBeLessThan(threshold);
  });
});

describe('422: not exactly one usable face', () => {
  it.each(Object.entries(unusable))('%s', async (_kind, { code, photo }) => {
    const answer = await enrol('nobody', await photo());
    expect([answer.status, answer.body.code]).toEqual([422, code]);
    expect((await service.customer.request('GET', `/v1/lists/${listId}/people/nobody`)).status).toBe(404);
  });
});

const add = (personId: string, photo: Uint8Array, more: readonly Uint8Array[] = []) =>
  service.customer.request<Record<string, unknown>>('POST', `/v1/lists/${listId}/people`, {
    ...enrolBody(personId, photo),
    additionalImagesBase64: more.map((each) => Buffer.from(each).toString('base64')),
  });

describe('several photos of a person', () => {
  it('give one record of their mean', async () => {
    const photo = await portrait();
    const others = await Promise.all(Object.values(readable).map((make) => make()));
    for (const [i, each] of [photo, ...others].entries()) expect((await enrol(`p-${i}`, each)).status).toBe(201);
    expect((await add('all', photo, others)).status).toBe(201);
    const mean = await service.templateOf(listId, 'all');
    const expected = new Float32Array(mean.length);
    for (let i = 0; i <= others.length; i += 1) {
      const template = await service.templateOf(listId, `p-${i}`);
      for (const [k, value] of template.entries()) expected[k] = (expected[k] ?? 0) + value;
    }
    expect(Math.hypot(...mean)).toBeCloseTo(1, 2);
    expect((await loadCore()).cosine(mean, expected)).toBeGreaterThan(0.9999);
  });

  it('must be of one person', async () => {
    const answer = await add('p', await portrait(), [await portrait(), await portrait(1)]);
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'different-person', errors: [{ pointer: '/additionalImagesBase64/1' }] },
    });
  });
});
