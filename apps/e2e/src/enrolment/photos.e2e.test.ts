import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { type FaceCore, loadCore } from '@svc/core';
import { engineOf } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portrait, readable, unusable } from './photos.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from './service.ts';

let service: EnrolmentService;
let listId: string;

beforeAll(async () => {
  service = await startEnrolmentService();
  listId = await service.createList();
});
afterAll(() => service.close());

const enrol = (personId: string, photo: Uint8Array) =>
  service.customer.request('POST', `/v1/lists/${listId}/people`, enrolBody({ personId, photo }));

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
  it.each(['CMYK JPEG', '16-bit PNG', 'EXIF orientation 6'])('%s, as the same person', async (kind) => {
    const photo = await readable[kind]?.();
    if (photo === undefined) throw new Error('no photo');
    expect((await enrol(kind, photo)).status).toBe(201);
    expect(core.cosine(reference, await service.templateOf(listId, kind))).toBeGreaterThan(threshold);
  });

  it('another person as another person', async () => {
    expect((await enrol('another', await portrait(1))).status).toBe(201);
    expect(core.cosine(reference, await service.templateOf(listId, 'another'))).toBeLessThan(threshold);
  });
});

describe('422: not exactly one usable face', () => {
  it.each(Object.keys(unusable))('%s', async (kind) => {
    const entry = unusable[kind];
    if (entry === undefined) throw new Error('no photo');
    const answer = await enrol('nobody', await entry.photo());
    expect([answer.status, answer.body.code]).toEqual([422, entry.code]);
    expect((await service.customer.request('GET', `/v1/lists/${listId}/people/nobody`)).status).toBe(404);
  });
});

const faces = sharedData('data', 'faces');
const skipped = (folder: string | null) => (folder === null ? ' (skipped: no ../shared)' : '');

describe.skipIf(faces === null)(`real photos${skipped(faces)}`, () => {
  it.each([
    ['scikit-image/astronaut.png', [201, undefined]],
    ['compreface/odd/einstein.jpeg', [201, undefined]],
    ['whitehouse/examples/two_people.jpg', [422, 'several-faces']],
    ['compreface/labelled/017_0.jpg', [422, 'no-face']],
    ['compreface/odd/einstein.webp', [400, 'image-invalid']],
    ['compreface/odd/corrupted.png', [400, 'image-invalid']],
  ])('%s', async (file, expected) => {
    const answer = await enrol('real', readFileSync(join(faces ?? '', file)));
    expect([answer.status, answer.body.code]).toEqual(expected);
  });
});

const add = (personId: string, photo: Uint8Array, more: readonly Uint8Array[] = []) =>
  service.customer.request<Record<string, unknown>>('POST', `/v1/lists/${listId}/people`, {
    ...enrolBody({ personId, photo }),
    additionalImagesBase64: more.map((each) => Buffer.from(each).toString('base64')),
  });

describe('several photos of a person', () => {
  it('give one record of their mean', async () => {
    const photo = await portrait();
    const others = await Promise.all(
      Object.values(readable)
        .slice(0, 3)
        .map((make) => make()),
    );
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
