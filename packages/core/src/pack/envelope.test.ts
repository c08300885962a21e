import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkInSecretSealInfo,
  type Envelope,
  encodeEnvelope,
  envelopeSigningInput,
  listKeySealInfo,
  parseEnvelope,
} from './index.ts';

const envelope: Envelope = {
  payloadKind: 1,
  manifest: Uint8Array.of(123, 125),
  keyId: '0123456789abcdef',
  signature: new Uint8Array(64).fill(5),
  payload: Uint8Array.of(1, 2, 3),
};
const invalidEnvelope = expect.objectContaining({ code: 'envelope-invalid' });
const invalidArgument = expect.objectContaining({ code: 'invalid-argument' });

describe('the sync envelope', () => {
  it('is these bytes on the wire', () => {
    const magic = '53564353594e4331';
    const manifest = '00000002' + '7b7d';
    const keyId = '10' + '30313233343536373839616263646566';
    const signature = '05'.repeat(64);
    const wire = Buffer.from(encodeEnvelope(envelope)).toString('hex');
    expect(wire).toBe(`${magic}01${manifest}${keyId}${signature}010203`);
  });

  it('comes back as it went in', () => {
    const kinds = fc.constantFrom(0 as const, 1 as const, 2 as const);
    const envelopes = fc
      .record({
        payloadKind: kinds,
        manifest: fc.uint8Array({ minLength: 1, maxLength: 500 }),
        keyId: fc.stringMatching(/^[\x21-\x7e]{1,30}$/),
        signature: fc.uint8Array({ minLength: 64, maxLength: 64 }),
        payload: fc.uint8Array({ maxLength: 500 }),
      })
      .map((e) => (e.payloadKind === 0 ? { ...e, payload: new Uint8Array() } : e));
    fc.assert(
      fc.property(envelopes, (e) => {
        expect(parseEnvelope(encodeEnvelope(e))).toEqual(e);
      }),
    );
  });

  // What else is refused, pack.fuzz.test.ts finds.
  it.each([
    ['a payload without a kind', 8, [0]],
    ['an empty manifest', 9, [0, 0, 0, 0]],
    ['a manifest above 1 MiB', 9, [0, 16, 0, 1]],
  ])('is refused with %s', (_name, at, values) => {
    const bytes = encodeEnvelope(envelope);
    bytes.set(values, at);
    expect(() => parseEnvelope(bytes)).toThrow(invalidEnvelope);
  });

  it.each<[string, Partial<Envelope>]>([
    ['no key id', { keyId: '' }],
    ['a short signature', { signature: new Uint8Array(63) }],
    ['no manifest', { manifest: new Uint8Array() }],
    ['a huge manifest', { manifest: new Uint8Array((1 << 20) + 1) }],
    ['a payload of kind 0', { payloadKind: 0 }],
    ['an unknown kind', { payloadKind: 3 as 2 }],
  ])('is not written with %s', (_name, change) => {
    expect(() => encodeEnvelope({ ...envelope, ...change })).toThrow(invalidArgument);
  });

  it('is signed over its kind and manifest', () => {
    const input = envelopeSigningInput(2, Uint8Array.of(9, 8));
    expect(Buffer.from(input).toString('latin1')).toBe('svc/sync/v1\0\x02\x09\x08');
    for (const kind of [-1, 3, 1.5]) expect(() => envelopeSigningInput(kind, input)).toThrow(invalidArgument);
  });
});

describe('listKeySealInfo', () => {
  it('is these bytes', () => {
    const info = Buffer.from(listKeySealInfo({ listId: 'ab', deviceId: 'c', epoch: 1 })).toString('latin1');
    expect(info).toBe('\0\x0fsvc/list-key/v1\0\x02ab\0\x01c\0\x04\0\0\0\x01');
  });

  it('differs wherever a field differs or moves', () => {
    const infos = [
      { listId: 'ab', deviceId: 'c', epoch: 1 },
      { listId: 'a', deviceId: 'bc', epoch: 1 },
      { listId: 'ab', deviceId: 'c', epoch: 256 },
      { listId: 'c', deviceId: 'ab', epoch: 1 },
    ].map((c) => Buffer.from(listKeySealInfo(c)).toString('hex'));
    expect(new Set(infos).size).toBe(infos.length);
  });

  it('refuses what is no identifier or epoch', () => {
    const good = { listId: 'l', deviceId: 'd', epoch: 1 };
    for (const bad of [{ listId: '' }, { deviceId: 'ä' }, { epoch: -1 }, { epoch: 2 ** 32 }]) {
      expect(() => listKeySealInfo({ ...good, ...bad })).toThrow(invalidArgument);
    }
  });
});

describe('checkInSecretSealInfo', () => {
  it('names its purpose, the list and the device', () => {
    const info = Buffer.from(checkInSecretSealInfo({ listId: 'ab', deviceId: 'c' })).toString('latin1');
    expect(info).toBe('\x00\x16svc/check-in-secret/v1\x00\x02ab\x00\x01c');
  });

  it('refuses what is no identifier', () => {
    for (const bad of [{ listId: '' }, { deviceId: 'ä' }]) {
      expect(() => checkInSecretSealInfo({ listId: 'l', deviceId: 'd', ...bad })).toThrow(invalidArgument);
    }
  });
});
