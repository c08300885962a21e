import { readPrivateFile } from '@svc/durable-fs';
import type { KeyEncryption } from '../crypto/key-encryption.ts';
import { failed, ok, type Verdict, warning } from './check.ts';

/**
 * A secret's file: there, and its owner's alone.
 * @param isConfigured a configured file must be there; another one is made at the first start
 */
export async function secretFile(path: string, isConfigured: boolean): Promise<Verdict> {
  const content = await readPrivateFile(path);
  if (content !== null) return ok('there, and its owner’s alone');
  return isConfigured ? failed('does not exist') : warning('not there yet: the first start makes it');
}

/**
 * Whether the KEKs at hand are those that wrapped what the key store holds.
 * @param keysOf how many keys each KEK has wrapped
 */
export function kekMatch(keyEncryption: Pick<KeyEncryption, 'kekIds'>, keysOf: ReadonlyMap<string, number>): Verdict {
  const [current] = keyEncryption.kekIds;
  const missing = [...keysOf.keys()].filter((kekId) => !keyEncryption.kekIds.includes(kekId));
  if (missing.length > 0) return failed(`not at hand: ${missing.join(', ')}; what they wrapped cannot be read`);
  const total = [...keysOf.values()].reduce((sum, keys) => sum + keys, 0);
  const older = total - (keysOf.get(current) ?? 0);
  if (older > 0)
    return warning(`${older} of ${total} keys are wrapped by an older key-encryption key: svc keys rotate`);
  return ok(`${current} wraps ${total === 0 ? 'nothing yet' : `all ${total} keys`}`);
}
