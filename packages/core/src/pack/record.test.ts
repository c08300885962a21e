import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FaceError } from '../errors.ts';
import { decodeFloat16, encodeFloat16 } from '../float16.ts';
import { hkdfSha256 } from '../hkdf.ts';
import { aeads, codeOf, flipped } from '../testing/aeads.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createNodeAead } from '../testing/peers.ts';
import {
  type DeriveFromListKey,
  deriveLookupKey,
  isPersonId,
  lookupTag,
  lookupTagOf,
  openCheckRecord,
  openRecord,
  recordDeleteAfterMs,
  recordSize,
  recordTag,
  type SealRecordInput,
  sealCheckRecord,
  sealRecord,
} from './index.ts';
import { sealRecordWithSalt } from './record.ts';

const aead = createNodeAead();
const listKey = patternBytes('list key', 32);
const context = { listId: 'lst_1', epoch: 3, engineId: 'engine/1', dimension: 128, listKey };
const template = Float32Array.from({ length: 128 }, (_, i) => Math.sin(i + 1) / 8);
const input: SealRecordInput = {
  ...context,
  personId: 'person-1',
  deleteAfterMs: 1_800_000_000_000,
  template,
};
const salt = patternBytes('salt', 24);
const asStored = decodeFloat16(encodeFloat16(template));

describe('a sealed record', () => {
  it.each(aeads)('has 320 bytes and opens to the template in half precision, with %s', async (_name, create) => {
    const adapter = await create();
    const record = await sealRecordWithSalt(adapter, input, salt);
    expect(record).toHaveLength(320);
    expect(recordSize(128)).toBe(320);
    expect(recordTag(record)).toEqual(lookupTag(deriveLookupKey(listKey), 'person-1'));
    expect(recordDeleteAfterMs(record)).toBe(1_800_000_000_000);
    expect(await openRecord(adapter, { ...context, personId: 'person-1', record })).toEqual(asStored);
    expect(record).toEqual(await sealRecordWithSalt(aead, input, salt));
  });

  it.each(aeads)('is sealed and opened by a list key that stays where it is, with %s', async (_name, create) => {
    const adapter = await create();
    const handedOut: Uint8Array[] = [];
    const derive: DeriveFromListKey = async (...what) => {
      const bytes = hkdfSha256(listKey, ...what);
      handedOut.push(bytes);
      return bytes;
    };
    const kept = { ...context, listKey: derive };
    const record = await sealRecordWithSalt(adapter, { ...input, ...kept }, salt);
    expect(record).toEqual(await sealRecordWithSalt(adapter, input, salt));
    expect(await lookupTagOf(derive, 'person-1')).toEqual(recordTag(record));
    expect(await openRecord(adapter, { ...kept, personId: 'person-1', record })).toEqual(asStored);
    expect(await codeOf(openRecord(adapter, { ...kept, personId: 'person-2', record }))).toBe('open-failed');
    const lost = () => Promise.reject(new FaceError('storage-failed', 'the key is gone'));
    expect(await codeOf(openRecord(adapter, { ...kept, listKey: lost, personId: 'person-1', record }))).toBe(
      'open-failed',
    );
    // Lookup key and record key of sealing and the tag, and one of each opening.
    expect(handedOut.map((bytes) => bytes.some((byte) => byte !== 0))).toEqual(Array(5).fill(false));
  });

  it('leaves no record key behind where the tag cannot be derived', async () => {
    const handedOut: Uint8Array[] = [];
    const derive: DeriveFromListKey = async (...what) => {
      if (what[2] === 32) throw new FaceError('storage-failed', 'the key is gone');
      // Later than the failure.
      await new Promise((resolve) => setTimeout(resolve, 5));
      const bytes = hkdfSha256(listKey, ...what);
      handedOut.push(bytes);
      return bytes;
    };
    expect(await codeOf(sealRecord(aead, { ...input, listKey: derive }))).toBe('storage-failed');
    expect(handedOut.map((bytes) => bytes.some((byte) => byte !== 0))).toEqual([false]);
  });

  it('does not open in any other place, whose message does not tell why', async () => {
    const messages = new Set<string>();
    const record = await sealRecord(aead, input);
    const right = { ...context, personId: 'person-1', record };
    const wrong = [
      { personId: 'person-2' },
      { personId: 'person-1 ' },
      { personId: '' },
      { personId: '\ud800' },
      { personId: 'x'.repeat(5000) },
      { listKey: patternBytes('another', 32) },
      { listId: 'lst_2' },
      { epoch: 4 },
      { engineId: 'engine/2' },
      { dimension: 127 },
      { record: record.subarray(1) },
      { record: new Uint8Array() },
      { record: new Uint8Array(320) },
    ];
    for (const change of wrong) {
      const opening = openRecord(aead, { ...right, ...change });
      opening.catch((error: Error) => messages.add(error.message));
      expect(await codeOf(opening), JSON.stringify(change)).toBe('open-failed');
    }
    expect(messages.size).toBe(1);
  });

  it('does not open when any bit of it was flipped', async () => {
    const record = await sealRecord(aead, input);
    for (let bit = 0; bit < record.length * 8; bit++) {
      const opening = openRecord(aead, { ...context, personId: 'person-1', record: flipped(record, bit) });
      if ((await codeOf(opening)) !== 'open-failed') expect.fail(`bit ${bit}`);
    }
  });

  it('takes its salt from the platform’s CSPRNG, and none from its caller', async () => {
    const drawn = vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((bytes) => {
      if (bytes instanceof Uint8Array) bytes.set(salt);
      return bytes;
    });
    const own = { ...input, salt: new Uint8Array(24) };
    onTestFinished(() => drawn.mockRestore());
    expect(await sealRecord(aead, own)).toEqual(await sealRecordWithSalt(aead, input, salt));
    expect((await sealCheckRecord(aead, own)).slice(24, 48)).toEqual(salt);
    expect(drawn).toHaveBeenCalledTimes(2);
  });

  it('is not made where the platform has no CSPRNG', async () => {
    vi.stubGlobal('crypto', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await codeOf(sealRecord(aead, input))).toBe('runtime-failed');
  });

  it('seals what it was given when the caller wipes that at once', async () => {
    const [key, own] = [listKey.slice(), template.slice()];
    const sealing = sealRecord(aead, { ...input, listKey: key, template: own });
    key.fill(0);
    own.fill(0);
    expect(await openRecord(aead, { ...context, personId: 'person-1', record: await sealing })).toEqual(asStored);
  });

  it.each([
    ['201 code points', { personId: '😀'.repeat(201) }],
    ['a deadline of 0', { deleteAfterMs: 0 }],
    ['a deadline that is no integer', { deleteAfterMs: 1.5 }],
    ['a deadline that is no number', { deleteAfterMs: Number.NaN }],
    ['a short key', { listKey: new Uint8Array(16) }],
    ['a template of another length', { template: new Float32Array(127) }],
    ['NaN in the template', { template: new Float32Array(128).fill(Number.NaN) }],
    ['a template beyond half floats', { template: new Float32Array(128).fill(1e6) }],
    ['dimension 0', { dimension: 0, template: new Float32Array() }],
    ['a negative epoch', { epoch: -1 }],
    ['an epoch beyond u32', { epoch: 2 ** 32 }],
    ['an empty list', { listId: '' }],
    ['a space in the engine', { engineId: 'engine 1' }],
  ])('is not made of %s', async (_name, change) => {
    expect(await codeOf(sealRecord(aead, { ...input, ...change }))).toBe('invalid-argument');
  });
});

describe('the check record', () => {
  it('opens with the key of the list and epoch alone', async () => {
    const record = await sealCheckRecord(aead, context);
    expect(record).toHaveLength(320);
    expect(recordDeleteAfterMs(record)).toBe(0);
    await expect(openCheckRecord(aead, { ...context, record })).resolves.toBeUndefined();
    const other = { ...context, record, listKey: patternBytes('another', 32) };
    expect(await codeOf(openCheckRecord(aead, other))).toBe('open-failed');
    expect(await codeOf(openCheckRecord(aead, { ...context, record, epoch: 4 }))).toBe('open-failed');
  });

  it('does not open as a person’s record, nor does a person’s record open as it', async () => {
    const record = await sealCheckRecord(aead, context);
    expect(await codeOf(openRecord(aead, { ...context, personId: '', record }))).toBe('open-failed');
    const person = await sealRecord(aead, input);
    expect(await codeOf(openCheckRecord(aead, { ...context, record: person }))).toBe('open-failed');
  });
});

describe('lookup tags', () => {
  const key = deriveLookupKey(listKey);

  it('differ for strings that differ at all', () => {
    const ids = ['a', 'A', 'a ', 'á', 'a\u0301', 'a\ufffd', 'a\ud800', 'a\udc00', 'a\ud800\udc00', '', '\0'];
    expect(new Set(ids.map((id) => Buffer.from(lookupTag(key, id)).toString('hex'))).size).toBe(ids.length);
  });

  it('refuse a key of the wrong length', () => {
    for (const length of [0, 16, 33]) {
      expect(() => lookupTag(new Uint8Array(length), 'a')).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }),
      );
    }
    expect(() => deriveLookupKey(new Uint8Array(31))).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});

describe('isPersonId', () => {
  it.each(['a', ' ', 'x'.repeat(200), '😀'.repeat(200), 'ümläut', '\u0001'])('accepts %j', (id) => {
    expect(isPersonId(id)).toBe(true);
  });
  it.each(['', '\0', 'a\0', 'x'.repeat(201), '😀'.repeat(201), '\ud800', 'x\udfff', 'x'.repeat(1e6)])(
    'refuses %#',
    (id) => {
      expect(isPersonId(id)).toBe(false);
    },
  );
});

describe('recordDeleteAfterMs', () => {
  it('refuses what is too short or beyond safe integers', () => {
    const invalid = expect.objectContaining({ code: 'pack-invalid' });
    expect(() => recordDeleteAfterMs(new Uint8Array(23))).toThrow(invalid);
    expect(() => recordDeleteAfterMs(new Uint8Array(24).fill(255))).toThrow(invalid);
  });
});
