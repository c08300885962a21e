import { buildOpenApiDocument, PROBLEM_MEDIA_TYPE } from '@svc/protocol';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RequestHandler, Response } from 'express';

/** An answer as sent by the application. */
export interface ObservedAnswer {
  readonly method: string;
  /** Path and query, percent-encoded as received. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface MediaType {
  readonly schema?: { readonly $defs?: { readonly part?: object } };
}
interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}
interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly headers: Readonly<Record<string, { readonly required?: boolean }>> };
}

/** Pages for people and the document's alias, which are not part of the API. */
const PAGES = /^\/((docs|kiosk|manual|widget|dashboard|demo)(\/|$)|openapi\.json$|$)/;

/** General HTTP headers, and those that the service sends with every answer. */
const COMMON_HEADERS = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'content-type',
  'transfer-encoding',
  'vary',
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
  'access-control-allow-origin',
  'access-control-expose-headers',
]);

/** A CORS preflight, which is answered alike everywhere and is not an operation. */
const isPreflight = ({ method, status, headers }: ObservedAnswer) =>
  method === 'OPTIONS' && status === 204 && headers['access-control-allow-methods'] !== undefined;

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The document permits additional fields; the tested application must have none. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  const isClosable = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined;
  return isClosable ? { ...copy, additionalProperties: false } : copy;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compares answers with the OpenAPI document. */
export class OpenApiContract {
  readonly #document = closeObjects(buildOpenApiDocument()) as Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, coerceTypes: false });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #paths = Object.keys(this.#document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

  constructor() {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, 'openapi');
  }

  /** @returns a sentence for each difference, beginning with the operation and without values of the body */
  check(answer: ObservedAnswer): string[] {
    if (isPreflight(answer)) return [];
    const target = answer.url.split(/[?#]/, 1)[0] ?? '';
    const method = answer.method.toLowerCase();
    // A path without parameters takes precedence over one with them.
    const found = this.#paths
      .filter(({ pattern }) => pattern.test(target))
      .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
    // A person may have the name of an operation.
    const isServed = ({ path }: { readonly path: string }) => this.#document.paths[path]?.[method] !== undefined;
    const ofPerson = found.find(({ path }) => path.endsWith('/people/{personId}'));
    const path = (found.find(isServed) ?? ofPerson ?? found[0])?.path;
    if (path === undefined) return this.#checkUnknownPath(target, answer);
    const methods = this.#document.paths[path] ?? {};
    if (answer.status === 405) return this.#checkNotAllowed(path, answer);
    const operation = methods[method === 'head' ? 'get' : method];
    // A path that does not percent-decode matches no operation.
    if (operation === undefined && answer.status === 404) return this.#checkUnknownPath(target, answer);
    if (operation === undefined) return [`${answer.method} ${path}: is not in the document, answered ${answer.status}`];
    const at = `${operation.operationId} ${answer.status}`;
    const response = operation.responses[answer.status];
    if (response === undefined) return [`${at}: the status is not in the document`];
    const pointer = ['paths', path, method === 'head' ? 'get' : method, 'responses', String(answer.status)];
    return [
      ...this.#checkHeaders(response, pointer, answer),
      ...(method === 'head' ? [] : this.#checkBody(response, pointer, answer)),
    ].map((difference) => `${at}: ${difference}`);
  }

  #checkUnknownPath(target: string, answer: ObservedAnswer): string[] {
    if (PAGES.test(target)) return [];
    const at = `${answer.method} on a path that the document does not have`;
    if (answer.status !== 404 && answer.status !== 400) return [`${at}: answered ${answer.status}`];
    return this.#checkProblem(answer).map((difference) => `${at}: ${difference}`);
  }

  #checkNotAllowed(path: string, answer: ObservedAnswer): string[] {
    const allowed = (answer.headers.allow ?? '').split(', ').map((method) => method.toLowerCase());
    const differences = Object.keys(this.#document.paths[path] ?? {})
      .filter((method) => !allowed.includes(method))
      .map((method) => `Allow does not name ${method}`);
    return [...differences, ...this.#checkProblem(answer)].map((difference) => `${path} 405: ${difference}`);
  }

  #checkProblem(answer: ObservedAnswer): string[] {
    if (!answer.headers['content-type']?.startsWith(PROBLEM_MEDIA_TYPE)) return ['is not a problem'];
    if (answer.method === 'HEAD') return [];
    return this.#validate(['components', 'schemas', 'Problem'], parse(Buffer.from(answer.body).toString()), 'body');
  }

  #checkHeaders(response: ResponseObject, pointer: readonly string[], answer: ObservedAnswer): string[] {
    const documented = Object.entries(response.headers ?? {});
    const names = new Set(documented.map(([name]) => name.toLowerCase()));
    const differences = Object.keys(answer.headers)
      .filter((name) => !names.has(name) && !COMMON_HEADERS.has(name))
      .map((name) => `the header ${name} is not in the document`);
    for (const [name, entry] of documented) {
      const shared = entry.$ref?.split('/').pop();
      const definition = shared === undefined ? entry : this.#document.components.headers[shared];
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined) {
        if (definition?.required === true) differences.push(`the header ${name} is missing`);
        continue;
      }
      const at = shared === undefined ? [...pointer, 'headers', name] : ['components', 'headers', shared];
      const asNumber = /^-?\d+$/.test(value) ? Number(value) : value;
      const [asText, asInteger] = [value, asNumber].map((v) => this.#validate([...at, 'schema'], v, `header ${name}`));
      if (asText?.length !== 0 && asInteger?.length !== 0) differences.push(...(asInteger ?? []));
    }
    return differences;
  }

  #checkBody(response: ResponseObject, pointer: readonly string[], answer: ObservedAnswer): string[] {
    const mediaType = answer.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (response.content === undefined) {
      return answer.body.length === 0 && mediaType === undefined ? [] : ['has a body, the document knows of none'];
    }
    const entry = mediaType === undefined ? undefined : response.content[mediaType];
    if (mediaType === undefined || entry === undefined) return ['the media type is not in the document'];
    const at = [...pointer, 'content', mediaType, 'schema'];
    const text = () => Buffer.from(answer.body).toString();
    if (/[/+]json$/.test(mediaType)) return this.#validate(at, parse(text()), 'body');
    if (mediaType === 'application/x-ndjson' && entry.schema?.$defs?.part !== undefined) {
      const lines = text().split('\n');
      if (lines.pop() !== '') return ['the last line has no end'];
      return lines.flatMap((line, i) => this.#validate([...at, '$defs', 'part'], parse(line), `line ${i + 1}`));
    }
    return answer.body.length === 0 ? ['the body is empty'] : [];
  }

  #validate(pointer: readonly string[], value: unknown, what: string): string[] {
    const ref = `openapi#/${pointer.map(escapePointer).join('/')}`;
    const validate = this.#compiled.get(ref) ?? this.#ajv.compile({ $ref: ref });
    this.#compiled.set(ref, validate);
    if (value === undefined) return [`${what}: is not JSON`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const named: unknown = params.additionalProperty ?? params.allowedValues;
      return `${what}${instancePath}: ${message ?? 'is wrong'}${named === undefined ? '' : ` ${JSON.stringify(named)}`}`;
    });
  }
}

/** Headers of every answer; see `SECURITY_HEADERS` of the service. */
const EVERYWHERE: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'strict-transport-security': /^max-age=31536000; includeSubDomains$/,
  'referrer-policy': /^no-referrer$/,
};
const POLICY: readonly RegExp[] = [/^default-src 'none';/, /; base-uri 'none'(;|$)/, /; frame-ancestors 'none'(;|$)/];

/** Built pages have policies and cache times from their builds. */
const BUILT_PAGES = /^\/(kiosk|manual|widget|dashboard)(\/|$)/;
/** Public answers, cached for minutes or hours. */
const PUBLIC = /^\/(docs(\/|$)|(v1\/)?openapi\.json$|v1\/(consent-wordings|packs)\/)/;
const TEXT = /^text\//;
const TEXT_OR_JSON = /^(text\/|application\/(problem\+)?json)/;

/** The security and cache headers that an answer lacks. */
export function missingHeaders({ url, status, headers }: ObservedAnswer): string[] {
  const target = url.split(/[?#]/, 1)[0] ?? '';
  const said = (name: string) => headers[name] ?? '';
  const missing = Object.entries(EVERYWHERE).flatMap(([name, value]) => (value.test(said(name)) ? [] : [name]));
  const isBuilt = BUILT_PAGES.test(target) && status < 400;
  const type = said('content-type');
  if ((isBuilt ? TEXT : TEXT_OR_JSON).test(type) && !/; charset=utf-8$/i.test(type)) missing.push('charset');
  if (!isBuilt) {
    if (!POLICY.every((directive) => directive.test(said('content-security-policy')))) {
      missing.push('content-security-policy');
    }
    const isKept = PUBLIC.test(target) && status < 400;
    if (!isKept && said('cache-control') !== 'no-store') missing.push('cache-control');
  }
  return missing.map((name) => `${target.split('/', 3).join('/')} ${status}: lacks ${name}`);
}

/** Copies what is written to the response at once, as buffers are wiped or reused afterwards. */
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

/** Checks every complete answer against the document and adds differences to `violations`, without duplicates; each with the host. */
export function observeAnswers(contract: Pick<OpenApiContract, 'check'>, violations: Set<string>): RequestHandler {
  return (request, response, next) => {
    const { method, originalUrl: url } = request;
    const body = copyBody(response);
    response.on('finish', () => {
      const headers = Object.fromEntries(
        Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
      );
      const answer = { method, url, status: response.statusCode, headers, body: body() };
      for (const difference of contract.check(answer)) violations.add(`${difference}, at ${request.headers.host}`);
    });
    next();
  };
}
