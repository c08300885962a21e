import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';

/** The best first. */
const encodingNames = ['br', 'gzip'] as const;
type EncodingName = (typeof encodingNames)[number];

/** What version 1 has and its published types lack. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/**
 * The content coding of an answer by `Accept-Encoding`: of those that the client prefers equally, the best. The answer
 * needs `Vary: Accept-Encoding`.
 * @param available besides `identity`, which is also the answer to a client that excludes them all: it can read it
 */
export function chooseEncoding(request: Request, available: readonly EncodingName[]): EncodingName | 'identity' {
  const negotiator: EncodingNegotiator = new Negotiator(request);
  const chosen = negotiator.encoding([...available, 'identity'], { preferred: [...encodingNames, 'identity'] });
  return available.find((name) => name === chosen) ?? 'identity';
}

const encoders = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/**
 * Sends a text that never changes and holds no secret, compressed when it is first asked for.
 * @returns sends it; the type and the caching are the caller's
 */
export function encodedText(text: string): (request: Request, response: Response) => Promise<void> {
  // Shared bytes: a string would be copied for each answer and kept while a slow client reads.
  const plain = Buffer.from(text);
  const encoded = new Map<EncodingName, Promise<Buffer>>();
  return async (request, response) => {
    response.vary('Accept-Encoding');
    const encoding = chooseEncoding(request, encodingNames);
    if (encoding === 'identity') {
      response.send(plain);
      return;
    }
    const made = encoded.get(encoding) ?? encoders[encoding](plain);
    encoded.set(encoding, made);
    response.set('Content-Encoding', encoding).send(await made);
  };
}
