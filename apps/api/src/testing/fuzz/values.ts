import { HOUR_MS } from '@svc/protocol';
import fc from 'fast-check';
import { base64 } from '../enrolment-fixture.ts';
import { type Drawn, kindOf } from './known.ts';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export const drawn = (kind: string): fc.Arbitrary<Drawn> =>
  fc.nat({ max: 1_000 }).map((index) => ({ $drawn: kind, index }));

/** Clock of a fuzzed API. */
export const FUZZ_START_MS = Date.parse('2027-06-01T12:00:00.000Z');

/** Rarely an unknown member, for which the request is rejected. */
export const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 24, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** Text that breaks parsers, databases and logs. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '.',
    '..',
    '/',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\u202e\u2066',
    '\ufeff',
    '\r\nX-Injected: 1',
    "'; DROP TABLE people; --",
    '%00',
    '%2e%2e%2f',
    '$'.concat('{jndi:ldap://x}'),
    '{{7*7}}',
    '<script>1</script>',
    '__proto__',
    'constructor',
    'null',
    '-1',
    '1e309',
    'NaN',
    '9007199254740993',
    '2026-13-45T99:99:99Z',
    '0000-00-00T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '2026-06-20T18:00:00+02:00',
    'lst_7zzzzzzzzzzzzzzzzzzzzzzzzz',
    'ﷺ'.repeat(201),
    'e\u0301'.repeat(100),
    '𝒳'.repeat(200),
    'a'.repeat(5_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

/** Percent-encoding cannot carry lone surrogates. */
export const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** JSON that no field accepts. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 53, [], {}, [[]], [null]) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: drawn('any') },
);

const timestamp = fc
  .integer({ min: -400, max: 4_000 })
  .map((hours) => new Date(FUZZ_START_MS + hours * HOUR_MS).toISOString());
const photo = fc
  .constantFrom(
    'a face',
    'a face',
    'a face',
    'another person',
    'no-face',
    'several-faces',
    'blurred',
    'covered',
    'broken',
    '',
  )
  .map(base64);

/** Mostly of one person, as an enrolment with several photos would rarely succeed otherwise. */
const photos = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constant(base64('a face')), { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(photo, { maxLength: 5 }) },
);

function textOf(name: string, schema: Schema): fc.Arbitrary<unknown> {
  const prefix = /^\^([a-z]{3})_/.exec(schema.pattern ?? '')?.[1];
  if (prefix !== undefined) return drawn(prefix);
  if (schema.contentEncoding === 'base64') return photo;
  // A consent's time must not be in the future.
  if (name === 'givenAt')
    return fc.oneof({ weight: 4, arbitrary: fc.constant(new Date(FUZZ_START_MS).toISOString()) }, timestamp);
  if (schema.format === 'date-time') return timestamp;
  if (schema.format === 'uri') return fc.constantFrom('https://receiver.invalid/hook', 'https://a.invalid/?q=1#f');
  if (name === 'consentVersion') return fc.constantFrom('eu-v2', 'eu-v2', 'eu-v2', 'uk-v2', 'eu-v1');
  if (kindOf(name) === 'person')
    return fc.oneof(drawn('person'), fc.uuid(), fc.string({ unit: 'grapheme', minLength: 1 }));
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(schema.maxLength ?? 20, 30) });
  return fc.oneof(
    text,
    fc.constantFrom('de', 'name', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
  );
}

function objectOf(schema: Schema, resolve: (reference: string) => Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const members = properties.map(([name, member]) =>
    fc.tuple(
      fc.constant(name),
      // Optional fields are often omitted, required ones rarely.
      required.has(name) ? fc.nat({ max: 19 }).map((n) => n > 0) : fc.boolean(),
      nearly(name, member, resolve),
    ),
  );
  const extra = seldom(fc.tuple(hostileText, fc.constant(true), hostileValue));
  return fc.tuple(extra, ...members).map(([more, ...own]) => {
    const kept = [...own, ...(more === null ? [] : [more])].filter(([, present]) => present);
    return Object.fromEntries(kept.map(([name, , value]) => [name, value]));
  });
}

function validValue(name: string, schema: Schema, resolve: (reference: string) => Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return validValue(name, resolve(schema.$ref), resolve);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'object') return objectOf(schema, resolve);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((member) => validValue(name, member, resolve)));
  if (schema.type === 'string') return textOf(name, schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'integer' || schema.type === 'number') {
    return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 500, 2 ** 31 - 1) });
  }
  if (schema.type === 'array' && schema.items !== undefined) {
    if (schema.items.contentEncoding === 'base64') return photos;
    return fc.uniqueArray(validValue(name, schema.items, resolve), { minLength: 1, maxLength: schema.maxItems ?? 5 });
  }
  return hostileValue;
}

/** Mostly valid by the schema, sometimes arbitrary. */
export function nearly(name: string, schema: Schema, resolve: (reference: string) => Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 24, arbitrary: validValue(name, schema, resolve) }, { weight: 1, arbitrary: hostileValue });
}
