import * as z from 'zod';
import { base64UrlChars } from './base64.ts';
import { consentVersions } from './consent-version.ts';
import { countries, isCountry, territories } from './countries.ts';
import { ID_CHARS, type IdPrefix, isId } from './ids.ts';
import { MAX_CURSOR_CHARS, MAX_NAME_CODE_POINTS, PAGE_LIMIT } from './limits.ts';
import { accountModes, SECRET_CHARS, type SecretPrefix } from './secrets.ts';
import { textSchema } from './text.ts';

/** Registry of request schemas, documented as components in their input form. */
export const requestSchemas = z.registry<{ id: string }>();
/** Registry of answer schemas, documented as components in their output form. */
export const responseSchemas = z.registry<{ id: string }>();

/** Component name of a registered schema. @throws Error when it is not registered */
export function componentName(schema: z.ZodType): string {
  const name = requestSchemas.get(schema)?.id ?? responseSchemas.get(schema)?.id;
  if (name === undefined) throw new Error('the schema is no component of the document');
  return name;
}

/** Reference to a component. */
export const componentRef = (schema: z.ZodType) => ({ $ref: `#/components/schemas/${componentName(schema)}` });

/** An identifier for examples. */
export const exampleId = (prefix: IdPrefix): string => `${prefix}_01jwnafy00e2rbg3vfk4s6q9tz`;
/** A recognition model for examples: the one that every deployment has. */
export const exampleModelId = 'mdl_0000000000fbwtxnwtak33sxps';

/** An identifier of one type. */
export function idSchema(prefix: IdPrefix) {
  return z
    .string()
    .refine((text) => isId(prefix, text), { error: `must be an identifier that starts with ${prefix}_` })
    .meta({ pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, minLength: ID_CHARS, maxLength: ID_CHARS });
}

/** Identifies a recognition model, that is, the engine that makes templates. */
export const modelIdSchema = idSchema('mdl');

/** base64url without padding of exactly `bytes` bytes. */
export const bytesSchema = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${base64UrlChars(bytes)}}$`), {
    error: `must be ${bytes} bytes in base64url without padding`,
  });

/** A timestamp as the API writes it: ISO 8601, UTC, milliseconds. */
export const timestampSchema = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601 in UTC, with milliseconds', examples: ['2026-05-01T18:30:00.000Z'] });

/** A timestamp as the API reads it: ISO 8601 ending in Z, seconds with or without a fraction. */
export const timestampInputSchema = z.iso
  .datetime({ error: 'must be an ISO 8601 timestamp in UTC, ending in Z' })
  .meta({ description: 'ISO 8601 in UTC, ending in `Z`', examples: ['2026-05-01T18:30:00Z'] });

/** ISO 3166-1 alpha-2, officially assigned, upper case. */
export const countrySchema = z
  .string()
  .refine(isCountry, { error: 'must be an ISO 3166-1 alpha-2 country code' })
  .meta({
    enum: countries,
    description: `ISO 3166-1 alpha-2 code. A territory’s own code (${Object.values(territories).flat().join(', ')}) does not select the consent wording of its parent state: if that state’s law applies, send the state’s code (${Object.keys(territories).join(', ')})`,
  });

export const consentVersionSchema = z.enum(consentVersions);

/** What path parameters name, in the words of an answer that it does not exist. */
export const resourceNames = {
  eventId: 'event',
  tokenId: 'enrolment token',
  listId: 'list',
  personId: 'person',
  deviceId: 'device',
  keyId: 'API key',
  userId: 'user',
  sessionId: 'session',
  passkeyId: 'passkey',
  webhookId: 'webhook',
  deliveryId: 'delivery',
  mailingId: 'mailing',
  consentVersion: 'consent version',
  payloadSha256: 'payload',
} as const;
export type PathParameter = keyof typeof resourceNames;
export type ResourceName = (typeof resourceNames)[PathParameter];

/** Any text that a database can store: NUL it cannot. */
const inPath = z.string().refine((text) => !text.includes('\0'));
const identifiers = Object.entries(resourceNames).map(([name, what]) => [
  name,
  inPath.meta({ description: `ID of the ${what}` }),
]);

/** Path parameters. An invalid one is answered with 404. */
export const pathParameters = {
  ...(Object.fromEntries(identifiers) as Record<PathParameter, typeof inPath>),
  personId: inPath.meta({ description: 'your own ID of the person, percent-encoded' }),
  consentVersion: consentVersionSchema.describe('version of the wording, as in a list’s `consentVersion`'),
  payloadSha256: inPath.meta({ description: 'SHA-256 of the payload, base64url without padding' }),
};

export const nameSchema = textSchema(MAX_NAME_CODE_POINTS);

export const accountModeSchema = z
  .enum(accountModes)
  .describe('`test`: a test account, which only accepts the drawn test photos. The mode of an account never changes');

/** A secret in the answer that shows it. */
export const secretSchema = (prefix: SecretPrefix, description: string) =>
  z.string().meta({
    ...{ pattern: `^${prefix}_[0-9A-Za-z]{49}$`, minLength: SECRET_CHARS, maxLength: SECRET_CHARS, description },
  });

/** A number of rows. */
export const countSchema = z.int().min(0);

/** A SHA-256 in hex. */
export const sha256HexSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256, lower-case hex');

/** A language tag with the length and letters of BCP 47; an unsupported one is accepted. */
export const languageTagSchema = z
  .string()
  .max(35, { error: 'must be a language tag (BCP 47)' })
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, { error: 'must be a language tag (BCP 47)' })
  .meta({ examples: ['de'] });

/** Query of every collection. */
export const pageQuerySchema = z.object({
  cursor: z.string().min(1).max(MAX_CURSOR_CHARS).optional().describe('`nextCursor` of the previous page'),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, { error: `must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}` })
    .transform(Number)
    .pipe(
      z.number().max(PAGE_LIMIT.max, { error: `must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}` }),
    )
    .default(PAGE_LIMIT.default)
    .meta({
      type: 'integer',
      minimum: PAGE_LIMIT.min,
      maximum: PAGE_LIMIT.max,
      default: PAGE_LIMIT.default,
      description: 'maximum number of items in a page',
    }),
});

/** A page: its items and the cursor of the next page, null on the last. */
export function collectionSchema<T extends z.ZodType>(item: T) {
  const nextCursor = z.string().nullable().describe('`cursor` of the next page; null on the last page');
  return z.object({ items: z.array(item), nextCursor });
}
