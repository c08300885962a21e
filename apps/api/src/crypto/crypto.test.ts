import { createHash, createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../platform/ports.ts';
import { KeyEncryptionError, kekIdOf } from './kek.ts';
import { createLocalKeyEncryption, openKeyEncryption, parseKeks } from './key-encryption.ts';
import { encodeContext, openBox, SEALED_BOX_OVERHEAD, sealBox } from './sealed-box.ts';
import { newSigningKey, parseSigningKeys, SigningKeyError, signingSource } from './signing-key.ts';

const directory = temporaryFolder();

describe('sealed box', () => {
  const key = randomBytes(32);
  const context = encodeContext('a', 'b');
  const plaintext = randomBytes(32);
  const box = sealBox(systemRandom, key, plaintext, context);

  it('opens under its key and context', () => {
    expect(box).toHaveLength(plaintext.length + SEALED_BOX_OVERHEAD);
    expect(Buffer.from(openBox(key, box, context) ?? []).equals(plaintext)).toBe(true);
  });

  it('does not open when any byte of it, the key or the context is another', () => {
    for (let i = 0; i < box.length; i += 1) {
      const changed = Uint8Array.from(box);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(openBox(key, changed, context)).toBeNull();
    }
    expect(openBox(randomBytes(32), box, context)).toBeNull();
    expect(openBox(key, box, encodeContext('ab'))).toBeNull();
    expect(openBox(key, box.subarray(0, SEALED_BOX_OVERHEAD - 1), context)).toBeNull();
  });

  it('never seals the same text to the same bytes', () => {
    expect(Buffer.from(sealBox(systemRandom, key, plaintext, context)).equals(box)).toBe(false);
  });

  it('distinguishes fields whose concatenations are equal', () => {
    expect(encodeContext('ab', 'c')).not.toEqual(encodeContext('a', 'bc'));
    expect(encodeContext('ab')).not.toEqual(encodeContext('ab', ''));
  });
});

describe('key-encryption keys', () => {
  const line = (kek: Uint8Array) => Buffer.from(kek).toString('base64');
  const [old, current] = [randomBytes(32), randomBytes(32)];

  it('are read one a line, comments and empty lines aside', () => {
    expect(parseKeks(`# the current one\n${line(current)}\r\n\n  ${line(old)}  \n`)).toEqual(
      [current, old].map((kek) => Uint8Array.from(kek)),
    );
  });

  it.each(['', '# nothing', 'short', line(randomBytes(31)), line(randomBytes(33)), `${line(current)} extra`])(
    'are refused without being echoed: %j',
    (text) => {
      expect(() => parseKeks(text)).toThrow(KeyEncryptionError);
      try {
        parseKeks(text);
      } catch (error) {
        for (const word of text.split(' ').filter((part) => part.length > 8)) expect(String(error)).not.toContain(word);
      }
    },
  );

  it('wrap with the first, unwrap with any, under one context only', async () => {
    const before = createLocalKeyEncryption(systemRandom, [old]);
    const after = createLocalKeyEncryption(systemRandom, [current, old]);
    const key = randomBytes(32);
    const wrapped = await before.wrap(key, ['lst_a', '1']);
    expect(wrapped.kekId).toBe(kekIdOf(old));
    expect(Buffer.from(await after.unwrap(wrapped, ['lst_a', '1'])).equals(key)).toBe(true);
    expect((await after.wrap(key, ['lst_a', '1'])).kekId).toBe(kekIdOf(current));
    await expect(after.unwrap(wrapped, ['lst_b', '1'])).rejects.toThrow(KeyEncryptionError);
    await expect(after.unwrap(wrapped, ['lst_a', '2'])).rejects.toThrow(KeyEncryptionError);
    const stranger = createLocalKeyEncryption(systemRandom, [current]);
    await expect(stranger.unwrap(wrapped, ['lst_a', '1'])).rejects.toThrow(KeyEncryptionError);
  });

  it('come from the environment, else the file, else are made in the data directory', async () => {
    const dataDirectory = join(directory, 'fresh');
    const kekFile = join(directory, 'keks');
    await writeFile(kekFile, `${line(old)}\n`, { mode: 0o600 });
    const open = (o: { kek?: string; kekFile?: string }) =>
      openKeyEncryption({ random: systemRandom, dataDirectory, ...o });
    expect((await open({ kek: line(current), kekFile })).kekIds).toEqual([kekIdOf(current)]);
    expect((await open({ kek: `${line(current)},${line(old)}` })).kekIds).toHaveLength(2);
    expect((await open({ kekFile })).kekIds).toEqual([kekIdOf(old)]);
    const made = await open({});
    expect((await open({})).kekIds).toEqual(made.kekIds);
    expect((await stat(join(dataDirectory, 'kek'))).mode & 0o777).toBe(0o600);
    await expect(open({ kekFile: join(directory, 'absent') })).rejects.toThrow(KeyEncryptionError);
  });
});

describe('signing key', () => {
  it('signs what its public half verifies, and is read as a file holds it and as a value', () => {
    const made = newSigningKey();
    const [key] = parseSigningKeys(made.pem);
    if (key === undefined) throw new Error('no key');
    expect(parseSigningKeys(made.value).map(({ keyId }) => keyId)).toEqual([key.keyId]);
    const raw = Buffer.from(key.publicKey, 'base64url');
    expect(raw).toHaveLength(32);
    expect(key.keyId).toBe(createHash('sha256').update(raw).digest('hex').slice(0, 16));
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey }, format: 'jwk' });
    const message = randomBytes(100);
    expect(verify(null, message, publicKey, key.sign(message))).toBe(true);
  });

  it('is one of several, in their order', () => {
    const made = [newSigningKey(), newSigningKey()];
    const ids = made.map(({ value }) => parseSigningKeys(value)[0]?.keyId);
    expect(parseSigningKeys(made.map(({ pem }) => pem).join('\n')).map(({ keyId }) => keyId)).toEqual(ids);
    expect(parseSigningKeys(made.map(({ value }) => value).join(', ')).map(({ keyId }) => keyId)).toEqual(ids);
    expect(parseSigningKeys('')).toEqual([]);
  });

  it('is refused when it is another kind of key, and is not echoed', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    for (const text of ['nonsense', String(other), `${newSigningKey().value},nonsense`]) {
      expect(() => parseSigningKeys(text)).toThrow(SigningKeyError);
      expect(() => parseSigningKeys(text)).not.toThrow('nonsense');
    }
  });
});

describe('signing key', () => {
  let directory: string;
  let file: string;
  const first = newSigningKey();

  beforeEach(async () => {
    directory = temporaryFolder();
    file = join(directory, 'signing-key.pem');
    await writeFile(file, first.pem, { mode: 0o600 });
  });

  /** A source whose file cannot be written, also by root. */
  const source = (code: string) =>
    signingSource({
      dataDirectory: directory,
      signingKeyFile: file,
      replace: () => Promise.reject(Object.assign(new Error(code), { code })),
    });

  it.each(['EACCES', 'EPERM', 'EROFS', 'EBUSY'])(
    'hands out the next key where its file cannot be written: %s',
    async (code) => {
      const { key, value } = await source(code).append();
      expect(parseSigningKeys(`${await readFile(file, 'utf8')}${value}`)[1]?.keyId).toBe(key.keyId);
      await expect(source(code).keep([key.publicKey])).resolves.toBeUndefined();
    },
  );

  it('rejects on a full disk', async () => {
    await expect(source('ENOSPC').append()).rejects.toThrow('ENOSPC');
    expect(await readFile(file, 'utf8')).toBe(first.pem);
  });
});
