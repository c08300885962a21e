import { strictEqual } from 'node:assert';
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { checkInSecretSealInfo, listKeySealInfo } from '@svc/core/pack';
import { publicKeyOf, seal, sharedSecretOf } from './hpke.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
/** Bytes that are the same on every run. */
const drawn = (label: string, length = 32): Uint8Array =>
  hkdf(sha256, utf8(label), undefined, utf8('svc vectors'), length);
const run = (first: number, count: number): Uint8Array => Uint8Array.from({ length: count }, (_, i) => first + i);

/** RFC 5869, appendix A, with SHA-256. */
const rfc5869 = [
  {
    origin: 'RFC 5869, A.1',
    ikm: new Uint8Array(22).fill(0x0b),
    salt: run(0, 13),
    info: run(0xf0, 10),
    bytes: hex('3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865'),
  },
  {
    origin: 'RFC 5869, A.2, its first 64 bytes',
    ikm: run(0, 80),
    salt: run(0x60, 80),
    info: run(0xb0, 80),
    bytes: hex(
      'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71',
    ),
  },
  {
    origin: 'RFC 5869, A.3',
    ikm: new Uint8Array(22).fill(0x0b),
    salt: new Uint8Array(),
    info: new Uint8Array(),
    bytes: hex('8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8'),
  },
];

/** RFC 4231, section 4, with SHA-256. */
const rfc4231 = [
  {
    origin: 'RFC 4231, 4.2',
    key: new Uint8Array(20).fill(0x0b),
    message: utf8('Hi There'),
    mac: hex('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'),
  },
  {
    origin: 'RFC 4231, 4.3',
    key: utf8('Jefe'),
    message: utf8('what do ya want for nothing?'),
    mac: hex('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'),
  },
  {
    origin: 'RFC 4231, 4.7',
    key: new Uint8Array(131).fill(0xaa),
    message: utf8('Test Using Larger Than Block-Size Key - Hash Key First'),
    mac: hex('60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54'),
  },
];

/** RFC 9180, A.3.1: keys and the shared secret of DHKEM(P-256, HKDF-SHA256). Its AEAD is another one than the devices'. */
const rfc9180 = {
  ephemeral: hex('4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb'),
  privateKey: hex('f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2'),
  publicKey: hex(
    '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0',
  ),
  sharedSecret: hex('c0d26aeab536609a572b07695d933b589dcf363ff9d93c93adea537aeabb8cb8'),
  info: hex('4f6465206f6e2061204772656369616e2055726e'),
};

function checkReferences(): void {
  for (const { origin, ikm, salt, info, bytes } of rfc5869) {
    strictEqual(text(hkdf(sha256, ikm, salt, info, bytes.length)), text(bytes), origin);
  }
  for (const { origin, key, message, mac } of rfc4231) strictEqual(text(hmac(sha256, key, message)), text(mac), origin);
  strictEqual(text(publicKeyOf(rfc9180.privateKey)), text(rfc9180.publicKey), 'RFC 9180, A.3.1: skRm, pkRm');
  strictEqual(
    text(sharedSecretOf(rfc9180.ephemeral, rfc9180.publicKey)),
    text(rfc9180.sharedSecret),
    'RFC 9180, A.3.1',
  );
}

const device = { privateKey: rfc9180.privateKey, publicKey: rfc9180.publicKey };
const list = { listId: 'lst_vectors', deviceId: 'dev_vectors' };
const listKey = (epoch: number): Uint8Array => drawn(`list key ${epoch}`);
const checkInSecret = drawn('check-in secret');

interface Sealed {
  readonly enc: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly info: Uint8Array;
}

const sealed = (label: string, info: Uint8Array, plaintext: Uint8Array): Sealed => ({
  ...seal({ ephemeral: drawn(`ephemeral ${label}`), recipient: device.publicKey, info, plaintext }),
  info,
});
const sealedListKey = (epoch: number, plaintext = listKey(epoch)): Sealed =>
  sealed(`list key ${epoch}`, listKeySealInfo({ ...list, epoch }), plaintext);
const asText = ({ enc, ciphertext, info }: Sealed) => ({
  enc: text(enc),
  ciphertext: text(ciphertext),
  info: text(info),
});

/** What opens, and what does not. */
function opens() {
  const info = rfc9180.info;
  const plaintext = utf8('Beauty is truth, truth beauty');
  const whole: Sealed = {
    ...seal({ ephemeral: rfc9180.ephemeral, recipient: device.publicKey, info, plaintext }),
    info,
  };
  const flipped = (bytes: Uint8Array, index: number): Uint8Array =>
    bytes.map((byte, i) => (i === (index + bytes.length) % bytes.length ? byte ^ 1 : byte));
  const rows: readonly (readonly [name: string, sealed: Sealed, plaintext: Uint8Array | null])[] = [
    ['the keys of RFC 9180, A.3.1, with AES-256-GCM', whole, plaintext],
    ['an empty plaintext', sealed('empty', info, new Uint8Array()), new Uint8Array()],
    ['an empty info', sealed('no info', new Uint8Array(), plaintext), plaintext],
    ['the key of an epoch', sealedListKey(1), listKey(1)],
    ['another info', { ...whole, info: flipped(info, 0) }, null],
    ['a changed ciphertext', { ...whole, ciphertext: flipped(whole.ciphertext, 0) }, null],
    ['a changed tag', { ...whole, ciphertext: flipped(whole.ciphertext, -1) }, null],
    ['a ciphertext shorter than a tag', { ...whole, ciphertext: whole.ciphertext.subarray(0, 15) }, null],
    ['no ciphertext', { ...whole, ciphertext: new Uint8Array() }, null],
    ['a point that is not on the curve', { ...whole, enc: flipped(whole.enc, -1) }, null],
    ['the point at infinity', { ...whole, enc: Uint8Array.of(0) }, null],
    ['zeros as a point', { ...whole, enc: Uint8Array.of(4, ...new Uint8Array(64)) }, null],
    ['coordinates of the field’s size', { ...whole, enc: Uint8Array.of(4, ...new Uint8Array(64).fill(255)) }, null],
    ['a compressed point', { ...whole, enc: Uint8Array.of(2, ...whole.enc.subarray(1, 33)) }, null],
    ['no point', { ...whole, enc: new Uint8Array() }, null],
    ['a point and a byte', { ...whole, enc: Uint8Array.of(...whole.enc, 0) }, null],
    ['another ephemeral key', { ...whole, enc: publicKeyOf(drawn('another')) }, null],
  ];
  return rows.map(([name, each, opened]) => ({
    name,
    ...asText(each),
    plaintext: opened === null ? null : text(opened),
  }));
}

/** `keyStore.openListKeys`, and what is derived and signed afterwards. */
function listKeys() {
  const secret = sealed('check-in secret', checkInSecretSealInfo(list), checkInSecret);
  const salt = drawn('salt', 16);
  const info = utf8('svc/vectors');
  const epoch = (number: number, plaintext?: Uint8Array) => ({
    epoch: number,
    sealed: asText(sealedListKey(number, plaintext)),
  });
  const derived = [32, 1, 64].map((length) => ({
    epoch: 2,
    salt: text(salt),
    info: text(info),
    length,
    bytes: text(hkdf(sha256, listKey(2), salt, info, length)),
  }));
  const message = utf8('{"checkIn":1}');
  const wrongSecret = { ...secret, info: utf8('another') };
  return [
    {
      name: 'two epochs and a check-in secret',
      request: { epochs: [epoch(2), epoch(1)], checkInSecret: asText(secret) },
      opens: { epochs: [2, 1], hasCheckInSecret: true },
      derive: derived,
      signCheckIn: [{ message: text(message), signature: text(hmac(sha256, checkInSecret, message)) }],
    },
    {
      name: 'one epoch without a check-in secret',
      request: { epochs: [epoch(1)], checkInSecret: null },
      opens: { epochs: [1], hasCheckInSecret: false },
      derive: [],
      signCheckIn: [{ message: text(message), signature: null }],
    },
    {
      name: 'a key of 31 bytes',
      request: { epochs: [epoch(1, listKey(1).subarray(0, 31))], checkInSecret: null },
      opens: null,
    },
    { name: 'a key of 33 bytes', request: { epochs: [epoch(1, drawn('long', 33))], checkInSecret: null }, opens: null },
    {
      name: 'a key of another epoch',
      request: {
        epochs: [{ ...epoch(1), sealed: { ...epoch(1).sealed, info: epoch(2).sealed.info } }],
        checkInSecret: null,
      },
      opens: null,
    },
    {
      name: 'the second of two does not open',
      request: { epochs: [epoch(1), { ...epoch(2), sealed: { ...epoch(2).sealed, enc: '' } }], checkInSecret: null },
      opens: null,
    },
    {
      name: 'the check-in secret does not open',
      request: { epochs: [epoch(1)], checkInSecret: asText(wrongSecret) },
      opens: null,
    },
    {
      name: 'a check-in secret of 16 bytes',
      request: {
        epochs: [epoch(1)],
        checkInSecret: asText(sealed('short', checkInSecretSealInfo(list), checkInSecret.subarray(16))),
      },
      opens: null,
    },
  ];
}

/** `contract/vectors/keys.json`. All bytes are base64url. */
export function keyVectors() {
  checkReferences();
  return {
    hkdf: rfc5869.map(({ origin, ikm, salt, info, bytes }) => ({
      name: origin,
      ikm: text(ikm),
      salt: text(salt),
      info: text(info),
      length: bytes.length,
      bytes: text(bytes),
    })),
    hmac: rfc4231.map(({ origin, key, message, mac }) => ({
      name: origin,
      key: text(key),
      message: text(message),
      mac: text(mac),
    })),
    device: { privateKey: text(device.privateKey), publicKey: text(device.publicKey) },
    opens: opens(),
    openListKeys: listKeys(),
  };
}
