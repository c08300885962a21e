import { createECDH, createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readDeviceKey } from './device-key.ts';

const point = createECDH('prime256v1').generateKeys();
const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const changed = (at: number, value: number) => {
  const bytes = Buffer.from(point);
  bytes[at] = value;
  return bytes;
};

describe('device key', () => {
  it('is a point of P-256 with its thumbprint', () => {
    const key = readDeviceKey(encode(point));
    expect(key.raw).toEqual(point);
    expect(key.thumbprint).toEqual(createHash('sha256').update(point).digest());
  });

  const P = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff';
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['off the curve', encode(changed(64, (point[64] ?? 0) ^ 1))],
    ['zero', encode(Buffer.concat([Buffer.of(4), Buffer.alloc(64)]))],
    ['a coordinate that is not reduced', encode(Buffer.from(`04${P}${P}`, 'hex'))],
    ['of the hybrid form', encode(changed(0, 6))],
    ['compressed', createECDH('prime256v1').generateKeys('base64url', 'compressed')],
    ['of another curve', encode(createECDH('secp256k1').generateKeys())],
    ['of P-384', encode(createECDH('secp384r1').generateKeys())],
    ['padded', `${encode(point)}=`],
    ['in standard base64', point.toString('base64')],
    ['cut short', encode(point).slice(0, -1)],
    ['twice, joined as headers are', `${encode(point)}, ${encode(point)}`],
  ])('is refused when %s', (_what, header) => {
    expect(() => readDeviceKey(header)).toThrow(expect.objectContaining({ code: 'device-key-invalid' }));
  });
});
