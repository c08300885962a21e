import type { Operation } from '../operation.ts';
import { consentOperations } from './consents.ts';
import { deviceSyncOperations } from './device-sync.ts';
import { deviceOperations } from './devices.ts';
import { eventOperations } from './events.ts';
import { listOperations } from './lists.ts';
import { personOperations } from './people.ts';
import { serviceOperations } from './service.ts';
import { tokenOperations } from './tokens.ts';
import { usageOperations } from './usage.ts';
import { webhookOperations } from './webhooks.ts';
import { widgetOperations } from './widget.ts';

/** Every operation of the API, in the order of the reference. */
export const operations: readonly Operation[] = [
  ...eventOperations,
  ...tokenOperations,
  ...widgetOperations,
  ...listOperations,
  ...personOperations,
  ...consentOperations,
  ...deviceOperations,
  ...deviceSyncOperations,
  ...usageOperations,
  ...webhookOperations,
  ...serviceOperations,
];
