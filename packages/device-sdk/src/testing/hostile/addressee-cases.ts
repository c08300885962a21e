import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64Url } from '../../bytes.ts';
import { syncAnswer } from '../fake-service.ts';
import { manifest } from './bend-manifest.ts';
import { foreignKey, foreignPoint, other } from './foreign-identities.ts';
import { answered, bent, type HostileCase } from './hostile-case.ts';

/** Honest answers, but to another request or device. */
export const addresseeCases: readonly HostileCase[] = [
  bent(
    'another device’s key',
    'other-device',
    manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(foreignKey)) })),
  ),
  bent(
    'another device’s id',
    'other-device',
    manifest(() => ({ deviceId: other('dev') })),
    {
      atFirst: 'list-key-unopenable',
    },
  ),
  bent(
    'another list',
    'other-list',
    manifest(() => ({ listId: other('lst') })),
    { atFirst: 'pack-invalid' },
  ),
  bent(
    'another nonce',
    'other-nonce',
    manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) })),
  ),
  bent(
    'the nonce written with stray bits',
    'other-nonce',
    manifest(({ nonce }) => ({ nonce: `${nonce.slice(0, -1)}B` })),
  ),
  answered(
    'the answer of the last sync again, frozen',
    'other-nonce',
    async (_honest, service) => syncAnswer(service.answered[0] ?? new Uint8Array()),
    { atFirst: null },
  ),
  answered('the answer to another device', 'other-device', async (_honest, service) => {
    const key = toBase64Url(await foreignPoint());
    const { 'Svc-Nonce': nonce = '' } = service.requests.at(-1)?.headers ?? {};
    return syncAnswer(await service.respond(0, key, nonce));
  }),
  bent(
    'an older version',
    'version-rolled-back',
    manifest(() => ({ toVersion: 2 })),
    { atFirst: 'pack-invalid' },
  ),
  bent(
    'the version held, with another state',
    'version-conflict',
    manifest(() => ({ toVersion: 3 })),
    {
      atFirst: null,
    },
  ),
  bent(
    'no version',
    'version-rolled-back',
    manifest(() => ({ toVersion: 0 })),
    { atFirst: 'pack-invalid' },
  ),
];
