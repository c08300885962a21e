import type { z } from 'zod';
import type { FieldError } from './operations/problem.ts';

const MAX_FIELD_ERRORS = 20;

/** Names that may be repeated in an error: like member and parameter names, and too short to carry other data. */
const PLAIN_NAME = /^[A-Za-z0-9_.$-]{1,64}$/;

/** The JSON pointer (RFC 6901) of a path, up to the first name that is not a {@link PLAIN_NAME}. */
function toPointer(path: readonly PropertyKey[]): string {
  const stranger = path.findIndex((part) => !PLAIN_NAME.test(String(part)));
  const known = stranger === -1 ? path : path.slice(0, stranger);
  return known.map((part) => `/${String(part)}`).join('');
}

/**
 * An error about a member of the body. If its name does not match {@link PLAIN_NAME}, the error is about the enclosing
 * object.
 */
export function memberError(parent: string, name: string, wrong: string): FieldError {
  return PLAIN_NAME.test(name)
    ? { pointer: `${parent}/${name}`, detail: wrong }
    : { pointer: parent, detail: `has a member that ${wrong}` };
}

interface SchemaDefinition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly valueType?: z.ZodType;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const PROTO = '__proto__';
/** The value of `tier` in a query as `metadata[tier]`. Any copy of an object loses what {@link PROTO} names. */
const KEYED_PARAMETER = /^(\w+)\[(?!__proto__\])([^[\]]+)\]$/;

/** Kinds of schemas without members. */
const LEAVES: ReadonlySet<string> = new Set(['string', 'number', 'int', 'boolean', 'literal', 'enum', 'null']);
const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'nullable', 'default', 'nonoptional', 'readonly']);

/** The kind of a schema, without what makes it optional. */
function kindOf(schema: z.ZodType): string {
  const { type, innerType } = schema._zod.def as SchemaDefinition;
  return WRAPPERS.has(type) && innerType !== undefined ? kindOf(innerType) : type;
}

/**
 * JSON pointers of every object in a request schema, `*` for array items.
 * @throws Error for a kind of schema that {@link unknownMembers} does not descend into
 */
export function requestObjects(schema: z.ZodType, at = ''): string[] {
  const { type, shape, element, innerType, in: input, valueType } = schema._zod.def as SchemaDefinition;
  if (type === 'object' && shape !== undefined) {
    return [at, ...Object.entries(shape).flatMap(([name, member]) => requestObjects(member, `${at}/${name}`))];
  }
  if (type === 'array' && element !== undefined) return requestObjects(element, `${at}/*`);
  // Members of any name, none of which is an object that is looked into.
  if (type === 'record' && valueType !== undefined) {
    const values = kindOf(valueType);
    if (values === 'unknown' || LEAVES.has(values)) return [];
  }
  if (WRAPPERS.has(type) && innerType !== undefined) return requestObjects(innerType, at);
  if (type === 'pipe' && input !== undefined) return requestObjects(input, at);
  if (LEAVES.has(type)) return [];
  throw new Error(`requests are not made of schemas of the kind ${type}`);
}

/** Members that the schema does not have, at any depth. */
function unknownMembers(schema: z.ZodType, value: unknown, at = ''): FieldError[] {
  const { type, shape, element, innerType, in: input } = schema._zod.def as SchemaDefinition;
  const wrapped = innerType ?? input;
  if (wrapped !== undefined) return unknownMembers(wrapped, value, at);
  if (element !== undefined && Array.isArray(value)) {
    return value.flatMap((one, i) => unknownMembers(element, one, `${at}/${i}`));
  }
  if (type === 'record' && isObject(value) && Object.hasOwn(value, PROTO))
    return [memberError(at, PROTO, 'is not known')];
  if (shape === undefined || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known === undefined
      ? [memberError(at, name, 'is not known')]
      : unknownMembers(known, member, `${at}/${name}`);
  });
}

export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly code: 'invalid-request' | 'unknown-parameter';
      readonly errors: FieldError[];
    };

function unknown(errors: readonly FieldError[]): Validated<never> & { readonly ok: false } {
  return { ok: false, code: 'unknown-parameter', errors: errors.slice(0, MAX_FIELD_ERRORS) };
}

/**
 * Validates a parsed body. Each error has a JSON pointer and a sentence; neither contains input values. Unknown members
 * are reported first, since a misspelt name would otherwise look like a missing or ignored field.
 */
export function validateBody<T extends z.ZodType>(schema: T, body: unknown): Validated<z.output<T>> {
  const strangers = unknownMembers(schema, body);
  if (strangers.length > 0) return unknown(strangers);
  const result = schema.safeParse(body);
  if (result.success) return { ok: true, value: result.data };
  const errors = result.error.issues
    .slice(0, MAX_FIELD_ERRORS)
    .map((issue) => ({ pointer: toPointer(issue.path), detail: issue.message }));
  return { ok: false, code: 'invalid-request', errors };
}

/**
 * Query parameters that are not known; names are included if they match {@link PLAIN_NAME}.
 * @param known names; `metadata[*]` for `metadata[…]` with any key
 */
export function unknownParameters(known: ReadonlySet<string>, query: object): FieldError[] {
  return Object.keys(query)
    .filter((name) => !known.has(name.replace(KEYED_PARAMETER, '$1[*]')))
    .slice(0, MAX_FIELD_ERRORS)
    .map((name) =>
      PLAIN_NAME.test(name)
        ? { parameter: name, detail: 'is not known' }
        : { detail: 'the query has a parameter that is not known' },
    );
}

/** `metadata[tier]=vip` as a member of `metadata`. */
function nested(query: object): object {
  const groups = new Map<string, Record<string, unknown>>();
  const plain = Object.entries(query).filter(([name, value]) => {
    const [, group, key] = KEYED_PARAMETER.exec(name) ?? [];
    if (group === undefined || key === undefined) return true;
    groups.set(group, { ...groups.get(group), [key]: value });
    return false;
  });
  return Object.fromEntries([...plain, ...groups]);
}

/** Validates query parameters; each error names its parameter. */
export function validateQuery<T extends z.ZodType>(schema: T, query: object): Validated<z.output<T>> {
  const result = schema.safeParse(nested(query));
  if (result.success) return { ok: true, value: result.data };
  const errors = result.error.issues
    .slice(0, MAX_FIELD_ERRORS)
    .map((issue) => ({ parameter: String(issue.path[0] ?? ''), detail: issue.message }));
  return { ok: false, code: 'invalid-request', errors };
}
