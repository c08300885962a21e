import { hash } from 'node:crypto';
import { decodeBase64 } from '@svc/protocol';
import { z } from 'zod';
import { isLoopbackHost } from '../config/settings.ts';
import { KeyEncryptionError, KeyEncryptionUnavailableError, type RemoteKek, readSecret } from './kek.ts';

const CALL_LIMIT_MS = 5_000;
const KEY_BYTES = 32;

/** A key that can make data keys and does not leave the vault. */
const keySchema = z.object({
  ...{ type: z.enum(['aes256-gcm96', 'chacha20-poly1305']), derived: z.literal(false) },
  ...{ exportable: z.literal(false), allow_plaintext_backup: z.literal(false) },
});
const madeSchema = z.object({ ciphertext: z.string().max(255) });

/** `https://vault.example.org:8200/v1/transit/keys/svc-kek`, as the vault itself addresses the key. */
export function parseTransitUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  const isPlain = url.href === `${url.origin}${url.pathname}`;
  return isSafe && isPlain && /^\/v1\/[\w/-]+\/keys\/[\w.-]+$/.test(url.pathname) ? url : null;
}

const notUnderstood = () => new KeyEncryptionUnavailableError('the vault’s answer is not understood', 'unknown-answer');

/** Takes the key out of an answer, by its bytes: a string could not be wiped. The caller wipes it. */
function takeKey(answer: Buffer): Uint8Array {
  const name = '"plaintext":"';
  const from = answer.indexOf(name) + name.length;
  const text = answer.subarray(from, answer.indexOf('"', from));
  const key = decodeBase64(text);
  text.fill('0');
  if (from < name.length || key?.length !== KEY_BYTES) throw notUnderstood();
  return key;
}

/** The part `data` of an answer; null for one that is not as expected. */
function dataOf<Data>(schema: z.ZodType<Data>, answer: Buffer): Data | null {
  try {
    return schema.parse(JSON.parse(answer.toString()).data);
  } catch {
    return null;
  }
}

function refusalOf(status: number): KeyEncryptionError {
  if (status === 400) return new KeyEncryptionError('the vault cannot open a wrapped key: its version may be gone');
  if (status === 404) return new KeyEncryptionError('the vault has no such Transit key');
  const reason = status === 403 ? 'the vault refuses the token' : `the vault answers ${status}`;
  return new KeyEncryptionUnavailableError(reason, `http-${status}`);
}

/** @throws KeyEncryptionError for what the vault refuses, KeyEncryptionUnavailableError */
async function send(url: URL, operation: string, tokenFile: string | undefined, body?: object): Promise<Buffer> {
  const token = tokenFile === undefined ? '' : await readSecret(tokenFile, 'the file with the vault’s token');
  const path = url.pathname.replace(/\/keys\/(?=[^/]+$)/, `/${operation}/`);
  try {
    const answer = await fetch(new URL(path, url), {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'X-Vault-Request': 'true', 'X-Vault-Token': token.trim() },
      ...{ redirect: 'manual', signal: AbortSignal.timeout(CALL_LIMIT_MS) },
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 200) return content;
    throw refusalOf(answer.status);
  } catch (error) {
    if (error instanceof KeyEncryptionError) throw error;
    const { code = 'TIMEOUT' } = Object(error instanceof Error ? error.cause : error);
    throw new KeyEncryptionUnavailableError(`the vault does not answer (${code})`, String(code));
  }
}

/**
 * A key of the Transit engine of Vault or OpenBao, which makes data keys. Its versions are the vault's matter.
 * @param url as of {@link parseTransitUrl}
 * @param tokenFile of a token that may be replaced at any time; undefined where an agent before the vault adds one
 */
export async function openTransitKek(url: URL, tokenFile: string | undefined): Promise<RemoteKek> {
  async function check(): Promise<void> {
    if (dataOf(keySchema, await send(url, 'keys', tokenFile)) === null)
      throw new KeyEncryptionError(
        'the Transit key is not aes256-gcm96 without derivation, export and plaintext backup',
      );
  }

  await check();
  return {
    id: hash('sha256', url.pathname).slice(0, 16),
    async newKey() {
      const answer = await send(url, 'datakey/plaintext', tokenFile, {});
      const key = takeKey(answer);
      const made = dataOf(madeSchema, answer);
      if (made === null) throw notUnderstood();
      return { key, reference: Buffer.from(made.ciphertext) };
    },
    async findKey(reference) {
      const ciphertext = Buffer.from(reference).toString('latin1');
      return takeKey(await send(url, 'decrypt', tokenFile, { ciphertext }));
    },
    check,
    close: () => Promise.resolve(),
  };
}
