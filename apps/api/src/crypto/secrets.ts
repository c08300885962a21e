import { hash } from 'node:crypto';
import { formatSecret, type SecretPrefix } from '@svc/protocol';
import type { Random } from '../platform/ports.ts';

/** The stored form of a secret: 256 random bits need no slow hash. */
export function secretSha256(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Creates a secret and its hash; the secret is shown once and never stored. */
export function createSecret(
  random: Random,
  prefix: SecretPrefix,
): { readonly secret: string; readonly sha256: Buffer } {
  const bytes = random.bytes(32);
  const secret = formatSecret(prefix, bytes);
  bytes.fill(0);
  return { secret, sha256: secretSha256(secret) };
}
