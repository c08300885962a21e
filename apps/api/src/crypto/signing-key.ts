import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPrivateFile, readPrivateFile, replacePrivateFile } from '@svc/durable-fs';

/** The region's Ed25519 key (RFC 8032), which devices trust. The SDK's `Region` pins its public key. */
export interface SigningKey {
  /** First 16 hex digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** Raw public key, 32 bytes, base64url, as in `Region.signingKeys`. */
  readonly publicKey: string;
  /** @returns 64 bytes */
  sign(message: Uint8Array): Uint8Array;
}

/** The configured signing keys are missing or not those that devices trust; an operator can fix it. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError';
}

/** First 16 hex digits of the SHA-256 of a raw public key. @param publicKey base64url */
export const signingKeyIdOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, 16);

/** @throws SigningKeyError when it is not an Ed25519 private key */
export function toSigningKey(privateKey: KeyObject): SigningKey {
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new SigningKeyError('the signing key is not an Ed25519 key');
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new SigningKeyError('the signing key has no public half');
  return { keyId: signingKeyIdOf(x), publicKey: x, sign: (message) => new Uint8Array(sign(null, message, privateKey)) };
}

const PEM = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/g;

/**
 * Parses private keys (PKCS #8): PEM blocks, or base64 of the bytes, separated by commas or line breaks.
 * @throws SigningKeyError for anything else; the text is not echoed
 */
export function parseSigningKeys(text: string): SigningKey[] {
  try {
    const blocks = text.match(PEM);
    if (blocks !== null) return blocks.map((pem) => toSigningKey(createPrivateKey(pem)));
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    return entries.map((entry) =>
      toSigningKey(createPrivateKey({ key: Buffer.from(entry, 'base64'), format: 'der', type: 'pkcs8' })),
    );
  } catch (error) {
    if (error instanceof SigningKeyError) throw error;
    throw new SigningKeyError('the signing key is not a private key in PKCS #8');
  }
}

/** Creates a private key, as PEM for a file and as value for the environment. */
export function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    key: toSigningKey(privateKey),
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    value: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
}

/** The source of a deployment's private signing keys. */
export type SigningSource = ReturnType<typeof signingSource>;

/** What the system says of a file that a platform or root hands out, and of one that is mounted by itself. */
const NOT_OURS = ['EACCES', 'EPERM', 'EROFS', 'EBUSY'];

/** @returns false when this user may not write the file */
async function replaced(path: string, content: string, replace: typeof replacePrivateFile): Promise<boolean> {
  try {
    await replace(path, content);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_OURS.includes(String(error.code))) return false;
    throw error;
  }
}

/** `SVC_SIGNING_KEY`, else the file of `SVC_SIGNING_KEY_FILE`, else `signing-key.pem` in the data directory. */
export function signingSource(o: {
  readonly dataDirectory: string;
  readonly signingKey?: string | undefined;
  readonly signingKeyFile?: string | undefined;
  /** In place of {@link replacePrivateFile}, for tests. */
  readonly replace?: typeof replacePrivateFile;
}) {
  const { replace = replacePrivateFile } = o;
  const value = o.signingKey;
  const path = o.signingKeyFile ?? join(o.dataDirectory, 'signing-key.pem');
  if (value !== undefined) {
    return {
      path: null,
      read: async () => parseSigningKeys(value),
      create: () => Promise.resolve(),
      append() {
        const { key, value } = newSigningKey();
        return Promise.resolve({ key, value });
      },
      keep: () => Promise.resolve(),
    };
  }
  const text = async () => (await readPrivateFile(path)) ?? '';
  return {
    /** The file; null when the keys come from the environment. */
    path,
    /** Empty when the file is missing. @throws SigningKeyError, PrivateFileError */
    read: async (): Promise<SigningKey[]> => parseSigningKeys(await text()),
    /** Creates the file with a first key if it is missing; two processes may do so at once. Ignores the environment. */
    async create(): Promise<void> {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await createPrivateFile(path, newSigningKey().pem);
    },
    /**
     * Appends a new key. @returns what to append to the environment's value, or to a file that this user may not write to;
     * null when the key is in the file
     */
    async append(): Promise<{ readonly key: SigningKey; readonly value: string | null }> {
      const { key, pem } = newSigningKey();
      const isWritten = await replaced(path, `${(await text()).trim()}\n${pem}`.trimStart(), replace);
      return { key, value: isWritten ? null : pem };
    },
    /** Keeps only the named keys of a file that this user may write to, in that order. */
    async keep(publicKeys: readonly string[]): Promise<void> {
      const blocks = (await text()).match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
      const kept = publicKeys.flatMap((wanted) =>
        blocks.filter((pem) => parseSigningKeys(pem)[0]?.publicKey === wanted),
      );
      if (kept.length > 0) await replaced(path, `${kept.join('\n')}\n`, replace);
    },
  };
}
