import * as z from 'zod';
import { MAX_URL_CHARS } from './limits.ts';

/**
 * Length in Unicode code points; -1 for a NUL or a lone surrogate, which PostgreSQL or UTF-8 cannot store. Reads at
 * most `limit + 1` code points.
 */
export function codePointLength(text: string, limit: number): number {
  let count = 0;
  for (let i = 0; i < text.length && count <= limit; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0) return -1;
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const next = text.charCodeAt(i + 1);
      if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return -1;
      i += 1;
    }
    count += 1;
  }
  return count;
}

/** True for a string of 1 to `max` code points without NUL and without lone surrogates. */
export function isText(text: string, max: number): boolean {
  const length = codePointLength(text, max);
  return length >= 1 && length <= max;
}

/** The address; null if the text is none. For browsers without `URL.canParse`: before Chrome 120 and Safari 17. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** URL parsers ignore spaces and control characters, so they are refused; so is user information before the host. */
const PLAIN_HTTPS_URL = /^https:\/\/[^\s\p{Cc}@/?#]+([/?#][^\s\p{Cc}]*)?$/u;

/** Whether a text is an address for guests to open: `https://`, at most {@link MAX_URL_CHARS} characters. */
export const isPlainHttpsUrl = (text: string) =>
  text.length <= MAX_URL_CHARS && PLAIN_HTTPS_URL.test(text) && parseUrl(text) !== null;

/**
 * JSON Schema counts code points and zod UTF-16 units, so the rule is a refinement and the document has its own bounds.
 */
export function textSchema(max: number) {
  return z
    .string()
    .refine((text) => isText(text, max), {
      error: `must be 1 to ${max} characters, without NUL and without lone surrogates`,
    })
    .meta({ minLength: 1, maxLength: max });
}

/** Line breaks, other control characters, and those that change the direction of what follows. */
const UNSAFE_IN_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** One line of plain text for a page. */
export const lineSchema = (maxLength: number, text = z.string()) =>
  text
    .refine((text) => isText(text, maxLength) && /\S/.test(text) && !UNSAFE_IN_LINE.test(text), {
      error: `must be one line of 1 to ${maxLength} characters, without control characters`,
    })
    .meta({ minLength: 1, maxLength, pattern: '\\S' });
