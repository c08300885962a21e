import * as z from 'zod';
import { requestSchemas, responseSchemas } from './common.ts';
import { isText, textSchema } from './text.ts';

/** Keys of a resource's metadata. */
export const MAX_METADATA_KEYS = 20;
/** Longest key and value, in Unicode code points. */
const [KEY_MAX, VALUE_MAX] = [40, 500];

const wrongKey = `must have keys of 1 to ${KEY_MAX} characters, without NUL and square brackets`;
/** Square brackets enclose a key in a query. */
const keySchema = z
  .string()
  .refine((key) => isText(key, KEY_MAX) && !/[[\]]/.test(key))
  .meta({ minLength: 1, maxLength: KEY_MAX, pattern: '^[^\\[\\]]+$' });

const isKept = (value: unknown) => value !== null && value !== '';
const notesSchema = <Value extends z.ZodType>(value: Value) =>
  z
    .record(keySchema, value, { error: ({ code }) => (code === 'invalid_key' ? wrongKey : undefined) })
    .refine((notes) => Object.values(notes).filter(isKept).length <= MAX_METADATA_KEYS, {
      error: `must contain at most ${MAX_METADATA_KEYS} keys`,
    });

const example = { order: '8812-A' };

/** What an organiser notes of a resource by keys of its own. */
export const metadataSchema = z
  .record(z.string(), z.string())
  .meta({ description: 'your own keys and values; never sent to devices or guests', examples: [example] })
  .register(responseSchemas, { id: 'Metadata' });
export type Metadata = Readonly<z.infer<typeof metadataSchema>>;

const wrongValue = `must be up to ${VALUE_MAX} characters, without NUL`;
const changedValueSchema = z
  .string()
  .refine((value) => !isKept(value) || isText(value, VALUE_MAX), { error: wrongValue })
  .meta({ maxLength: VALUE_MAX });
const changeSchema = notesSchema(changedValueSchema.nullable())
  .meta({
    description: `at most ${MAX_METADATA_KEYS} keys of up to ${KEY_MAX} characters, with values of up to ${VALUE_MAX}. Keys that you leave out stay; null or an empty value removes a key`,
    examples: [example],
  })
  .register(requestSchemas, { id: 'MetadataChange' });
export type MetadataChange = Readonly<z.infer<typeof changeSchema>> | null;

/** Of a request that creates or changes what has metadata. */
export const metadataChangeSchema = changeSchema.nullable().optional().describe('changed keys; null removes all keys');

/** Of the query of a collection. */
export const metadataFilterSchema = notesSchema(textSchema(VALUE_MAX))
  .optional()
  .describe(
    'only items with this metadata, as `metadata[key]=value`; values must match exactly, and all keys must match',
  );
