import type { Callers } from '../http/guards.ts';
import type { OperationHandlers } from '../http/operations.ts';
import type { AccountCaller } from './accounts/service.ts';
import type { Person } from './sessions/service.ts';
import type { DeviceCaller } from './sync/service.ts';
import type { Guest } from './widget/store.ts';

export interface KnownCallers extends Callers {
  readonly apiKey: AccountCaller;
  readonly session: Person;
  readonly guestToken: Guest;
  readonly deviceToken: DeviceCaller;
}

/** The handlers of all operations, one part per feature. */
export type Handlers = OperationHandlers<KnownCallers>;

/** Some fields of a record. */
export const pick = <T extends object, const Field extends keyof T>(
  record: T,
  ...fields: readonly (readonly Field[])[]
): Pick<T, Field> => Object.fromEntries(fields.flat().map((field) => [field, record[field]])) as Pick<T, Field>;
