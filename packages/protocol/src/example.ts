import * as z from 'zod';
import { exampleId, exampleSecret } from './common.ts';

/** What the parts of a schema are called in its definition. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
}

const UUID = '01970aa7-7800-7083-9a2c-5f1d3e4b6a70';
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const PAGE = 'https://faces.example.org/widget';
const ENGINE = 'dlib-resnet-128-mirror/1';

/** Of members whose schema alone says little. */
const MEMBERS: Readonly<Record<string, unknown>> = {
  ...{ people: 1204, devices: 6, retainDays: 365, validForHours: 72, attemptsLeft: 5, timeout: 300_000, alg: -7 },
  ...{ name: 'Riverside Hall', displayName: 'Robin Example', email: 'robin@example.org', billingCurrency: 'EUR' },
  ...{ url: PAGE, widgetUrl: PAGE, rpId: 'faces.example.org', region: 'eu-1', apiKey: exampleSecret('svck') },
  ...{ csrfToken: 'ZXhhbXBsZQ', challenge: 'ZXhhbXBsZQ', imageBase64: 'iVBORw0K', transports: 'internal' },
  ...{ consentId: UUID, id: UUID, wordingSha256: SHA256, engineId: ENGINE, engineIds: ENGINE },
  ...{ language: 'de', languages: 'de', day: '2026-06-01', timeZone: 'Europe/Berlin' },
  ...{ action: 'list.close', target: exampleId('lst') },
};

/**
 * An answer for the reference, made of its schema: the schema’s own example, the first of several values, null where a
 * text or a number may be absent.
 * @param member its name in an object
 */
export function exampleOf(schema: z.ZodType, member = ''): unknown {
  const { examples } = z.globalRegistry.get(schema) ?? {};
  if (Array.isArray(examples)) return examples[0];
  const { type, shape = {}, element, innerType, options, entries = {}, values } = schema.def as Definition;
  if (type === 'object') {
    return Object.fromEntries(Object.entries(shape).map(([name, of]) => [name, exampleOf(of, name)]));
  }
  if (type === 'array') return element === undefined ? [] : [exampleOf(element, member)];
  if (type === 'nullable') return innerType?.def.type === 'object' ? exampleOf(innerType, member) : null;
  if (type === 'optional' && innerType !== undefined) return exampleOf(innerType, member);
  if (type === 'enum') return Object.values(entries)[0];
  if (type === 'literal') return values?.[0];
  if (type === 'union' && options?.[0] !== undefined) return exampleOf(options[0]);
  return MEMBERS[member] ?? { boolean: false, number: 1, record: {} }[type] ?? 'text';
}
