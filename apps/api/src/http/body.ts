import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  base64Error,
  decodeBase64,
  type FieldError,
  MAX_JSON_BODY_BYTES,
  memberError,
  validateBody,
} from '@svc/protocol';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../platform/errors.ts';
import type { Holding, Share, SharedWhole } from '../platform/fair-share.ts';
import { scanJson, type TextRange, unescapeInPlace } from './json-scan.ts';

/** A body that takes longer than this to arrive is given up. */
const BODY_DEADLINE_MS = 60_000;
/** And one of which less than this arrives within so long, unless it ends: what it holds of the memory is others'. */
export const SLOWEST_BODY = { bytes: 10 * 2 ** 10, withinMs: 10_000 } as const;

/** Far more values than any body of this API has; a body full of brackets would hold up everybody else. */
const MAX_VALUES = 500;

/** Refuses by the declared length, before anything else is looked at. @throws ServiceError 'request-too-large' */
export function refuseDeclaredLength(request: Request, limitBytes: number): void {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limitBytes) throw new ServiceError('request-too-large');
}

function refuseMediaType(request: Request): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  const coding = request.headers['content-encoding'] ?? 'identity';
  const known =
    type.toLowerCase() === 'application/json' &&
    coding.toLowerCase() === 'identity' &&
    (charset === undefined || /^charset="?utf-?8"?$/i.test(charset));
  if (!known) throw new ServiceError('unsupported-media-type');
}

/** Memory for bodies, and whose request this one is. */
export interface BodyMemory {
  readonly whole: SharedWhole;
  readonly share: Share;
}

/**
 * @param holding takes the bytes as they come; closed by the caller
 * @throws ServiceError 'request-too-large' as soon as the limit is passed; 'overloaded' when there is no memory left,
 * or others need it more;
 *   'request-timeout' when the sender is too slow; 'invalid-json' when it stops
 */
function readBytes(request: Request, limitBytes: number, holding: Holding, taken: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let lately = 0;
    const settle = (finish: () => void) => {
      clearTimeout(deadline);
      clearInterval(pace);
      taken.removeEventListener('abort', onTaken);
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      finish();
    };
    const fail = (error: ServiceError) =>
      settle(() => {
        for (const chunk of chunks) chunk.fill(0);
        reject(error);
      });
    const onTaken = () => fail(new ServiceError('overloaded'));
    const onSlow = () => fail(new ServiceError('request-timeout'));
    const deadline = setTimeout(onSlow, BODY_DEADLINE_MS);
    const pace = setInterval(() => {
      if (lately < SLOWEST_BODY.bytes) onSlow();
      lately = 0;
    }, SLOWEST_BODY.withinMs);
    const onData = (chunk: Buffer) => {
      const isWanted = size + chunk.length <= limitBytes;
      if (!isWanted || !holding.take(chunk.length)) {
        chunk.fill(0);
        return fail(new ServiceError(isWanted ? 'overloaded' : 'request-too-large'));
      }
      size += chunk.length;
      lately += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () =>
      settle(() => {
        const body = Buffer.concat(chunks, size);
        for (const chunk of chunks) chunk.fill(0);
        resolve(body);
      });
    const onBroken = () => fail(new ServiceError('invalid-json', { detail: 'The body ended early.' }));
    taken.addEventListener('abort', onTaken, { once: true });
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** The parser's own message quotes the body, so it is not passed on. */
function parseText(body: Buffer): unknown {
  try {
    const text = isAscii(body)
      ? body.toString('latin1')
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid-json');
  }
}

/** A whole body's bytes, and where its photos stand. @throws ServiceError 'invalid-json' or 'invalid-request' */
function photoTexts(body: Buffer, isPhoto: (pointer: string) => boolean): readonly TextRange[] {
  const scan = scanJson(body, MAX_VALUES, isPhoto);
  if (scan.ok) return scan.texts;
  if (scan.reason === 'syntax') throw new ServiceError('invalid-json');
  const error =
    scan.reason === 'duplicate'
      ? memberError(scan.parent, scan.name, 'is there twice')
      : { pointer: '', detail: 'must not have so many members, nor so deep' };
  throw new ServiceError('invalid-request', { errors: [error] });
}

/** Stands where a photo stood: base64, so that all but the photo itself is judged by the schema. */
const PLACEHOLDER = Buffer.from('AAAA');

/** The body without its photos, which the caller wipes. */
function cutOut(body: Buffer, texts: readonly TextRange[]): Buffer {
  let from = 0;
  const parts = texts.flatMap(({ start, end }) => {
    const part = body.subarray(from, start);
    from = end;
    return [part, PLACEHOLDER];
  });
  return Buffer.concat([...parts, body.subarray(from)]);
}

const DATA_URL = Buffer.from('data:');

/** The bytes of the photos by their pointers. None of them is ever a JavaScript string. */
class DecodedPhotos {
  readonly bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly errors: FieldError[] = [];

  /** Overwrites the text's escapes. @throws ServiceError 'invalid-json' */
  add(body: Buffer, text: TextRange): void {
    const end = unescapeInPlace(body, text);
    if (end === null) throw new ServiceError('invalid-json');
    const { pointer, start } = text;
    const characters = body.subarray(start, end);
    const bytes = decodeBase64(characters);
    if (bytes !== null) this.bytes.set(pointer, bytes);
    else this.errors.push({ pointer, detail: base64Error(characters.subarray(0, DATA_URL.length).equals(DATA_URL)) });
  }

  wipe(): void {
    for (const bytes of this.bytes.values()) wipePhoto(bytes);
  }
}

/** Overwrites a photo. One that was handed over to a worker is no longer here, and the worker wipes it. */
function wipePhoto(photo: Uint8Array): void {
  // A handed-over buffer is empty, and refuses to be filled.
  if (photo.byteLength > 0) photo.fill(0);
}

export interface JsonBodyOptions {
  readonly limitBytes?: number;
  /** No body at all (no length, or a length of 0) reads as `{}`, whatever its media type. */
  readonly optional?: boolean;
}

interface ReadOptions extends JsonBodyOptions {
  readonly memory: BodyMemory;
  readonly hashed: boolean;
  /** Strings of the body that are photos in base64, by JSON pointer. None when left out. */
  readonly isPhoto?: (pointer: string) => boolean;
}

function isAbsent(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0);
}

/** SHA-256 in lower-case hex, of no bytes by default. */
export function sha256Hex(bytes: Uint8Array = new Uint8Array(0)): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The photos of one request. */
export interface Photos {
  /** @throws Error where the schema did not demand one */
  at(pointer: string): Uint8Array<ArrayBuffer>;
  /** Aborted when others need the memory more: whoever waits with these photos gives up. */
  readonly taken: AbortSignal;
  /** Overwrites those that no worker has taken, and gives their memory back. To be called when the request is over. */
  wipe(): void;
}

export interface ReadBody<T> {
  /** Photos are left out: what stands in their places means nothing. */
  readonly value: T;
  /** SHA-256 of the bytes as they were sent, lower-case hex; null unless it was asked for. */
  readonly sha256: string | null;
  readonly photos: Photos;
}

/** @throws ServiceError 'unknown-parameter' or 'invalid-request' */
function checked<T extends z.ZodType>(schema: T, body: unknown, ofPhotos: readonly FieldError[] = []): z.output<T> {
  const result = validateBody(schema, body);
  if (!result.ok) {
    const more = result.code === 'invalid-request' ? ofPhotos : [];
    throw new ServiceError(result.code, { errors: [...result.errors, ...more] });
  }
  if (ofPhotos.length > 0) throw new ServiceError('invalid-request', { errors: ofPhotos });
  return result.value;
}

/** Parses and validates; wipes the photos when anything is wrong. */
function understand<T extends z.ZodType>(
  schema: T,
  body: Buffer,
  isPhoto: (pointer: string) => boolean,
): { readonly value: z.output<T>; readonly photos: DecodedPhotos } {
  const texts = photoTexts(body, isPhoto);
  const photos = new DecodedPhotos();
  const rest = cutOut(body, texts);
  try {
    for (const text of texts) photos.add(body, text);
    return { value: checked(schema, parseText(rest), photos.errors), photos };
  } catch (error) {
    photos.wipe();
    throw error;
  } finally {
    rest.fill(0);
  }
}

/**
 * Reads a JSON body and validates it. Photos are cut out of its bytes before it is parsed, and the bytes are wiped:
 * nothing of a photo is ever in a string, which could not be overwritten.
 * @throws ServiceError 'request-too-large', 'unsupported-media-type', 'overloaded', 'request-timeout', 'invalid-json',
 * 'unknown-parameter' or
 *   'invalid-request', in this order
 */
export async function readJsonBody<T extends z.ZodType>(
  request: Request,
  response: Response,
  schema: T,
  { limitBytes = MAX_JSON_BODY_BYTES, optional = false, memory, hashed, isPhoto = () => false }: ReadOptions,
): Promise<ReadBody<z.output<T>>> {
  refuseDeclaredLength(request, limitBytes);
  const taken = new AbortController();
  const none = new DecodedPhotos();
  const holding = memory.whole.open(memory.share, () => taken.abort());
  const toPhotos = (photos: DecodedPhotos): Photos => ({
    at(pointer) {
      const bytes = photos.bytes.get(pointer);
      if (bytes === undefined) throw new Error('there is no such photo');
      return bytes;
    },
    taken: taken.signal,
    wipe() {
      photos.wipe();
      holding.close();
    },
  });
  try {
    if (optional && isAbsent(request)) {
      return { value: checked(schema, {}), sha256: hashed ? sha256Hex() : null, photos: toPhotos(none) };
    }
    refuseMediaType(request);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (!memory.whole.hasRoom(memory.share, declared)) throw new ServiceError('overloaded');
    // Only now is the body wanted: a caller that asked first has sent nothing yet.
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    const body = await readBytes(request, limitBytes, holding, taken.signal);
    try {
      const sha256 = hashed ? sha256Hex(body) : null;
      const { value, photos } = understand(schema, body, isPhoto);
      return { value, sha256, photos: toPhotos(photos) };
    } finally {
      body.fill(0);
    }
  } catch (error) {
    holding.close();
    throw error;
  }
}
