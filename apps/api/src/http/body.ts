import { type FieldError, MAX_JSON_BODY_BYTES, validateBody } from '@svc/protocol';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../platform/errors.ts';
import type { FairQuota, Holding, Share } from '../platform/fair-share.ts';
import { FormReader } from './form.ts';
import {
  BodyPhotos,
  sha256Hex,
  type Understanding,
  type Understood,
  understandForm,
  understandJson,
  wipeAll,
} from './understand-body.ts';

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

/**
 * @returns what reads a form; null for JSON
 * @throws ServiceError 'unsupported-media-type'
 */
function formOf(request: Request, takesForms: boolean): FormReader | null {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  const coding = request.headers['content-encoding'] ?? 'identity';
  const known = coding.toLowerCase() === 'identity' && (charset === undefined || /^charset="?utf-?8"?$/i.test(charset));
  if (known && type.toLowerCase() === 'application/json') return null;
  const isForm = known && takesForms && type.toLowerCase() === 'multipart/form-data';
  if (isForm) return new FormReader(request.headers['content-type'] ?? '');
  throw new ServiceError('unsupported-media-type');
}

/** A form's parts are copied while the body is kept. */
const copiesIn = (form: FormReader | null) => (form === null ? 1 : 2);

/** Memory for bodies, and the share that this request belongs to. */
export interface BodyMemory {
  readonly whole: FairQuota;
  readonly share: Share;
}

/**
 * @param holding reserves memory for the bytes as they arrive, and for a form's parts; closed by the caller
 * @param form gets them as they arrive; null for none
 * @returns all of them, for the caller to wipe
 * @throws ServiceError 'request-too-large' as soon as the limit is exceeded; 'overloaded' when no memory is left or
 * other shares need it; 'request-timeout' when the sender is too slow; 'invalid-json' when it stops
 */
function receive(
  request: Request,
  limitBytes: number,
  holding: Holding,
  taken: AbortSignal,
  form: FormReader | null,
): Promise<readonly Buffer[]> {
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
        wipeAll(chunks);
        form?.wipe();
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
      if (!isWanted || !holding.take(chunk.length * copiesIn(form))) {
        chunk.fill(0);
        return fail(new ServiceError(isWanted ? 'overloaded' : 'request-too-large'));
      }
      size += chunk.length;
      lately += chunk.length;
      chunks.push(chunk);
      form?.write(chunk);
    };
    const onEnd = () => settle(() => resolve(chunks));
    const onBroken = () => fail(new ServiceError('invalid-json', { detail: 'The body ended early.' }));
    taken.addEventListener('abort', onTaken, { once: true });
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

export interface JsonBodyOptions {
  readonly limitBytes?: number;
  /** Most values in the body, at all depths; default 500. */
  readonly maxValues?: number | undefined;
  /** A missing body (no length, or length 0) is read as `{}`, with any media type. */
  readonly optional?: boolean;
}

interface ReadOptions extends JsonBodyOptions, Partial<PhotosIn> {
  readonly memory: BodyMemory;
  readonly hashed: boolean;
}

/** Where the photos of a body are. */
export interface PhotosIn {
  /** Selects base64 photos by JSON pointer. */
  readonly isPhoto: (pointer: string) => boolean;
  /** The body may be a form too, whose part of this name is the JSON without the photos. */
  readonly jsonPart: string;
  /** The handler validates what holds the photos, and looks at their errors. */
  readonly isEnvelope?: boolean;
}

function isAbsent(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0);
}

/** Photos of a request. */
export interface Photos {
  /** What is wrong with the photos of an envelope, by their pointers. */
  readonly errors: readonly FieldError[];
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
  /** SHA-256 of the bytes as received, of a form of its parts, lower-case hex; null unless requested. */
  readonly sha256: string | null;
  readonly photos: Photos;
}

/** @throws ServiceError 'unknown-parameter' or 'invalid-request' */
export function checked<T extends z.ZodType>(
  schema: T,
  body: unknown,
  ofPhotos: readonly FieldError[] = [],
): z.output<T> {
  const result = validateBody(schema, body);
  if (!result.ok) {
    const more = result.code === 'invalid-request' ? ofPhotos : [];
    throw new ServiceError(result.code, { errors: [...result.errors, ...more] });
  }
  if (ofPhotos.length > 0) throw new ServiceError('invalid-request', { errors: ofPhotos });
  return result.value;
}

/** Reads what a request holds; wipes the bytes that arrived. */
async function readUnderstood(
  form: FormReader | null,
  received: Promise<readonly Buffer[]>,
  jsonPart: string,
  how: Understanding,
): Promise<Understood> {
  const chunks = await received;
  try {
    return form === null ? understandJson(chunks, how) : understandForm(await form.end(), jsonPart, how);
  } finally {
    wipeAll(chunks);
  }
}

/**
 * Reads and validates a body: JSON, or a form with photos. Photos are cut out of JSON before parsing and the bytes are
 * wiped, so that no part of a photo is ever in a string, which could not be wiped.
 * @throws ServiceError 'request-too-large', 'unsupported-media-type', 'overloaded', 'request-timeout', 'invalid-json',
 * 'unknown-parameter' or 'invalid-request', in this order
 */
export async function readBody<T extends z.ZodType>(
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
    jsonPart,
    isEnvelope = false,
  }: ReadOptions,
): Promise<ReadBody<z.output<T>>> {
  refuseDeclaredLength(request, Math.min(limitBytes, memory.whole.limit));
  const taken = new AbortController();
  const holding = memory.whole.open(memory.share, () => taken.abort());
  const toPhotos = (photos: BodyPhotos): Photos => ({
    errors: photos.errors,
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
      return { value: checked(schema, {}), sha256: hashed ? sha256Hex() : null, photos: toPhotos(new BodyPhotos()) };
    }
    const form = formOf(request, jsonPart !== undefined);
    const limit = Math.min(limitBytes, memory.whole.limit / copiesIn(form));
    refuseDeclaredLength(request, limit);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (!memory.whole.hasRoom(memory.share, declared * copiesIn(form))) throw new ServiceError('overloaded');
    // Only now, so that a caller that expects 100-continue has sent nothing before.
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    const received = receive(request, limit, holding, taken.signal, form);
    const how = { hashed, maxValues, isPhoto };
    const { json, photos, sha256 } = await readUnderstood(form, received, jsonPart ?? '', how);
    try {
      return { value: checked(schema, json, isEnvelope ? [] : photos.errors), sha256, photos: toPhotos(photos) };
    } catch (error) {
      photos.wipe();
      throw error;
    }
  } catch (error) {
    holding.close();
    throw error;
  }
}
