import { expectTypeOf } from 'vitest';
import type { ErrorDefinition } from './errors.ts';
import { type ErrorCode, errorTable, fillWording, formatId, type IdPrefix, isErrorCode } from './index.ts';

// Only compiled.
expectTypeOf(isErrorCode).guards.toEqualTypeOf<ErrorCode>();
expectTypeOf<ErrorCode>().not.toEqualTypeOf<string>();
expectTypeOf(errorTable).toExtend<Readonly<Record<ErrorCode, ErrorDefinition>>>();
expectTypeOf(formatId).parameter(0).toEqualTypeOf<IdPrefix>();
// @ts-expect-error no kind of resource has this prefix
formatId('abc', new Uint8Array(16));
// @ts-expect-error a placeholder without its value
fillWording('{organiser}', { organiser: 'Riverside Hall', privacyUrl: 'https://riverside.example/' });
