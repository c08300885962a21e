import { fork } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Random } from '../platform/ports.ts';
import { KEK_ID, KeyEncryptionUnavailableError, kekIdFrom, type RemoteKek, readSecret } from './kek.ts';

/** Where a key lies, by attributes of a PKCS#11 URI (RFC 7512). */
export interface Pkcs11Key {
  readonly object: string;
  readonly token?: string;
  readonly 'module-path': string;
  /** The file with the PIN; none for a token that is opened without one. */
  readonly 'pin-source'?: string;
}

/**
 * `pkcs11:token=svc;object=svc-kek?module-path=/usr/lib/libhsm.so&pin-source=/etc/svc/pin`.
 * @returns null for what is no such address, and for attributes that are not taken: to ignore one may mean another key
 */
export function parsePkcs11Uri(text: string): Pkcs11Key | null {
  const key: Record<string, string> = {};
  for (const attribute of text.slice('pkcs11:'.length).split(/[;&?]/)) {
    const [, name, value] =
      /^(object|token|module-path|pin-source)=((?:[^%]|%[0-7][0-9a-fA-F])+)$/.exec(attribute) ?? [];
    if (name === undefined || value === undefined) return null;
    key[name] = decodeURIComponent(value).replace(/^file:(?=\/)/, '');
  }
  const { object, 'module-path': library = '', 'pin-source': pinFile = '/' } = key;
  if (object === undefined || !library.startsWith('/') || !pinFile.startsWith('/')) return null;
  return { ...key, object, 'module-path': library };
}

const OPEN_LIMIT_MS = 10_000;
const CALL_LIMIT_MS = 5_000;
const SALT_BYTES = 24;
/** Before a salt: no key of a box is the id of the KEK. */
const BOX_KEY = Buffer.from('svc/box-key/v1');

/** Vendors' libraries read variables of their own; ours are secrets. */
const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SVC_|DATABASE_URL|OTEL_|NODE_)/.test(name)));

/**
 * Opens the token in a process, which ends as soon as anything fails, and what it was asked fails with it.
 * @throws KeyEncryptionUnavailableError
 */
async function startProcess(key: Pkcs11Key, pin: string | undefined) {
  const child = fork(fileURLToPath(new URL('./pkcs11-process.cjs', import.meta.url)), [], {
    ...{ serialization: 'advanced', execArgv: [], env: environment() },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const waiting: { resolve(mac: Uint8Array): void; reject(error: Error): void }[] = [];
  let over: KeyEncryptionUnavailableError | null = null;
  function end(text: string, code: string): void {
    over ??= new KeyEncryptionUnavailableError(text, code);
    child.kill('SIGKILL');
    for (const { reject } of waiting.splice(0)) reject(over);
  }
  const ended = new Promise<void>((resolve) => child.once('close', resolve));
  void ended.then(() => end('the PKCS#11 library ended its process', 'ended'));
  child.on('error', () => end('the process for PKCS#11 fails', 'not-started'));
  // Nothing once the token is open, a MAC for each message, in their order, or why it ends.
  child.on('message', (reply: Uint8Array | { readonly failed: string; readonly code: string }) => {
    if ('failed' in reply) end(reply.failed, reply.code);
    else waiting.shift()?.resolve(reply);
  });

  async function ask(question: object, limitMs: number): Promise<Uint8Array> {
    const timer = setTimeout(() => end('the token does not answer', 'timeout'), limitMs);
    try {
      return await new Promise((resolve, reject) => {
        if (over !== null) return reject(over);
        waiting.push({ resolve, reject });
        child.send(question);
      });
    } finally {
      clearTimeout(timer);
    }
  }
  await ask({ key, pin }, OPEN_LIMIT_MS);
  return {
    /** HMAC-SHA-256 by the key in the token, 32 bytes. */
    mac: (message: Uint8Array) => ask(message, CALL_LIMIT_MS),
    ended,
    stop() {
      end('the service is stopping', 'stopped');
      return ended;
    },
  };
}

/**
 * A secret key of an HSM that speaks PKCS#11, which makes the key of each box by HMAC-SHA-256: every token has it, and it
 * needs no nonces. The library runs in a process of its own, which may hang or crash, and in which alone a token of software
 * such as SoftHSM has the KEK in memory.
 * @throws KeyEncryptionUnavailableError
 */
export async function openPkcs11Kek(random: Random, key: Pkcs11Key): Promise<RemoteKek> {
  let running: ReturnType<typeof startProcess> | null = null;
  let kekId = '';

  async function open() {
    const pinFile = key['pin-source'];
    const pin = pinFile === undefined ? undefined : (await readSecret(pinFile, 'the file with the PIN')).trim();
    const opened = await startProcess(key, pin);
    void opened.ended.then(() => {
      running = null;
    });
    const id = kekIdFrom(await opened.mac(KEK_ID));
    kekId ||= id;
    if (id === kekId) return opened;
    await opened.stop();
    throw new KeyEncryptionUnavailableError('the token has another key of that name now', 'another-key');
  }
  async function mac(message: Uint8Array): Promise<Uint8Array> {
    running ??= open().catch((error: unknown) => {
      running = null;
      throw error;
    });
    return (await running).mac(message);
  }
  const keyOf = (salt: Uint8Array) => mac(Buffer.concat([BOX_KEY, salt]));

  await mac(KEK_ID);
  return {
    id: kekId,
    async newKey() {
      const reference = random.bytes(SALT_BYTES);
      return { key: await keyOf(reference), reference };
    },
    findKey: keyOf,
    check: async () => void (await mac(KEK_ID)),
    close: async () => (await running?.catch(() => null))?.stop(),
  };
}
