import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPrivateFile, readPrivateFile, replacePrivateFile } from '@svc/durable-fs';
import { newSigningKey, parseSigningKeys, type SigningKey } from './signing-key.ts';

/** Where a deployment's private signing keys come from. */
export interface SigningSource {
  /** The file; null where they are a value of the environment. */
  readonly path: string | null;
  /** None where there is no file. @throws SigningKeyError, PrivateFileError */
  read(): Promise<SigningKey[]>;
  /** Makes the first key where there is none, in a file; of two processes that do at once, one wins. A value is not made. */
  create(): Promise<void>;
  /** Puts another key behind those that are there. @returns the value to put into the environment; null where it is in the file */
  append(): Promise<{ readonly key: SigningKey; readonly value: string | null }>;
  /** Keeps of the keys in a file those that are named, in that order. Does nothing about a value. */
  keep(publicKeys: readonly string[]): Promise<void>;
}

/** `SVC_SIGNING_KEY`, else the file of `SVC_SIGNING_KEY_FILE`, else `signing-key.pem` in the data directory. */
export function signingSource(o: {
  readonly dataDirectory: string;
  readonly signingKey?: string | undefined;
  readonly signingKeyFile?: string | undefined;
}): SigningSource {
  const value = o.signingKey;
  const path = o.signingKeyFile ?? join(o.dataDirectory, 'signing-key.pem');
  if (value !== undefined) {
    return {
      path: null,
      read: async () => parseSigningKeys(value),
      create: () => Promise.resolve(),
      append() {
        const made = newSigningKey();
        const [key] = parseSigningKeys(made.value);
        if (key === undefined) throw new Error('a key that was just made is none');
        return Promise.resolve({ key, value: made.value });
      },
      keep: () => Promise.resolve(),
    };
  }
  const text = async () => (await readPrivateFile(path)) ?? '';
  return {
    path,
    read: async () => parseSigningKeys(await text()),
    async create() {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await createPrivateFile(path, newSigningKey().pem);
    },
    async append() {
      const made = newSigningKey();
      const [key] = parseSigningKeys(made.pem);
      if (key === undefined) throw new Error('a key that was just made is none');
      await replacePrivateFile(path, `${(await text()).trim()}\n${made.pem}`.trimStart());
      return { key, value: null };
    },
    async keep(publicKeys) {
      const blocks = (await text()).match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
      const kept = publicKeys.flatMap((wanted) =>
        blocks.filter((pem) => parseSigningKeys(pem)[0]?.publicKey === wanted),
      );
      if (kept.length > 0) await replacePrivateFile(path, `${kept.join('\n')}\n`);
    },
  };
}
