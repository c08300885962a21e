import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, toBase64Url } from '../../bytes.ts';
import { signingKeyId } from '../../region.ts';
import { type Draft, syncAnswer } from '../fake-service.ts';
import { json, manifest } from './bend-manifest.ts';
import { body } from './bend-payload.ts';
import { foreignKey, foreignSecret, other } from './foreign-identities.ts';
import { answered, bent, type HostileCase } from './hostile-case.ts';

const forged = (
  [
    [
      'a wipe without a signature',
      'signature-invalid',
      (draft: Draft) => {
        draft.sign = () => new Uint8Array(64);
      },
    ],
    [
      'a wipe by a stranger’s key',
      'unknown-signing-key',
      (draft: Draft) => {
        draft.keyId = signingKeyId(foreignKey);
        draft.sign = (message) => ed25519.sign(message, foreignSecret);
      },
    ],
    [
      'a wipe for another device’s key',
      'other-device',
      manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(foreignKey)) })),
    ],
    ['a wipe to an older question', 'other-nonce', manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) }))],
    ['a wipe without a reason', 'manifest-invalid', json(({ reason: _reason, ...m }) => m)],
    ['a wipe for a reason that is none', 'manifest-invalid', json((m) => ({ ...m, reason: 'because' }))],
    ['a wipe at a version', 'manifest-invalid', manifest(() => ({ toVersion: 9 }))],
    ['a wipe with records', 'manifest-invalid', manifest(() => ({ recordCount: 1 }))],
    ['a wipe cut short', 'envelope-invalid', body((bytes) => bytes.subarray(0, bytes.length - 1))],
    ['a wipe with something after it', 'envelope-invalid', body((bytes) => concatBytes(bytes, Uint8Array.of(1)))],
    [
      'a wipe with a payload',
      'envelope-invalid',
      (draft: Draft) => {
        draft.payloadKind = 1;
        draft.payload = Uint8Array.of(1);
      },
    ],
  ] as const
).map(([name, reason, bend]) => bent(name, reason, bend, { instead: 'wipe' }));

/** Only the service may order a wipe, of this device and now. */
export const wipeCases: readonly HostileCase[] = [
  ...forged,
  // At a first sync the token's device and list are not known yet.
  bent(
    'a wipe for another device’s id',
    'other-device',
    manifest(() => ({ deviceId: other('dev') })),
    {
      instead: 'wipe',
      atFirst: null,
    },
  ),
  bent(
    'a wipe for another list',
    'other-list',
    manifest(() => ({ listId: other('lst') })),
    {
      instead: 'wipe',
      atFirst: null,
    },
  ),
  answered('a wipe under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 }), {
    instead: 'wipe',
  }),
  answered('a wipe under a 503', 'server-error', async (honest) => syncAnswer(await honest(), { status: 503 }), {
    instead: 'wipe',
  }),
  answered(
    'a wipe as a web page',
    'unexpected-answer',
    async (honest) => syncAnswer(await honest(), { mediaType: 'text/html' }),
    { instead: 'wipe' },
  ),
];
