import { join } from 'node:path';
import { readOrCreatePrivateFile, readPrivateFile } from '@svc/durable-fs';
import type { Random } from '../platform/ports.ts';
import { createLocalKeyEncryption, type KeyEncryption, KeyEncryptionError, parseKeks } from './key-encryption.ts';

/**
 * The deployment's KEKs: from the text of an environment variable, else from a file, else from `kek` in the data directory,
 * made at first start so that a developer needs to configure nothing.
 * @throws KeyEncryptionError when a configured file is missing or does not hold keys
 */
export async function openKeyEncryption(o: {
  readonly random: Random;
  readonly dataDirectory: string;
  readonly kek?: string | undefined;
  readonly kekFile?: string | undefined;
}): Promise<KeyEncryption> {
  return createLocalKeyEncryption(o.random, parseKeks(await readKeks(o)));
}

async function readKeks(o: Parameters<typeof openKeyEncryption>[0]): Promise<string> {
  if (o.kek !== undefined) return o.kek.replaceAll(',', '\n');
  if (o.kekFile !== undefined) {
    const text = await readPrivateFile(o.kekFile);
    if (text === null) throw new KeyEncryptionError('the file of SVC_KEK_FILE does not exist');
    return text;
  }
  return readOrCreatePrivateFile(
    join(o.dataDirectory, 'kek'),
    () => `${Buffer.from(o.random.bytes(32)).toString('base64')}\n`,
  );
}
