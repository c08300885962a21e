import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { type FaceCore, loadCore } from '@svc/core';
import { engineRecipes } from '@svc/face-models';
import { installAddOn } from '@svc/face-models/node';
import type { CountedListResource } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portrait, readable } from './photos.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from './service.ts';

const [addOn, base] = engineRecipes;
const published = sharedData('models');
if (published === null) process.stdout.write('skipped: no ../shared (enrolment by the recognition add-on)\n');

let core: FaceCore;
let service: EnrolmentService;

const add = (listId: string, personId: string, photo: Uint8Array, more: readonly Uint8Array[] = []) =>
  service.customer.request<Record<string, unknown>>('POST', `/v1/lists/${listId}/people`, {
    ...enrolBody({ personId, photo }),
    ...(more.length > 0 && { additionalImagesBase64: more.map((each) => Buffer.from(each).toString('base64')) }),
  });
const norm = (template: Float32Array) => Math.hypot(...template);

beforeAll(async () => {
  core = await loadCore();
});

describe('several photos of a person, by the real engine', () => {
  beforeAll(async () => {
    service = await startEnrolmentService();
  });
  afterAll(() => service.close());

  it('give one record of their mean', async () => {
    const listId = await service.createList();
    const photo = await portrait();
    const others = await Promise.all(
      Object.values(readable)
        .slice(0, 3)
        .map((make) => make()),
    );
    for (const [i, each] of [photo, ...others].entries()) expect((await add(listId, `p-${i}`, each)).status).toBe(201);
    expect((await add(listId, 'all', photo, others)).status).toBe(201);
    const mean = await service.templateOf(listId, 'all');
    const expected = new Float32Array(mean.length);
    for (let i = 0; i <= others.length; i += 1) {
      const template = await service.templateOf(listId, `p-${i}`);
      for (const [k, value] of template.entries()) expected[k] = (expected[k] ?? 0) + value;
    }
    expect(norm(mean)).toBeCloseTo(1, 2);
    expect(core.cosine(mean, expected)).toBeGreaterThan(0.9999);
  });

  it('must be of one person', async () => {
    const listId = await service.createList();
    const answer = await add(listId, 'p', await portrait(), [await portrait(), await portrait(1)]);
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'different-person', errors: [{ pointer: '/additionalImagesBase64/1' }] },
    });
  });
});

describe.skipIf(published === null)('a service with the recognition add-on', () => {
  let addOnDirectory: string;
  beforeAll(async () => {
    addOnDirectory = await mkdtemp(join(tmpdir(), 'svc-add-ons-'));
    await installAddOn('face-reidentification-retail-0095', { from: published ?? '', addOnDirectory });
    service = await startEnrolmentService({ SVC_MODELS_DIR: addOnDirectory });
  });
  afterAll(async () => {
    await service.close();
    await rm(addOnDirectory, { recursive: true, force: true });
  });

  const models = async (listId: string) => {
    const { body } = await service.customer.request<CountedListResource>('GET', `/v1/lists/${listId}`);
    return body.models.map(({ engineId, people }) => [engineId, people]);
  };
  const change = (listId: string, modelId?: string) =>
    service.customer.request('POST', `/v1/lists/${listId}/change-model`, modelId === undefined ? {} : { modelId });

  it('enrols by it, by the base engine where a list has that, and again by it', async () => {
    const listId = await service.createList();
    const photo = await portrait();
    expect((await add(listId, 'first', photo)).body).toMatchObject({ modelId: addOn.modelId });
    expect((await service.templateOf(listId, 'first')).length).toBe(addOn.dimension);

    expect((await change(listId, base.modelId)).status).toBe(200);
    expect((await add(listId, 'second', photo)).body).toMatchObject({ modelId: base.modelId });
    expect((await service.templateOf(listId, 'second')).length).toBe(base.dimension);
    expect(await models(listId)).toEqual([
      [base.engineId, 1],
      [addOn.engineId, 1],
    ]);

    expect((await change(listId)).body).toMatchObject({ modelId: addOn.modelId });
    expect((await add(listId, 'second', photo)).body).toMatchObject({ modelId: addOn.modelId });
    expect(await models(listId)).toEqual([[addOn.engineId, 2]]);
  });

  it('takes the mean of several photos as well', async () => {
    const listId = await service.createList();
    const photo = await portrait();
    const others = await Promise.all(
      Object.values(readable)
        .slice(0, 2)
        .map((make) => make()),
    );
    expect((await add(listId, 'one', photo)).status).toBe(201);
    expect((await add(listId, 'all', photo, others)).status).toBe(201);
    const [one, all] = [await service.templateOf(listId, 'one'), await service.templateOf(listId, 'all')];
    expect(norm(all)).toBeCloseTo(1, 2);
    expect(core.cosine(one, all)).toBeGreaterThan(addOn.matchThreshold);
  });
});
