import type { RequestHandler, Response } from 'express';
import type { OpenApiContract } from './openapi-contract.ts';

/** Copies what is written to the response, as it is written: buffers are wiped or reused afterwards. */
function copyBody(response: Response): () => Uint8Array {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string')
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = function (this: Response, ...args: unknown[]) {
    keep(args[0], args[1]);
    return Reflect.apply(write, this, args) as boolean;
  } as typeof response.write;
  response.end = function (this: Response, ...args: unknown[]) {
    keep(args[0], args[1]);
    return Reflect.apply(end, this, args) as Response;
  } as typeof response.end;
  return () => Buffer.concat(chunks);
}

/** Checks every whole answer against the document; what differs is added to `violations`, each sentence once. */
export function observeAnswers(contract: Pick<OpenApiContract, 'check'>, violations: Set<string>): RequestHandler {
  return (request, response, next) => {
    const { method, originalUrl: url } = request;
    const body = copyBody(response);
    response.on('finish', () => {
      const headers = Object.fromEntries(
        Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
      );
      const answer = { method, url, status: response.statusCode, headers, body: body() };
      for (const difference of contract.check(answer)) violations.add(difference);
    });
    next();
  };
}
