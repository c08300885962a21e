import type { z } from 'zod';
import type { FieldError } from './problem.ts';

const MAX_FIELD_ERRORS = 20;

/** RFC 6901 section 3: `~` and `/` are escaped, in this order. */
function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: FieldError[] };

/** Validates a parsed body; each broken rule becomes a JSON pointer and a sentence, and no value of the input is in either. */
export function validateBody<T extends z.ZodType>(schema: T, body: unknown): Validated<z.output<T>> {
  const result = schema.safeParse(body);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    errors: result.error.issues
      .slice(0, MAX_FIELD_ERRORS)
      .map((issue) => ({ pointer: toPointer(issue.path), detail: issue.message })),
  };
}

/** Validates query parameters; each broken rule names its parameter. */
export function validateQuery<T extends z.ZodType>(schema: T, query: unknown): Validated<z.output<T>> {
  const result = schema.safeParse(query);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    errors: result.error.issues
      .slice(0, MAX_FIELD_ERRORS)
      .map((issue) => ({ parameter: String(issue.path[0] ?? ''), detail: issue.message })),
  };
}
