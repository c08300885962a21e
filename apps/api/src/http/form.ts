import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { MAX_ADDITIONAL_IMAGES, MAX_ENROLMENTS_AT_ONCE } from '@svc/protocol';
import { ServiceError } from '../platform/errors.ts';

/** A form's JSON, and the photos of the greatest batch. */
const MAX_PARTS = 1 + MAX_ENROLMENTS_AT_ONCE * (1 + MAX_ADDITIONAL_IMAGES);
const MAX_HEADER_BYTES = 4 * 2 ** 10;
/** Of streams that have to hand on at once what they are given, as their input is wiped. */
const WITHOUT_END = Number.MAX_SAFE_INTEGER;

export interface FormPart {
  readonly name: string;
  /** In a buffer of its own, which its owner wipes or transfers. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const broken = (detail: string) => new ServiceError('invalid-request', { errors: [{ pointer: '', detail }] });

/** Concatenates slices of the request into a buffer of its own: the only copy that is made of a photo. */
function joined(slices: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(slices.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const slice of slices) {
    whole.set(slice, at);
    at += slice.length;
  }
  return whole;
}

/**
 * Takes a form (multipart/form-data, RFC 7578) apart as it arrives, without keeping anything in a string or a file. What
 * it is given stays its caller's to wipe, once `end` has settled.
 */
export class FormReader {
  readonly #parser: BusboyInstance;
  readonly #parts: FormPart[] = [];
  readonly #finished: Promise<void>;

  /** @throws ServiceError 'unsupported-media-type' for a type without a boundary */
  constructor(contentType: string) {
    try {
      this.#parser = new Busboy({
        headers: { 'content-type': contentType },
        isPartAFile: () => true,
        limits: { parts: MAX_PARTS, headerPairs: 10, headerSize: MAX_HEADER_BYTES },
        ...{ highWaterMark: WITHOUT_END, fileHwm: WITHOUT_END },
      });
    } catch {
      throw new ServiceError('unsupported-media-type');
    }
    this.#finished = new Promise((resolve, reject) => {
      this.#parser.once('finish', resolve);
      this.#parser.once('partsLimit', () => reject(broken(`must not have more than ${MAX_PARTS} parts`)));
      this.#parser.on('error', () => reject(broken('must be a complete form (RFC 7578)')));
    });
    // Whoever waits for the end gets the rejection; prevents an unhandled one until then.
    this.#finished.catch(() => undefined);
    this.#parser.on('file', (name: string | undefined, stream: BusboyFileStream) => {
      const slices: Uint8Array[] = [];
      stream.on('data', (slice: Uint8Array) => slices.push(slice));
      stream.on('end', () => this.#parts.push({ name: name ?? '', bytes: joined(slices) }));
      // The parser has the same error.
      stream.on('error', () => undefined);
    });
  }

  write(chunk: Buffer): void {
    this.#parser.write(chunk);
  }

  /**
   * @returns the parts in their order
   * @throws ServiceError 'invalid-request' for what is no whole form, after wiping
   */
  async end(): Promise<readonly FormPart[]> {
    this.#parser.end();
    try {
      await this.#finished;
      return this.#parts;
    } catch (error) {
      this.wipe();
      throw error;
    }
  }

  /** Wipes the parts so far. */
  wipe(): void {
    for (const { bytes } of this.#parts) bytes.fill(0);
  }
}
