import type { Callers } from '../http/guards.ts';
import type { OperationHandlers } from '../http/operations.ts';
import type { AccountCaller } from './accounts/service.ts';
import type { DeviceCaller } from './sync/service.ts';
import type { Guest } from './widget/store.ts';

export interface KnownCallers extends Callers {
  readonly apiKey: AccountCaller;
  readonly guestToken: Guest;
  readonly deviceToken: DeviceCaller;
}

/** What the features carry out, each its own operations. */
export type Handlers = OperationHandlers<KnownCallers>;
