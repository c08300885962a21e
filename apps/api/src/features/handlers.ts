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
