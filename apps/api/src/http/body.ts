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
import type { FairQuota, Holding, Share } from '../platform/fair-share.ts';
import { scanJson, type TextRange, unescapeInPlace } from './json-scan.ts';

/** Limit for receiving a body. */
const BODY_DEADLINE_MS = 60_000;
/** Slower bodies are aborted too, since they hold memory that others need. */
export const SLOWEST_BODY = { bytes: 10 * 2 ** 10, withinMs: 10_000 } as const;

/** Far more values than any body of this API has; parsing a body full of brackets would block other requests. */
const MAX_VALUES = 500;

/** Checks the declared length before anything else. @throws ServiceError 'request-too-large' */
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

/** Memory for bodies, and the share that this request belongs to. */
export interface BodyMemory {
  readonly whole: FairQuota;
  readonly share: Share;
}

/**
 * @param holding reserves memory for the bytes as they arrive; closed by the caller
 * @throws ServiceError 'request-too-large' as soon as the limit is exceeded; 'overloaded' when no memory is left or
 * other shares need it; 'request-timeout' when the sender is too slow; 'invalid-json' when it stops
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

/** The parser's own message quotes the body, so it is dropped. */
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

/** Positions of the photos in a body. @throws ServiceError 'invalid-json' or 'invalid-request' */
function photoTexts(body: Buffer, maxValues: number, isPhoto: (pointer: string) => boolean): readonly TextRange[] {
  const scan = scanJson(body, maxValues, isPhoto);
  if (scan.ok) return scan.texts;
  if (scan.reason === 'syntax') throw new ServiceError('invalid-json');
  const error =
    scan.reason === 'duplicate'
      ? memberError(scan.parent, scan.name, 'is there twice')
      : { pointer: '', detail: 'must not have so many members, nor so deep' };
  throw new ServiceError('invalid-request', { errors: [error] });
}

/** Replaces a photo; valid base64, so that the schema accepts it. */
const PLACEHOLDER = Buffer.from('AAAA');

/** The body without its photos; the caller wipes it. */
function cutOut(body: Buffer, texts: readonly TextRange[]): Buffer {
  let from = 0;
  const parts = texts.flatMap(({ start, end }) => {
    const part = body.subarray(from, start);
    from = end;
    return [part, PLACEHOLDER];
  });
  return Buffer.concat([...parts, body.subarray(from)]);
}

/** Decoded photos by pointer. A photo never becomes a JavaScript string. */
class DecodedPhotos {
  readonly bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly errors: FieldError[] = [];

  /** Unescapes the text in place. @throws ServiceError 'invalid-json' */
  add(body: Buffer, text: TextRange): void {
    const end = unescapeInPlace(body, text);
    if (end === null) throw new ServiceError('invalid-json');
    const { pointer, start } = text;
    const characters = body.subarray(start, end);
    const bytes = decodeBase64(characters);
    if (bytes !== null) this.bytes.set(pointer, bytes);
    else this.errors.push({ pointer, detail: base64Error(characters.toString('latin1', 0, 5)) });
  }

  wipe(): void {
    for (const bytes of this.bytes.values()) wipePhoto(bytes);
  }
}

/** Wipes a photo. One that was transferred to a worker is wiped there. */
function wipePhoto(photo: Uint8Array): void {
  // A transferred buffer is empty and cannot be filled.
  if (photo.byteLength > 0) photo.fill(0);
}

export interface JsonBodyOptions {
  readonly limitBytes?: number;
  /** Most values in the body, at all depths; default 500. */
  readonly maxValues?: number | undefined;
  /** A missing body (no length, or length 0) is read as `{}`, with any media type. */
  readonly optional?: boolean;
}

interface ReadOptions extends JsonBodyOptions {
  readonly memory: BodyMemory;
  readonly hashed: boolean;
  /** Selects base64 photos in the body by JSON pointer; default: none. */
  readonly isPhoto?: (pointer: string) => boolean;
}

function isAbsent(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0);
}

/** SHA-256 in lower-case hex; by default of an empty input. */
export function sha256Hex(bytes: Uint8Array = new Uint8Array(0)): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Photos of a request. */
export interface Photos {
  /** @throws Error when the schema does not require one */
  at(pointer: string): Uint8Array<ArrayBuffer>;
  /** Aborted when other requests need the memory more: work with these photos should stop. */
  readonly taken: AbortSignal;
  /** Wipes photos that were not transferred and releases their memory. Call it when the request ends. */
  wipe(): void;
}

export interface ReadBody<T> {
  /** Without photos: their places contain placeholders. */
  readonly value: T;
  /** SHA-256 of the bytes as received, lower-case hex; null unless requested. */
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

/** Parses and validates; wipes the photos on any error. */
function understand<T extends z.ZodType>(
  schema: T,
  body: Buffer,
  maxValues: number,
  isPhoto: (pointer: string) => boolean,
): { readonly value: z.output<T>; readonly photos: DecodedPhotos } {
  const texts = photoTexts(body, maxValues, isPhoto);
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
 * Reads and validates a JSON body. Photos are cut out of its bytes before parsing and the bytes are wiped, so that no
 * part of a photo is ever in a string, which could not be wiped.
 * @throws ServiceError 'request-too-large', 'unsupported-media-type', 'overloaded', 'request-timeout', 'invalid-json',
 * 'unknown-parameter' or 'invalid-request', in this order
 */
export async function readJsonBody<T extends z.ZodType>(
  request: Request,
  response: Response,
  schema: T,
  {
    limitBytes = MAX_JSON_BODY_BYTES,
    optional = false,
    memory,
    hashed,
    maxValues = MAX_VALUES,
    isPhoto = () => false,
  }: ReadOptions,
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
    // Only now, so that a caller that expects 100-continue has sent nothing before.
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    const body = await readBytes(request, limitBytes, holding, taken.signal);
    try {
      const sha256 = hashed ? sha256Hex(body) : null;
      const { value, photos } = understand(schema, body, maxValues, isPhoto);
      return { value, sha256, photos: toPhotos(photos) };
    } finally {
      body.fill(0);
    }
  } catch (error) {
    holding.close();
    throw error;
  }
}
