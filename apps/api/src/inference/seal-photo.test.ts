import { createNodeAead } from '@svc/core/aead-node';
import { deriveLookupKey, lookupTag, openRecord, recordDeleteAfterMs, recordTag } from '@svc/core/pack';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../crypto/random.ts';
import { fakeEngine } from '../testing/fake-engine.ts';
import type { SealTask } from './port.ts';
import { sealPhoto } from './seal-photo.ts';

const aead = createNodeAead();
const listKey = () => new Uint8Array(32).fill(7);
const binding = { listId: 'lst_1', epoch: 1, engineId: 'dlib-resnet-128-mirror/1' };

function task(photo: string): SealTask {
  const bytes = new Uint8Array(photo.length);
  bytes.set(Buffer.from(photo, 'latin1'));
  return { ...binding, photo: bytes, listKey: listKey(), personId: 'p', deleteAfterMs: 1_000 };
}

const isWiped = (bytes: ArrayLike<number>) => Array.from(bytes).every((value) => value === 0);

describe('sealPhoto', () => {
  it('seals the template to list, epoch, engine, person and deadline', async () => {
    const fake = fakeEngine();
    const result = await sealPhoto({ ...fake, aead, random: systemRandom }, task('a face'));
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
    await sealPhoto({ ...fake, aead, random: systemRandom }, sent);
    expect([sent.photo, sent.listKey, ...fake.traces.pixels, ...fake.traces.templates].map(isWiped)).not.toContain(
      false,
    );
  });

  it('wipes them also when the engine fails', async () => {
    const fake = fakeEngine();
    const sent = task('a face');
    const engine = { ...fake.engine, enrol: () => Promise.reject(new Error('out of memory')) };
    await expect(sealPhoto({ ...fake, engine, aead, random: systemRandom }, sent)).rejects.toThrow('out of memory');
    expect([sent.photo, sent.listKey, ...fake.traces.pixels].map(isWiped)).not.toContain(false);
  });

  it('tells why a photo has no usable face, with what was measured', async () => {
    const result = await sealPhoto({ ...fakeEngine(), aead, random: systemRandom }, task('too-dark'));
    expect(result).toMatchObject({ ok: false, reason: 'too-dark', measured: 1, limit: 2 });
  });

  it('does not seal for an epoch whose engine it has not', async () => {
    const fake = fakeEngine([]);
    await expect(sealPhoto({ ...fake, aead, random: systemRandom }, task('a face'))).rejects.toThrow();
    expect(fake.traces.templates).toEqual([]);
  });
});
