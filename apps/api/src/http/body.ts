import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { MAX_JSON_BODY_BYTES, validateBody } from '@svc/protocol';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { ByteBudget } from './byte-budget.ts';
import { countStructure } from './json-structure.ts';

/** A body that takes longer than this to arrive is given up: a slow sender must not hold a place in the queue. */
const BODY_DEADLINE_MS = 60_000;

/** Far more than any body of this API has; a body full of brackets would hold up everybody else. */
const MAX_STRUCTURE = 1_000;

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

/**
 * The bytes are taken out of the budget; the caller gives them back.
 * @throws ServiceError 'request-too-large' as soon as the limit is passed; 'overloaded' when the budget is spent; 'invalid-json' when the
 *   sender stops or is too slow
 */
function readBytes(request: Request, response: Response, limitBytes: number, budget: ByteBudget): Promise<Buffer> {
  refuseDeclaredLength(request, limitBytes);
  if (!budget.fits(Number(request.headers['content-length'] ?? 0))) throw new ServiceError('overloaded');
  // Only now is the body wanted: a caller that asked first has sent nothing yet.
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void) => {
      clearTimeout(deadline);
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      finish();
    };
    const fail = (error: ServiceError) =>
      settle(() => {
        for (const chunk of chunks) chunk.fill(0);
        budget.give(size);
        reject(error);
      });
    const deadline = setTimeout(
      () => fail(new ServiceError('invalid-json', { detail: 'The body did not arrive in time.' })),
      BODY_DEADLINE_MS,
    );
    const onData = (chunk: Buffer) => {
      if (size + chunk.length > limitBytes) return fail(new ServiceError('request-too-large'));
      if (!budget.take(chunk.length)) return fail(new ServiceError('overloaded'));
      size += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () =>
      settle(() => {
        const body = Buffer.concat(chunks, size);
        for (const chunk of chunks) chunk.fill(0);
        resolve(body);
      });
    const onBroken = () => fail(new ServiceError('invalid-json', { detail: 'The body ended early.' }));
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** The parser's own message quotes the body, so it is not passed on. */
function parseText(body: Buffer): unknown {
  try {
    // A photo's text is ASCII, which needs no decoding.
    const text = isAscii(body)
      ? body.toString('latin1')
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid-json');
  }
}

function parseJson(body: Buffer): unknown {
  if (countStructure(body, MAX_STRUCTURE) <= MAX_STRUCTURE) return parseText(body);
  throw new ServiceError('invalid-request', { errors: [{ pointer: '', detail: 'must not have so many members' }] });
}

export interface JsonBodyOptions {
  readonly limitBytes?: number;
  /** No body at all (no length, or a length of 0) reads as `{}`, whatever its media type. */
  readonly optional?: boolean;
}

interface ReadOptions extends JsonBodyOptions {
  readonly budget: ByteBudget;
  readonly hashed: boolean;
}

function isAbsent(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0);
}

/** SHA-256 in lower-case hex, of no bytes by default. */
export function sha256Hex(bytes: Uint8Array = new Uint8Array(0)): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface ReadBody<T> {
  readonly value: T;
  /** SHA-256 of the bytes as they were sent, lower-case hex; null unless it was asked for. */
  readonly sha256: string | null;
}

/**
 * Reads a JSON body and validates it. The bytes are wiped once parsed.
 * @throws ServiceError 'request-too-large', 'unsupported-media-type', 'overloaded', 'invalid-json' or 'invalid-request', in this order
 */
export async function readJsonBody<T extends z.ZodType>(
  request: Request,
  response: Response,
  schema: T,
  { limitBytes = MAX_JSON_BODY_BYTES, optional = false, budget, hashed }: ReadOptions,
): Promise<ReadBody<z.output<T>>> {
  refuseDeclaredLength(request, limitBytes);
  if (optional && isAbsent(request)) return { value: checked(schema, {}), sha256: hashed ? sha256Hex() : null };
  refuseMediaType(request);
  const body = await readBytes(request, response, limitBytes, budget);
  try {
    return { value: checked(schema, parseJson(body)), sha256: hashed ? sha256Hex(body) : null };
  } finally {
    body.fill(0);
    budget.give(body.length);
  }
}

function checked<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const result = validateBody(schema, body);
  if (!result.ok) throw new ServiceError('invalid-request', { errors: result.errors });
  return result.value;
}
