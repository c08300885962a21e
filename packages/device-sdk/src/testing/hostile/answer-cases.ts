import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, toBase64Url } from '../../platform/bytes.ts';
import type { TransportAnswer } from '../../platform/transport.ts';
import { signingKeyId } from '../../trust/region.ts';
import { syncAnswer } from '../fake-service.ts';
import {
  answered,
  bent,
  body,
  flip,
  foreignKey,
  foreignPoint,
  foreignSecret,
  type HostileCase,
  held,
  json,
  manifest,
  manifestBytes,
  other,
  text,
} from './bends.ts';

const MEDIA_TYPE = 'application/vnd.svc.sync';

const page = (over: Partial<TransportAnswer> = {}) =>
  syncAnswer(text('<html>Log in to the hotel</html>'), { mediaType: 'text/html', ...over });
const stream = (over: Partial<TransportAnswer>) => syncAnswer(new Uint8Array(), { contentLength: null, ...over });

/** Answers that are not the service's: other statuses, other types, endless bodies. */
const transportCases = answered([
  ['a captive portal’s page', 'unexpected-answer', async () => page()],
  ['a captive portal’s page as a sync', 'envelope-invalid', async () => page({ mediaType: MEDIA_TYPE })],
  ['a redirect', 'unexpected-answer', async () => page({ status: 302 })],
  ['a 204', 'unexpected-answer', async () => page({ status: 204 })],
  ['a 400', 'unexpected-answer', async () => page({ status: 400 })],
  ['a 401', 'unauthorised', async () => page({ status: 401 })],
  ['a 403', 'unauthorised', async () => page({ status: 403 })],
  ['a 404', 'unexpected-answer', async () => page({ status: 404 })],
  ['a 409', 'device-key-mismatch', async () => page({ status: 409 })],
  ['a 429', 'rate-limited', async () => page({ status: 429 })],
  ['a 500', 'server-error', async () => page({ status: 500 })],
  ['an envelope under a 206', 'unexpected-answer', async (honest) => syncAnswer(await honest(), { status: 206 })],
  ['an envelope under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 })],
  [
    'an envelope as plain text',
    'unexpected-answer',
    async (honest) => syncAnswer(await honest(), { mediaType: 'text/plain' }),
  ],
  ['an envelope of no type', 'unexpected-answer', async (honest) => syncAnswer(await honest(), { mediaType: '' })],
  ['a broken connection', 'offline', () => Promise.reject(new Error('ECONNRESET'))],
  ['an announced length over the cap', 'too-long', async () => stream({ contentLength: 2 ** 40 })],
  [
    'a body that never ends',
    'too-long',
    async () =>
      stream({
        body: (async function* () {
          for (;;) yield new Uint8Array(1_000_000);
        })(),
      }),
  ],
  [
    'a body far longer than announced',
    'too-long',
    async () =>
      stream({
        contentLength: 100,
        body: (async function* () {
          for (;;) yield new Uint8Array(1_000_000);
        })(),
      }),
  ],
  [
    'a body that breaks off',
    'offline',
    async (honest) => {
      const bytes = await honest();
      return stream({
        contentLength: bytes.length,
        body: (async function* () {
          yield bytes.subarray(0, bytes.length >> 1);
          throw new Error('reset');
        })(),
      });
    },
  ],
]);

/** Malformed envelopes. The honest one begins with 8 bytes of magic, the kind, 4 bytes of length, the manifest. */
const envelopeCases = bent([
  ['nothing', 'envelope-invalid', body(() => new Uint8Array())],
  ['another magic', 'envelope-invalid', body((bytes) => flip(bytes, 0))],
  ['a format of the future', 'envelope-invalid', body((bytes) => flip(bytes, 7))],
  ['an envelope cut in its magic', 'envelope-invalid', body((bytes) => bytes.subarray(0, 5))],
  ['an envelope cut in its lengths', 'envelope-invalid', body((bytes) => bytes.subarray(0, 11))],
  ['an envelope cut in its manifest', 'envelope-invalid', body((bytes) => bytes.subarray(0, 200))],
  ['a manifest that is longer than the body', 'envelope-invalid', body((bytes) => flip(bytes, 9))],
  ['a manifest of no length', 'envelope-invalid', body((bytes) => bytes.slice().fill(0, 9, 13))],
  ['a manifest above its cap', 'envelope-invalid', body((bytes) => bytes.slice().fill(0x10, 10, 11))],
  ['a payload kind that is none', 'envelope-invalid', body((bytes) => bytes.slice().fill(3, 8, 9))],
  ['a payload kind that was not signed', 'signature-invalid', body((bytes) => bytes.slice().fill(2, 8, 9))],
  ['a payload beside «nothing follows»', 'envelope-invalid', body((bytes) => bytes.slice().fill(0, 8, 9))],
  ['an envelope cut in its signature', 'envelope-invalid', body((bytes) => bytes.subarray(0, bytes.length - 1)), held],
  [
    'an envelope cut before its signature',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 64)),
    held,
  ],
  [
    'an envelope cut in its key’s name',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 70)),
    held,
  ],
  ['a byte after «nothing follows»', 'envelope-invalid', body((bytes) => concatBytes(bytes, Uint8Array.of(0))), held],
]);

/** The order of the group of Ed25519, little-endian (RFC 8032, section 5.1). */
const ORDER = Uint8Array.from(Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex'));

/** Unsigned, signed by another key, or over other data. */
const signatureCases = bent([
  [
    'an unsigned answer',
    'signature-invalid',
    (draft) => {
      draft.sign = () => new Uint8Array(64);
    },
  ],
  [
    'a key that is not pinned',
    'unknown-signing-key',
    (draft) => {
      draft.keyId = signingKeyId(foreignKey);
      draft.sign = (message) => ed25519.sign(message, foreignSecret);
    },
  ],
  [
    'another key under the pinned one’s name',
    'signature-invalid',
    (draft) => {
      draft.sign = (message) => ed25519.sign(message, foreignSecret);
    },
  ],
  [
    'a signature over the manifest alone',
    'signature-invalid',
    (draft, service) => {
      draft.sign = (message) => ed25519.sign(message.subarray(13), service.signingSecret);
    },
  ],
  [
    'a signature for another payload kind',
    'signature-invalid',
    (draft, service) => {
      draft.sign = (message) => ed25519.sign(message.slice().fill(0, 12, 13), service.signingSecret);
    },
  ],
  [
    'a signature whose scalar was made another of the same residue',
    'signature-invalid',
    (draft, service) => {
      draft.sign = (message) => {
        const signed = ed25519.sign(message, service.signingSecret).slice();
        let carry = 0;
        for (let i = 0; i < 32; i += 1) {
          const sum = (signed[32 + i] ?? 0) + (ORDER[i] ?? 0) + carry;
          signed[32 + i] = sum & 255;
          carry = sum >> 8;
        }
        return signed;
      };
    },
  ],
  ['a flipped bit in the manifest', 'signature-invalid', body((bytes) => flip(bytes, 40))],
]);

/** Signed, but not a valid manifest. */
const manifestCases = bent([
  ['a signed manifest that is no JSON', 'manifest-invalid', manifestBytes((honest) => text(honest.slice(1)))],
  ['a signed manifest with something after it', 'manifest-invalid', manifestBytes((honest) => text(`${honest}{}`))],
  [
    'a signed manifest that is no UTF-8',
    'manifest-invalid',
    manifestBytes((honest) => concatBytes(text(honest), Uint8Array.of(0xff))),
  ],
  [
    'a signed manifest behind a byte order mark',
    'manifest-invalid',
    manifestBytes((honest) => text(`\ufeff${honest}`)),
  ],
  ['a signed list', 'manifest-invalid', json((m) => [m])],
  ['a manifest of the future', 'manifest-invalid', json((m) => ({ ...m, format: 2 }))],
  ['a command that is none', 'manifest-invalid', json((m) => ({ ...m, command: 'hold' }))],
  ['a reason beside «keep»', 'manifest-invalid', json((m) => ({ ...m, reason: 'list-deleted' }))],
  ['no epochs', 'manifest-invalid', json((m) => ({ ...m, epochs: [] }))],
  ['the same epoch twice', 'manifest-invalid', manifest(({ epochs: [a] }) => ({ epochs: [a, a] }))],
  ['epochs that rise', 'manifest-invalid', manifest(({ epochs: [a] }) => ({ epochs: [a, { ...a, epoch: 2 }] }))],
  ['versions that fall', 'manifest-invalid', manifest(({ toVersion }) => ({ fromVersion: toVersion + 1 }))],
  ['a version that is no safe integer', 'manifest-invalid', json((m) => ({ ...m, toVersion: 2 ** 53 }))],
  ['a version as text', 'manifest-invalid', json((m) => ({ ...m, toVersion: '4' }))],
  ['a count below zero', 'manifest-invalid', json((m) => ({ ...m, recordCount: -1 }))],
  ['a hash with padding', 'manifest-invalid', manifest((m) => ({ payloadSha256: `${m.payloadSha256}=` }))],
  ['a hash in the other base64', 'manifest-invalid', manifest(() => ({ payloadSha256: '+'.repeat(43) }))],
  ['no state hash', 'manifest-invalid', manifest(() => ({ stateHash: '' }))],
  ['a date that is none', 'manifest-invalid', manifest(() => ({ issuedAt: '2030-02-30T00:00:00.000Z' }))],
  ['a time of another zone', 'manifest-invalid', manifest(() => ({ issuedAt: '2030-01-01T12:00:00.000+02:00' }))],
  [
    'a lease of more than a day',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({
      leaseExpiresAt: new Date(Date.parse(issuedAt) + 24 * 60 * 60_000 + 1).toISOString(),
    })),
  ],
  [
    'an issue in the past under a lease of today',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({
      issuedAt: new Date(Date.parse(issuedAt) - 1).toISOString(),
    })),
  ],
  [
    'an issue in the future, behind its lease',
    'manifest-expired',
    manifest(({ leaseExpiresAt }) => ({
      issuedAt: leaseExpiresAt,
    })),
  ],
  ['a lease that is over', 'manifest-expired', manifest(({ issuedAt }) => ({ leaseExpiresAt: issuedAt }))],
]);

/** Honest answers, but to another request or device. */
const addresseeCases = [
  ...bent([
    [
      'another device’s key',
      'other-device',
      manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(foreignKey)) })),
    ],
    [
      'another device’s id',
      'other-device',
      manifest(() => ({ deviceId: other('dev') })),
      { atFirst: 'list-key-unopenable' },
    ],
    ['another list', 'other-list', manifest(() => ({ listId: other('lst') })), { atFirst: 'pack-invalid' }],
    ['another nonce', 'other-nonce', manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) }))],
    [
      'the nonce written with stray bits',
      'other-nonce',
      manifest(({ nonce }) => ({ nonce: `${nonce.slice(0, -1)}B` })),
    ],
    ['an older version', 'version-rolled-back', manifest(() => ({ toVersion: 2 })), { atFirst: 'pack-invalid' }],
    ['the version held, with another state', 'version-conflict', manifest(() => ({ toVersion: 3 })), { atFirst: null }],
    ['no version', 'version-rolled-back', manifest(() => ({ toVersion: 0 })), { atFirst: 'pack-invalid' }],
  ]),
  ...answered([
    [
      'the answer of the last sync again, frozen',
      'other-nonce',
      async (_honest, service) => syncAnswer(service.answered[0] ?? new Uint8Array()),
      { atFirst: null },
    ],
    [
      'the answer to another device',
      'other-device',
      async (_honest, service) => {
        const key = toBase64Url(await foreignPoint());
        const { 'Svc-Nonce': nonce = '' } = service.requests.at(-1)?.headers ?? {};
        return syncAnswer(await service.respond(0, key, nonce));
      },
    ],
  ]),
];

/** Answers that no check of their content has to look at. */
export const answerCases: readonly HostileCase[] = [
  ...transportCases,
  ...envelopeCases,
  ...signatureCases,
  ...manifestCases,
  ...addresseeCases,
];
