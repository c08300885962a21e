import { checkOf } from './check.ts';
import { definitions } from './generated/definitions.ts';
import type { Failure, FailureCode, MessageKind } from './generated/messages.ts';

const failureCodes: readonly unknown[] = definitions.FailureCode?.enum ?? [];

/** A failure of a request, on either side. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly code: FailureCode;

  /** @param message English, for developers: no secret, no id of a person, no score, no picture */
  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The body of a failure for an error. Errors with a code of the contract keep code and message; of others nothing is
 * told but that there was one.
 */
export function failureOf(error: unknown): Failure {
  const { code, message } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { code: null, message: '' };
  if (!failureCodes.includes(code)) return { code: 'runtime-failed', message: 'an unexpected error' };
  return { code: code as FailureCode, message: message.slice(0, 512) };
}

/** A longer message, counted in bytes of UTF-8, is dropped by its receiver. */
export const MAX_MESSAGE_BYTES = 2 ** 20;
/** Bytes of a pack or of an answer's body in one message. */
export const MAX_CHUNK_BYTES = 196_608;
/** Objects and arrays in each other; a message with more is dropped. */
export const MAX_DEPTH = 16;

/** One of the two that speak. */
export type Side = 'shell' | 'page';

/** A message before it is a text. */
export interface Envelope {
  readonly v: 1;
  readonly session: string;
  readonly kind: MessageKind;
  readonly id?: number;
  readonly name: string;
  readonly body: object;
}

/** What a receiver makes of a text. */
export type Received =
  | { readonly kind: 'request' | 'answer'; readonly id: number; readonly name: string; readonly body: object }
  | { readonly kind: 'failure'; readonly id: number; readonly name: string; readonly body: Failure }
  | { readonly kind: 'event'; readonly name: string; readonly session: string; readonly body: object }
  /** An answer or a failure whose body is not of its form: the request that waits for it fails with `message-invalid`. */
  | { readonly kind: 'invalid-answer'; readonly id: number; readonly name: string }
  /** A request that gets a failure with this code, and nothing else happens. */
  | { readonly kind: 'refused'; readonly id: number; readonly name: string; readonly code: RefusalCode }
  | { readonly kind: 'dropped' };

/** Codes with which a request is refused before anybody looks at what it asks for. */
export type RefusalCode = Extract<FailureCode, 'version-unsupported' | 'message-invalid' | 'unknown-name'>;

/** What a receiver knows. */
export interface ReceiverState {
  /** The other side, from whom the text came. */
  readonly from: Side;
  /** Null before the first `hello`. */
  readonly session: string | null;
  /** The highest id of that side's requests in this session; 0 before the first. */
  readonly highestId: number;
}

const other: Readonly<Record<Side, Side>> = { shell: 'page', page: 'shell' };
const groups = {
  shell: { request: 'ShellRequest', answer: 'ShellAnswer' },
  page: { request: 'PageRequest', answer: 'PageAnswer' },
};
const dropped = { kind: 'dropped' } as const;

/** Names of a side's messages with the definitions of their bodies. */
function bodiesOf(group: string): ReadonlyMap<string, string> {
  const branches = definitions[group]?.oneOf ?? [];
  return new Map(
    branches.map(({ properties }) => [
      String(properties?.name?.const),
      properties?.body?.$ref?.replace('#/$defs/', '') ?? '',
    ]),
  );
}
const bodies: Readonly<Record<Side, Readonly<Record<'request' | 'answer' | 'event', ReadonlyMap<string, string>>>>> = {
  shell: { request: bodiesOf(groups.shell.request), answer: bodiesOf(groups.shell.answer), event: new Map() },
  page: { request: bodiesOf(groups.page.request), answer: bodiesOf(groups.page.answer), event: bodiesOf('PageEvent') },
};

/** Whether the body is one of that side's message. */
export function isBody(from: Side, kind: 'request' | 'answer' | 'event', name: string, body: unknown): boolean {
  const definition = bodies[from][kind].get(name);
  return definition !== undefined && checkOf(definition)(body);
}

/** What is to be done with a text that came. Never throws. */
export function readMessage(text: string, { from, session, highestId }: ReceiverState): Received {
  const envelope = parse(text);
  if (envelope === null || !checkOf('Session')(envelope.session)) return dropped;
  const { v, kind, id, name, body } = envelope;
  const opens = from === 'page' && kind === 'event' && name === 'hello';
  if (!opens && envelope.session !== session) return dropped;
  if (!checkOf('MessageName')(name)) return dropped;
  if (kind === 'request') {
    if (!isId(id)) return dropped;
    const refused = (code: RefusalCode) => ({ kind: 'refused', id, name: name as string, code }) as const;
    if (v !== 1) return refused('version-unsupported');
    if (id <= highestId) return refused('message-invalid');
    if (!bodies[from].request.has(name as string)) return refused('unknown-name');
    if (!isBody(from, 'request', name as string, body)) return refused('message-invalid');
    return { kind, id, name: name as string, body: body as object };
  }
  return v === 1 ? readReply(envelope, from) : dropped;
}

/** An answer, a failure or an event. */
function readReply({ session, kind, id, name, body }: Parsed, from: Side): Received {
  if (typeof name !== 'string') return dropped;
  if (kind === 'event') {
    if (!isBody(from, 'event', name, body)) return dropped;
    const told = name === 'hello' ? (body as { session: string }).session : session;
    return told === session ? { kind, name, session: session as string, body: body as object } : dropped;
  }
  if (!isId(id)) return dropped;
  if (kind === 'failure') {
    return checkOf('Failure')(body) ? { kind, id, name, body: body as Failure } : { kind: 'invalid-answer', id, name };
  }
  if (kind !== 'answer' || !bodies[other[from]].request.has(name)) return dropped;
  if (!isBody(from, 'answer', name, body)) return { kind: 'invalid-answer', id, name };
  return { kind, id, name, body: body as object };
}

/** @throws ContractError `too-large` */
export function writeMessage(envelope: Envelope): string {
  const text = JSON.stringify(envelope);
  if (isTooLarge(text)) throw new ContractError('too-large', `the message ${envelope.name} is over 1 MiB`);
  return text;
}

/**
 * A copy in which every number of a member whose name ends in `Ms` is whole: so the contract has them, so that no
 * language reads them as fractions.
 */
export function withWholeMs<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => withWholeMs(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name.endsWith('Ms') && typeof member === 'number' ? Math.round(member) : withWholeMs(member),
    ]),
  ) as T;
}

/** An envelope whose members may be of any type. */
type Parsed = { readonly [Member in keyof Envelope]?: unknown };

const isId = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) > 0;

function parse(text: string): Parsed | null {
  if (isTooLarge(text)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isWithin(value, MAX_DEPTH)
    ? value
    : null;
}

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1)));

function isTooLarge(text: string): boolean {
  if (text.length * 3 <= MAX_MESSAGE_BYTES) return false;
  if (text.length > MAX_MESSAGE_BYTES) return true;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    const isPair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    // A pair has four bytes for its two units, every other unit three from 0x800.
    bytes += isPair || code >= 0x800 ? 2 : 1;
    if (isPair) i++;
  }
  return bytes > MAX_MESSAGE_BYTES;
}
