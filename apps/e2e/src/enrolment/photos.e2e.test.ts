import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { type FaceCore, loadCore } from '@svc/core';
import { engineOf } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { MAX_ENROLMENT_BODY_BYTES } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portrait, readable, unreadable, unusable, withComments } from './photos.ts';
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

  it.each(Object.keys(readable))('%s, as the same person', async (kind) => {
    const photo = await readable[kind]?.();
    if (photo === undefined) throw new Error('no photo');
    expect((await enrol(kind, photo)).status).toBe(201);
    expect(core.cosine(reference, await service.templateOf(listId, kind))).toBeGreaterThan(threshold);
  });

  it('another person as another person', async () => {
    expect((await enrol('another', await portrait(1))).status).toBe(201);
    expect(core.cosine(reference, await service.templateOf(listId, 'another'))).toBeLessThan(threshold);
  });

  it('a photo of exactly 15 MB, and not one byte more', async () => {
    const empty = JSON.stringify(enrolBody({ personId: 'large', photo: new Uint8Array(0) }));
    const room = Math.floor((MAX_ENROLMENT_BODY_BYTES - empty.length) / 4) * 3;
    const plain = await portrait();
    const segments = Math.ceil((room - plain.length) / 65_000);
    const photo = withComments(plain, room - plain.length - segments * 4);
    const text = JSON.stringify(enrolBody({ personId: 'large', photo })).padEnd(MAX_ENROLMENT_BODY_BYTES, ' ');
    expect(Buffer.byteLength(text)).toBe(MAX_ENROLMENT_BODY_BYTES);
    const send = (body: string) => service.customer.request('POST', `/v1/lists/${listId}/people`, body);
    expect((await send(text)).status).toBe(201);
    expect((await send(`${text} `)).status).toBe(413);
  });
});

describe('400: not a readable JPEG or PNG', () => {
  it.each(Object.keys(unreadable))('%s', async (kind) => {
    const photo = await unreadable[kind]?.();
    if (photo === undefined) throw new Error('no photo');
    const startedAt = performance.now();
    const answer = await enrol('nobody', photo);
    expect([answer.status, answer.body.code]).toEqual([400, 'image-invalid']);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect((await service.customer.request('GET', `/v1/lists/${listId}/people/nobody`)).status).toBe(404);
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
const formats = sharedData('data', 'formats', 'sharp');
const skipped = (folder: string | null) => (folder === null ? ' (skipped: no ../shared)' : '');

describe.skipIf(faces === null)(`real photos${skipped(faces)}`, () => {
  it.each([
    ['scikit-image/astronaut.png', [201, undefined]],
    ['whitehouse/examples/obama-720p.jpg', [201, undefined]],
    ['whitehouse/examples/biden.jpg', [201, undefined]],
    ['compreface/labelled/007_B.jpg', [201, undefined]],
    ['compreface/portraits/FACE_1.jpg', [201, undefined]],
    ['compreface/odd/einstein.jpeg', [201, undefined]],
    ['compreface/odd/einstein.png', [201, undefined]],
    ['whitehouse/examples/two_people.jpg', [422, 'several-faces']],
    ['compreface/labelled/010_2.jpg', [422, 'several-faces']],
    ['compreface/labelled/012_4.jpg', [422, 'several-faces']],
    ['compreface/labelled/017_0.jpg', [422, 'no-face']],
    ['scikit-image/chelsea.png', [422, 'no-face']],
    ['scikit-image/coffee.png', [422, 'no-face']],
    ['scikit-image/moon.png', [422, 'no-face']],
    ['scikit-image/truncated.jpg', [400, 'image-invalid']],
    ['compreface/odd/einstein.gif', [400, 'image-invalid']],
    ['compreface/odd/einstein.webp', [400, 'image-invalid']],
    ['compreface/odd/einstein.bmp', [400, 'image-invalid']],
    ['compreface/odd/einstein.tiff', [400, 'image-invalid']],
    ['compreface/odd/corrupted.png', [400, 'image-invalid']],
    ['compreface/odd/truncated.jpg', [400, 'image-invalid']],
  ])('%s', async (file, expected) => {
    const answer = await enrol('real', readFileSync(join(faces ?? '', file)));
    expect([answer.status, answer.body.code]).toEqual(expected);
  });
});

/** Files of a folder and its folders, none above 11 MB. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesOf(path);
    const { size } = statSync(path);
    return size > 0 && size < 11 * 2 ** 20 ? [path] : [];
  });
}

describe.skipIf(formats === null)(`odd files of another project${skipped(formats)}`, () => {
  it('are read or refused but never fail, and only JPEG and PNG are decoded', async () => {
    const wrong: string[] = [];
    for (const path of filesOf(formats ?? '')) {
      const bytes = readFileSync(path);
      const isKnown = /^(ffd8ff|89504e470d0a1a0a)/.test(bytes.subarray(0, 8).toString('hex'));
      const { status } = await enrol('odd', bytes);
      const allowed = isKnown ? [201, 400, 422] : [400];
      if (!allowed.includes(status)) wrong.push(`${path.slice((formats ?? '').length)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});
