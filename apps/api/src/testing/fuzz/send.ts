import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { CSRF_HEADER, SESSION_COOKIE } from '@svc/protocol';
import type { Tenant } from '../tenant.ts';
import type { Known } from './known.ts';
import type { BodyText, Part, Plan } from './plans.ts';
import { encode } from './values.ts';

/** A tenant with the values it knows. */
export interface Caller {
  readonly tenant: Tenant;
  readonly known: Known;
}

/** A request as sent. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface WireAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

const GENEROUS_MS = 20_000;
/** Reason for aborting a request. */
export const NO_ANSWER = new Error('no answer came in generous time');
export const agent = new Agent({ keepAlive: true, maxSockets: 32 });

function renderPart(part: Part, known: Known): string {
  return 'raw' in part ? part.raw : encode(known.draw(part));
}

function mangled(path: string, how: Plan['mangle']): string {
  switch (how) {
    case 'slash':
      return `${path}/`;
    case 'double':
      return path.replace('/v1/', '/v1//');
    case 'case':
      return path.toUpperCase();
    case 'percent':
      return `${path}%`;
    case 'nul':
      return `${path}%00`;
    case 'long':
      return `${path}${'a'.repeat(12_000)}`;
    case 'absolute':
      return `http://elsewhere.example${path}`;
    case 'fragment':
      return `${path}#x`;
    case 'no':
      return path;
  }
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** The bytes and headers of a body. */
function renderBody(
  value: unknown,
  how: BodyText,
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const text = JSON.stringify(value) ?? 'null';
  const type = { 'Content-Type': 'application/json' };
  const plain = (changed: string, headers: Record<string, string> = type) => ({ body: Buffer.from(changed), headers });
  switch (how) {
    case 'plain':
      return plain(text);
    case 'cut':
      return plain(text.slice(0, Math.ceil(text.length / 2)));
    case 'doubled':
      return plain(text + text);
    case 'repeated-key':
      return plain(text.replace('{', `{"name":"first",${text.slice(1, -1)}${text.length > 2 ? ',' : ''}`));
    case 'deep':
      return plain(`{"name":${nested(3_000)}}`);
    case 'long':
      return plain(JSON.stringify({ name: 'x'.repeat(70_000) }));
    case 'huge-number':
      return plain(text.replace(/\d+/, '1'.repeat(400)));
    case 'nul':
      return plain(`${text}\u0000`);
    case 'bom':
      return plain(`\ufeff${text}`);
    case 'latin1':
      return { body: Buffer.concat([Buffer.from(text.slice(0, 8)), Buffer.from([0xe9, 0xff])]), headers: type };
    case 'empty':
      return plain('');
    case 'text':
      return plain(text, { 'Content-Type': 'text/plain' });
    case 'gzip':
      return { body: gzipSync(text), headers: { ...type, 'Content-Encoding': 'gzip' } };
    case 'no-type':
      return plain(text, {});
    case 'charset':
      return plain(text, { 'Content-Type': 'application/json; charset=utf-16' });
    case 'short-length':
      return plain(text, { ...type, 'Content-Length': String(Math.max(0, Buffer.byteLength(text) - 1)) });
  }
}

const mistyped = (secret: string) => secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');

function credentialHeaders(plan: Plan, caller: Caller, other: Caller): Record<string, string> {
  const { security } = plan.operation;
  const own = plan.credential === 'foreign' ? other : caller;
  const secrets = {
    apiKey: own.tenant.customer.apiKey,
    guestToken: own.known.draw({ $drawn: 'svce', index: plan.parameters.length + plan.query.length }),
    deviceToken: own.tenant.deviceToken,
    session: own.tenant.person.secret,
    none: 'garbage',
  };
  const isKind = plan.credential === 'apiKey' || plan.credential === 'guestToken' || plan.credential === 'deviceToken';
  const kind = isKind ? plan.credential : security;
  const secret = plan.credential === 'mistyped' ? mistyped(secrets[kind]) : secrets[kind];
  if (plan.credential === 'none' || (security === 'none' && plan.credential === 'right')) return {};
  if (plan.credential === 'garbage') return { 'X-Api-Key': 'a b\u00e9', Authorization: 'Basic Zm9vOmJhcg==' };
  if (kind === 'session' && plan.credential !== 'swapped') {
    const { csrfToken } = own.tenant.person;
    return { Cookie: `${SESSION_COOKIE}=${secret}`, [CSRF_HEADER]: csrfToken };
  }
  const inKeyHeader = (kind === 'apiKey') !== (plan.credential === 'swapped');
  const device = kind === 'deviceToken' ? own.tenant.deviceHeaders : {};
  return { ...device, ...(inKeyHeader ? { 'X-Api-Key': secret } : { Authorization: `Bearer ${secret}` }) };
}

/** Renders a plan with the values known so far. */
export function render(plan: Plan, caller: Caller, other: Caller): WireRequest {
  const from = plan.foreign ? other.known : caller.known;
  let next = 0;
  const path = plan.operation.path.replaceAll(/\{\w+\}/g, () => {
    const part = plan.parameters[next];
    next += 1;
    return part === undefined ? '' : renderPart(part, from);
  });
  const query = plan.query.map(([name, part]) => `${name}=${renderPart(part, from)}`).join('&');
  const body = plan.body === null ? null : renderBody(from.fill(plan.body.value), plan.body.text);
  return {
    method: plan.method,
    path: `${mangled(path, plan.mangle)}${query === '' ? '' : `?${query}`}`,
    headers: { ...body?.headers, ...credentialHeaders(plan, caller, other), ...plan.headers },
    body: body?.body ?? null,
  };
}

/** @throws {@link NO_ANSWER}, or the connection's error */
export function send(url: string, wire: WireRequest): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = wire.body === null ? {} : { 'Content-Length': String(wire.body.length) };
    const outgoing = request({
      agent,
      hostname,
      port,
      method: wire.method,
      path: wire.path,
      headers: { ...length, ...wire.headers },
    });
    const hung = setTimeout(() => outgoing.destroy(NO_ANSWER), GENEROUS_MS);
    outgoing.on('error', (error) => {
      clearTimeout(hung);
      reject(error);
    });
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        clearTimeout(hung);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, mediaType: response.headers['content-type'] ?? '', text });
      });
    });
    outgoing.end(wire.body ?? undefined);
  });
}
