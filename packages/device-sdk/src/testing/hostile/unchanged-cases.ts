import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64Url } from '../../bytes.ts';
import { epochs, manifest } from './bend-manifest.ts';
import { foreignKey } from './foreign-identities.ts';
import { bent, type HostileCase } from './hostile-case.ts';

/** «Nothing changed», although something did. */
export const unchangedCases: readonly HostileCase[] = [
  bent('«unchanged» for a version that is not held', 'base-mismatch', (draft) => {
    draft.payloadKind = 0;
    draft.payload = new Uint8Array();
    const { toVersion } = draft.manifest;
    draft.manifest = { ...draft.manifest, fromVersion: toVersion, payloadSha256: toBase64Url(sha256(draft.payload)) };
  }),
  bent(
    '«unchanged» that leads to a version of its own',
    'base-mismatch',
    manifest(({ toVersion }) => ({ toVersion: toVersion + 1 })),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    '«unchanged» with another state',
    'version-conflict',
    manifest(() => ({ stateHash: toBase64Url(sha256(foreignKey)) })),
    {
      instead: 'unchanged',
      atFirst: null,
    },
  ),
  bent(
    '«unchanged» with another engine',
    'pack-invalid',
    epochs(() => ({ engineId: 'other/1' })),
    {
      instead: 'unchanged',
      atFirst: null,
    },
  ),
  bent(
    '«unchanged» with the hash of something',
    'payload-hash-mismatch',
    manifest(() => ({
      payloadSha256: toBase64Url(sha256(foreignKey)),
    })),
    { instead: 'unchanged', atFirst: null },
  ),
];
