import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createNodeAead } from '@svc/core/aead-node';
import { deriveLookupKey, lookupTag, openRecord, recordSize } from '@svc/core/pack';
import { createLocalKeyEncryption, parseKeks } from '../crypto/key-encryption.ts';
import { wrappingContext } from '../crypto/key-ring.ts';
import type { KeyName } from '../crypto/key-store.ts';
import { encodeContext, openBox } from '../crypto/sealed-box.ts';
import { systemRandom } from '../platform/ports.ts';

/** A person to search for, with the binding of the record. */
export interface SoughtPerson extends KeyName {
  readonly personId: string;
  readonly engineId: string;
  readonly dimension: number;
}

interface DiskFile {
  readonly path: string;
  readonly bytes: Buffer;
}

const LOG_PAGE_BYTES = 8_192;
const [FIRST_HEAD_BYTES, HEAD_BYTES] = [40, 24];

/** A write-ahead log file without page headers, so that rows across pages are contiguous. */
function withoutPageHeads(bytes: Buffer): Buffer {
  const pages: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += LOG_PAGE_BYTES) {
    pages.push(bytes.subarray(at + (at === 0 ? FIRST_HEAD_BYTES : HEAD_BYTES), at + LOG_PAGE_BYTES));
  }
  return Buffer.concat(pages);
}

/** All files below a data directory, including the embedded cluster's. Files deleted meanwhile are skipped. */
async function readDisk(directory: string): Promise<DiskFile[]> {
  const files: DiskFile[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory()) files.push(...(await readDisk(path)));
    else if (found?.isSymbolicLink()) files.push(...(await readDisk(await readlink(path)).catch(() => [])));
    else if (found?.isFile()) {
      const bytes = await readFile(path).catch(() => null);
      if (bytes === null) continue;
      files.push({ path, bytes });
      if (/^[0-9A-F]{24}$/.test(name)) files.push({ path, bytes: withoutPageHeads(bytes) });
    }
  }
  return files;
}

function* occurrences(bytes: Buffer, needle: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) yield at;
}

const WRAPPED_BYTES = 72;
const SEALED_BYTES = WRAPPED_BYTES + 40;
/** In a row the wrapped key follows the KEK's id, with lengths between them. */
const BEHIND_KEK_ID = 24;

/** What can be found with access to every byte of a deployment's data directory. */
export class DiskSearch {
  readonly #files: readonly DiskFile[];
  readonly #keks: [Uint8Array, ...Uint8Array[]];
  readonly #keys = new Map<string, Promise<Uint8Array[]>>();

  private constructor(files: readonly DiskFile[], keks: [Uint8Array, ...Uint8Array[]]) {
    this.#files = files;
    this.#keks = keks;
  }

  static async of(directory: string): Promise<DiskSearch> {
    return new DiskSearch(await readDisk(directory), parseKeks(await readFile(join(directory, 'kek'), 'utf8')));
  }

  /** Files that contain the bytes, raw, in hexadecimal or in base64. */
  filesWith(needle: Buffer): string[] {
    const forms = [needle, Buffer.from(needle.toString('hex')), Buffer.from(needle.toString('base64'))];
    return this.#files.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ path }) => path);
  }

  /** Possible wrapped keys: bytes after a KEK's id, and fields of that name in JSON. */
  #candidates(size: number): Buffer[] {
    const found = new Map<string, Buffer>();
    const keep = (candidate: Buffer) => {
      if (candidate.length === size) found.set(candidate.toString('base64'), candidate);
    };
    const kekIds = createLocalKeyEncryption(systemRandom, this.#keks).kekIds;
    for (const { bytes } of this.#files) {
      for (const kekId of kekIds) {
        for (const at of occurrences(bytes, Buffer.from(kekId))) {
          const start = at + kekId.length;
          for (let skip = 0; skip < BEHIND_KEK_ID; skip += 1) keep(bytes.subarray(start + skip, start + skip + size));
        }
      }
      for (const at of occurrences(bytes, Buffer.from('"wrapped":"'))) {
        const text = /^"wrapped":"([A-Za-z0-9+/=]+)"/.exec(bytes.subarray(at, at + 400).toString('latin1'))?.[1];
        keep(Buffer.from(text ?? '', 'base64'));
      }
    }
    return [...found.values()];
  }

  /** Possible owners' secrets: files of exactly 32 bytes. */
  #secrets(): Buffer[] {
    return this.#files
      .filter(({ bytes }) => bytes.length === 44)
      .map(({ bytes }) => Buffer.from(bytes.toString('latin1'), 'base64'))
      .filter((secret) => secret.length === 32);
  }

  /** All keys of a name that the disk yields: wrapped, or also sealed with one of the secrets. */
  #keysOf(name: KeyName): Promise<Uint8Array[]> {
    const wanted = `${name.ownerId} ${name.epoch}`;
    const keys = this.#keys.get(wanted) ?? this.#findKeys(name);
    this.#keys.set(wanted, keys);
    return keys;
  }

  async #findKeys(name: KeyName): Promise<Uint8Array[]> {
    const keyEncryption = createLocalKeyEncryption(systemRandom, this.#keks);
    const context = encodeContext('svc/owner-secret/v1', name.ownerId, String(name.epoch));
    const sealed = this.#candidates(SEALED_BYTES).flatMap((box) =>
      this.#secrets().map((secret) => openBox(secret, box, context)),
    );
    const wrapped = [...this.#candidates(WRAPPED_BYTES), ...sealed.filter((opened) => opened !== null)];
    const keys = new Map<string, Uint8Array>();
    for (const kekId of keyEncryption.kekIds) {
      for (const bytes of wrapped) {
        const key = await keyEncryption.unwrap({ kekId, bytes }, wrappingContext(name)).catch(() => null);
        if (key !== null) keys.set(Buffer.from(key).toString('base64'), key);
      }
    }
    return [...keys.values()];
  }

  /** Whether a key of this name is on the disk and opens. */
  async hasKey(name: KeyName): Promise<boolean> {
    return (await this.#keysOf(name)).length > 0;
  }

  /** Number of places with a record of the person that opens. */
  async records({ ownerId: listId, epoch, personId, engineId, dimension }: SoughtPerson): Promise<number> {
    const aead = createNodeAead();
    let opened = 0;
    for (const listKey of await this.#keysOf({ ownerId: listId, epoch })) {
      const tag = Buffer.from(lookupTag(deriveLookupKey(listKey), personId));
      for (const { bytes } of this.#files) {
        for (const at of occurrences(bytes, tag)) {
          const record = bytes.subarray(at, at + recordSize(dimension));
          const binding = { listKey, listId, epoch, engineId, dimension, personId, record };
          const template = await openRecord(aead, binding).catch(() => null);
          if (template !== null) opened += 1;
        }
      }
    }
    return opened;
  }
}
