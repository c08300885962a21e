// Writes vectors/aes-256-gcm.json: messages derived from their labels, sealed by node:crypto (OpenSSL). Their lengths
// cover every boundary of the core's implementation; the suite also runs against independent implementations.
import { createCipheriv, createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';

/** SHA-256 of `label \0 0`, `label \0 1`, …, joined and cut. */
function pattern(label, length) {
  const blocks = [];
  for (let i = 0; i * 32 < length; i++) blocks.push(createHash('sha256').update(`${label}\0${i}`).digest());
  return Buffer.concat(blocks).subarray(0, length);
}

const lengths = [
  0, 1, 15, 16, 17, 31, 32, 95, 96, 97, 127, 128, 223, 224, 225, 256, 320, 544, 991, 992, 993, 1024, 2015, 2016, 2047,
  2048, 2049, 2064, 3040, 4063, 4064, 4065, 4096, 8160, 8161, 16_384, 65_536, 100_001,
];
const cases = [
  ...lengths.map((length, i) => ({ length, aadLength: [0, 20, 61][i % 3] })),
  ...[1, 15, 16, 17, 255, 2047, 2048, 2065, 5000].map((aadLength) => ({ length: 100, aadLength })),
];

const vectors = cases.map(({ length, aadLength }, i) => {
  const label = `aes-256-gcm/${i}`;
  const key = pattern(`${label}/key`, 32);
  const nonce = pattern(`${label}/nonce`, 12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(pattern(`${label}/aad`, aadLength));
  const sealed = Buffer.concat([
    cipher.update(pattern(`${label}/plaintext`, length)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const sealedSha256 = createHash('sha256').update(sealed).digest('hex');
  return { label, length, aadLength, tag: sealed.subarray(length).toString('hex'), sealedSha256 };
});

const file = {
  origin:
    'scripts/generate-vectors.mjs, made with node:crypto and checked against @noble/ciphers by the suite that reads it',
  licence: 'Apache-2.0',
  algorithm: 'AES-256-GCM, 12-byte nonce, 16-byte tag appended',
  recipe:
    'key (32 bytes), nonce (12), aad (aadLength) and plaintext (length) are SHA-256(label/name, 0x00, block number in decimal) over rising block numbers, joined and cut, name being key, nonce, aad or plaintext',
  vectors,
};
writeFileSync(new URL('../vectors/aes-256-gcm.json', import.meta.url), `${JSON.stringify(file, null, 2)}\n`);
