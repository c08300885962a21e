import { concatBytes } from '../../bytes.ts';
import { json, manifest, manifestBytes } from './bend-manifest.ts';
import { bent, type HostileCase, text } from './hostile-case.ts';

/** Signed, but not a valid manifest. */
export const manifestCases: readonly HostileCase[] = [
  bent(
    'a signed manifest that is no JSON',
    'manifest-invalid',
    manifestBytes((honest) => text(honest.slice(1))),
  ),
  bent(
    'a signed manifest with something after it',
    'manifest-invalid',
    manifestBytes((honest) => text(`${honest}{}`)),
  ),
  bent(
    'a signed manifest that is no UTF-8',
    'manifest-invalid',
    manifestBytes((honest) => concatBytes(text(honest), Uint8Array.of(0xff))),
  ),
  bent(
    'a signed manifest behind a byte order mark',
    'manifest-invalid',
    manifestBytes((honest) => text(`\ufeff${honest}`)),
  ),
  bent(
    'a signed list',
    'manifest-invalid',
    json((m) => [m]),
  ),
  bent(
    'a manifest of the future',
    'manifest-invalid',
    json((m) => ({ ...m, format: 2 })),
  ),
  bent(
    'a command that is none',
    'manifest-invalid',
    json((m) => ({ ...m, command: 'hold' })),
  ),
  bent(
    'a reason beside «keep»',
    'manifest-invalid',
    json((m) => ({ ...m, reason: 'list-deleted' })),
  ),
  bent(
    'no epochs',
    'manifest-invalid',
    json((m) => ({ ...m, epochs: [] })),
  ),
  bent(
    'the same epoch twice',
    'manifest-invalid',
    manifest(({ epochs: [a] }) => ({ epochs: [a, a] })),
  ),
  bent(
    'epochs that rise',
    'manifest-invalid',
    manifest(({ epochs: [a] }) => ({ epochs: [a, { ...a, epoch: 2 }] })),
  ),
  bent(
    'versions that fall',
    'manifest-invalid',
    manifest(({ toVersion }) => ({ fromVersion: toVersion + 1 })),
  ),
  bent(
    'a version that is no safe integer',
    'manifest-invalid',
    json((m) => ({ ...m, toVersion: 2 ** 53 })),
  ),
  bent(
    'a version as text',
    'manifest-invalid',
    json((m) => ({ ...m, toVersion: '4' })),
  ),
  bent(
    'a count below zero',
    'manifest-invalid',
    json((m) => ({ ...m, recordCount: -1 })),
  ),
  bent(
    'a hash with padding',
    'manifest-invalid',
    manifest((m) => ({ payloadSha256: `${m.payloadSha256}=` })),
  ),
  bent(
    'a hash in the other base64',
    'manifest-invalid',
    manifest(() => ({ payloadSha256: '+'.repeat(43) })),
  ),
  bent(
    'no state hash',
    'manifest-invalid',
    manifest(() => ({ stateHash: '' })),
  ),
  bent(
    'a date that is none',
    'manifest-invalid',
    manifest(() => ({ issuedAt: '2030-02-30T00:00:00.000Z' })),
  ),
  bent(
    'a time of another zone',
    'manifest-invalid',
    manifest(() => ({ issuedAt: '2030-01-01T12:00:00.000+02:00' })),
  ),
  bent(
    'a lease of more than a day',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({
      leaseExpiresAt: new Date(Date.parse(issuedAt) + 24 * 60 * 60_000 + 1).toISOString(),
    })),
  ),
  bent(
    'an issue in the past under a lease of today',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({
      issuedAt: new Date(Date.parse(issuedAt) - 1).toISOString(),
    })),
  ),
  bent(
    'an issue in the future, behind its lease',
    'manifest-expired',
    manifest(({ leaseExpiresAt }) => ({
      issuedAt: leaseExpiresAt,
    })),
  ),
  bent(
    'a lease that is over',
    'manifest-expired',
    manifest(({ issuedAt }) => ({ leaseExpiresAt: issuedAt })),
  ),
];
