import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { base64Error, decodeBase64, type FieldError, memberError, photoPointerOf } from '@svc/protocol';
import { ServiceError } from '../platform/errors.ts';
import type { FormPart } from './form.ts';
import { scanJson, type TextRange, unescapeInPlace } from './json-scan.ts';

/** SHA-256 of everything given, in lower-case hex. */
export function sha256Hex(...given: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256');
  for (const each of given) hash.update(each);
  return hash.digest('hex');
}

export function wipeAll(chunks: Iterable<Uint8Array>): void {
  for (const chunk of chunks) chunk.fill(0);
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
      ? memberError(scan.parent, scan.name, 'is repeated')
      : { pointer: '', detail: 'has too many members, or nests them too deeply' };
  throw new ServiceError('invalid-request', { errors: [error] });
}

/** Replaces a photo; valid base64, so that the schema accepts it. */
const PLACEHOLDER = 'AAAA';

/** The body without its photos; the caller wipes it. */
function cutOut(body: Buffer, texts: readonly TextRange[]): Buffer {
  let from = 0;
  const parts = texts.flatMap(({ start, end }) => {
    const part = body.subarray(from, start);
    from = end;
    return [part, Buffer.from(PLACEHOLDER)];
  });
  return Buffer.concat([...parts, body.subarray(from)]);
}

/** A body's photos by pointer. A photo never becomes a JavaScript string. */
export class BodyPhotos {
  readonly bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly errors: FieldError[] = [];

  /** Unescapes the text in place. @throws ServiceError 'invalid-json' */
  decode(body: Buffer, text: TextRange): void {
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

/** A body before it is validated, and its photos, for which it has placeholders. */
export interface Understood {
  readonly json: unknown;
  readonly photos: BodyPhotos;
  readonly sha256: string | null;
}

export interface Understanding {
  readonly hashed: boolean;
  /** Most values, at all depths. */
  readonly maxValues: number;
  /** Selects photos by JSON pointer. */
  readonly isPhoto: (pointer: string) => boolean;
}

/** Parses a JSON body; wipes the photos on any error. @param chunks stay the caller's to wipe */
export function understandJson(chunks: readonly Buffer[], { hashed, maxValues, isPhoto }: Understanding): Understood {
  const body = Buffer.concat(chunks);
  const photos = new BodyPhotos();
  let rest: Buffer | undefined;
  try {
    const sha256 = hashed ? sha256Hex(body) : null;
    const texts = photoTexts(body, maxValues, isPhoto);
    rest = cutOut(body, texts);
    for (const text of texts) photos.decode(body, text);
    return { json: parseText(rest), photos, sha256 };
  } catch (error) {
    photos.wipe();
    throw error;
  } finally {
    rest?.fill(0);
    body.fill(0);
  }
}

const refused = (error: FieldError, code: 'invalid-request' | 'unknown-parameter' = 'invalid-request') =>
  new ServiceError(code, { errors: [error] });

const HAS_TO_BE_A_PART = 'must be a part of the form';
const PLACE = /^(?<owner>\/people\/(?<person>[0-9]+))?\/(?<member>\w+)(?:\/(?<index>[0-9]+))?$/;

/** Puts a placeholder where a JSON body has the photo. @throws ServiceError 'invalid-request' */
function place(json: unknown, pointer: string): void {
  const { owner = '', person, member = '', index } = PLACE.exec(pointer)?.groups ?? {};
  const people: unknown = person === undefined ? [json] : Object(json).people;
  const found: unknown = Array.isArray(people) ? people[Number(person ?? 0)] : undefined;
  if (typeof found !== 'object' || found === null) throw refused({ pointer: owner, detail: 'is missing' });
  const members = found as Record<string, unknown>;
  const before = members[member];
  const isFirst = index === undefined || index === '0';
  if (isFirst && before !== undefined) throw refused({ pointer, detail: HAS_TO_BE_A_PART });
  members[member] = index === undefined ? PLACEHOLDER : [...(isFirst ? [] : (before as string[])), PLACEHOLDER];
}

/** The parts of a form by what they are. @throws ServiceError 'invalid-request' or 'unknown-parameter' */
function sortParts(parts: readonly FormPart[], jsonPart: string) {
  const photos = new BodyPhotos();
  const counts = new Map<string, number>();
  let text: Buffer | undefined;
  for (const { name, bytes } of parts) {
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    const pointer = photoPointerOf(name, before);
    if (pointer !== null) {
      photos.bytes.set(pointer, bytes);
      if (bytes.length === 0) photos.errors.push({ pointer, detail: base64Error('') });
    } else if (before > 0) throw refused(memberError('', name, 'is repeated'));
    else if (name === jsonPart) text = Buffer.from(bytes.buffer);
    else throw refused(memberError('', name, 'is not known'), 'unknown-parameter');
  }
  if (text === undefined) throw refused({ pointer: '', detail: `must have a part named ${jsonPart}` });
  return { text, photos };
}

/**
 * Understands the parts of a form as the JSON body that says the same. Its photos are the parts' own bytes; the others
 * are wiped, and on an error all.
 */
export function understandForm(
  parts: readonly FormPart[],
  jsonPart: string,
  { hashed, maxValues, isPhoto }: Understanding,
): Understood {
  try {
    const { text, photos } = sortParts(parts, jsonPart);
    const [inJson] = photoTexts(text, maxValues, isPhoto);
    if (inJson !== undefined) throw refused({ pointer: inJson.pointer, detail: HAS_TO_BE_A_PART });
    const json = parseText(text);
    for (const pointer of photos.bytes.keys()) place(json, pointer);
    // Without the boundary, which is another one each time.
    const said = parts.flatMap(({ name, bytes }) => [`${name}\n${bytes.length}\n`, bytes]);
    const sha256 = hashed ? sha256Hex(...said) : null;
    text.fill(0);
    return { json, photos, sha256 };
  } catch (error) {
    wipeAll(parts.map(({ bytes }) => bytes));
    throw error;
  }
}
