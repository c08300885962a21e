import { deriveLookupKey, lookupTag, openRecord, recordDeleteAfterMs, recordTag } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { describe, expect, it } from 'vitest';
import { fakeEngine } from '../testing/fake-engine.ts';
import type { SealTask } from './port.ts';
import { sealPhoto } from './seal-photo.ts';

const aead = createNodeAead();
const listKey = () => new Uint8Array(32).fill(7);
const binding = { listId: 'lst_1', epoch: 1, engineId: 'dlib-resnet-128-mirror/1', isTest: false };

function task(photo: string): SealTask {
  const bytes = new Uint8Array(photo.length);
  bytes.set(Buffer.from(photo, 'latin1'));
  return { ...binding, photo: bytes, listKey: listKey(), personId: 'p', deleteAfterMs: 1_000, checkPhoto: false };
}

const isWiped = (bytes: ArrayLike<number>) => Array.from(bytes).every((value) => value === 0);

describe('sealPhoto', () => {
  it('seals the template to list, epoch, engine, person and deadline', async () => {
    const fake = fakeEngine();
    const result = await sealPhoto({ ...fake, aead }, task('a face'));
    if (!result.ok) throw new Error('refused');
    const { record } = result;
    expect(recordDeleteAfterMs(record)).toBe(1_000);
    expect(Buffer.from(recordTag(record)).equals(lookupTag(deriveLookupKey(listKey()), 'p'))).toBe(true);
    const opened = await openRecord(aead, { ...binding, dimension: 128, listKey: listKey(), personId: 'p', record });
    expect(opened).toHaveLength(128);
    expect(opened[0]).toBeCloseTo(Math.SQRT1_2 / 8, 3);
    const asAnother = { ...binding, dimension: 128, listKey: listKey(), personId: 'q', record };
    await expect(openRecord(aead, asAnother)).rejects.toMatchObject({ code: 'open-failed' });
  });

  it.each(['a face', 'no-face', 'broken'])('wipes photo, pixels, template and key: %s', async (photo) => {
    const fake = fakeEngine();
    const sent = task(photo);
    await sealPhoto({ ...fake, aead }, sent);
    expect([sent.photo, sent.listKey, ...fake.traces.pixels, ...fake.traces.templates].map(isWiped)).not.toContain(
      false,
    );
  });

  it.each([
    ['sealed', ['a face', 'a face', 'a face'], { ok: true }],
    ['one refused', ['a face', 'no-face', 'a face'], { ok: false, reason: 'no-face', additional: 0 }],
    ['one that is no image', ['a face', 'a face', 'broken'], { ok: false, reason: 'image-invalid', additional: 1 }],
    ['the first refused', ['too-dark', 'a face'], { ok: false, reason: 'too-dark', measured: 1 }],
    [
      'another person',
      ['a face', 'another person', 'a face'],
      { ok: false, reason: 'different-person', additional: 0 },
    ],
  ] as const)('wipes every photo, whatever comes of them: %s', async (_name, photos, outcome) => {
    const fake = fakeEngine();
    const [first, ...others] = photos.map((photo) => task(photo).photo);
    if (first === undefined) throw new Error('no photo');
    const sent = { ...task('a face'), photo: first, additionalPhotos: others };
    const result = await sealPhoto({ ...fake, aead }, sent);
    expect(result).toMatchObject(outcome);
    const secrets = [first, ...others, sent.listKey, ...fake.traces.pixels, ...fake.traces.templates];
    expect(secrets.map(isWiped)).not.toContain(false);
  });

  it.each([
    ['the only one', ['a print'], { reason: 'photo-not-live' }],
    ['a further one', ['a face', 'a print'], { reason: 'photo-not-live', additional: 0 }],
  ] as const)(
    'refuses a picture of a picture where the list asks for it, and wipes: %s',
    async (_name, photos, outcome) => {
      for (const checkPhoto of [true, false]) {
        const fake = fakeEngine();
        const [first, ...others] = photos.map((photo) => task(photo).photo);
        const sent = { ...task('a face'), photo: first ?? expect.unreachable(), additionalPhotos: others, checkPhoto };
        const result = await sealPhoto({ ...fake, aead }, sent);
        expect(result).toMatchObject(checkPhoto ? { ok: false, ...outcome } : { ok: true });
        const secrets = [sent.photo, ...others, sent.listKey, ...fake.traces.pixels, ...fake.traces.templates];
        expect(secrets.map(isWiped)).not.toContain(false);
      }
    },
  );

  it('decodes one photo after the other, the one before wiped', async () => {
    const fake = fakeEngine();
    const sent = { ...task('a face'), additionalPhotos: [task('b face').photo, task('c face').photo] };
    const photos = [sent.photo, ...sent.additionalPhotos];
    const decode = (photo: Uint8Array) => {
      const before = photos.slice(0, photos.indexOf(photo as Uint8Array<ArrayBuffer>));
      expect([...before, ...fake.traces.pixels].map(isWiped)).not.toContain(false);
      return fake.decode(photo);
    };
    await sealPhoto({ ...fake, decode, aead }, sent);
    expect(fake.traces.pixels).toHaveLength(3);
  });

  it('seals the mean of several photos, each as much as the others', async () => {
    const fake = fakeEngine();
    const angles = [0, 0.1, 0.3];
    const enrol: typeof fake.engine.enrol = async (image, choice) => {
      const enrolled = await fake.engine.enrol(image, choice);
      const angle = angles[fake.traces.templates.length - 1] ?? 0;
      if (enrolled.ok) enrolled.reference.fill(0).set([Math.cos(angle), Math.sin(angle)]);
      return enrolled;
    };
    const sent = { ...task('a face'), additionalPhotos: [task('a face').photo, task('a face').photo] };
    const engine = { ...fake.engine, enrol };
    const result = await sealPhoto({ ...fake, engine, aead }, sent);
    if (!result.ok) throw new Error('refused');
    const { record } = result;
    const opened = await openRecord(aead, { ...binding, dimension: 128, listKey: listKey(), personId: 'p', record });
    const sum = [0, 1].map((i) =>
      angles.reduce((all, angle) => all + (i === 0 ? Math.cos(angle) : Math.sin(angle)), 0),
    );
    const length = Math.hypot(...sum);
    expect(opened[0]).toBeCloseTo((sum[0] ?? 0) / length, 3);
    expect(opened[1]).toBeCloseTo((sum[1] ?? 0) / length, 3);
    expect(fake.traces.templates.map(isWiped)).not.toContain(false);
  });

  it('takes a further photo from the engine’s own threshold on, and none below it', async () => {
    const fake = fakeEngine();
    const seal = async (cosine: number) => {
      let calls = 0;
      const enrol: typeof fake.engine.enrol = async (image, choice) => {
        const enrolled = await fake.engine.enrol(image, choice);
        calls += 1;
        const other = [cosine, Math.sqrt(1 - cosine * cosine)];
        if (enrolled.ok) enrolled.reference.fill(0).set(calls === 1 ? [1, 0] : other);
        return enrolled;
      };
      const sent = { ...task('a face'), additionalPhotos: [task('a face').photo] };
      return (await sealPhoto({ ...fake, engine: { ...fake.engine, enrol }, aead }, sent)).ok;
    };
    expect([await seal(0.947), await seal(0.945)]).toEqual([true, false]);
  });

  it('wipes them also when the engine fails', async () => {
    const fake = fakeEngine();
    const sent = task('a face');
    const engine = { ...fake.engine, enrol: () => Promise.reject(new Error('out of memory')) };
    await expect(sealPhoto({ ...fake, engine, aead }, sent)).rejects.toThrow('out of memory');
    expect([sent.photo, sent.listKey, ...fake.traces.pixels].map(isWiped)).not.toContain(false);
  });

  it('tells why a photo has no usable face, with what was measured', async () => {
    const result = await sealPhoto({ ...fakeEngine(), aead }, task('too-dark'));
    expect(result).toMatchObject({ ok: false, reason: 'too-dark', measured: 1, limit: 2 });
  });

  it('does not seal for an epoch whose engine it has not', async () => {
    const fake = fakeEngine([]);
    await expect(sealPhoto({ ...fake, aead }, task('a face'))).rejects.toThrow();
    expect(fake.traces.templates).toEqual([]);
  });
});
