/** Whether a parsed value is as expected. */
export type Check = (value: unknown) => boolean;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
/** Excludes Number.POSITIVE_INFINITY, which JSON can express as 1e999. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);
export const isNumberFromZero = (value: unknown): value is number => isNumber(value) && value >= 0;
export const isShare = (value: unknown): value is number => isNumberFromZero(value) && value <= 1;
export const isString = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export const matches =
  (pattern: RegExp): Check =>
  (value) =>
    isString(value) && pattern.test(value);
export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
export const listOf =
  (check: Check, atLeast = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length >= atLeast && value.every(check);
/** An object with at least these members. */
export const shaped =
  <T>(members: { readonly [K in keyof T]-?: Check }) =>
  (value: unknown): value is T =>
    isObject(value) && Object.entries<Check>(members).every(([name, check]) => check(value[name]));
