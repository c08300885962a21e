import { migration0001 } from './0001-initial.ts';
import { migration0002 } from './0002-enrolment-tokens.ts';
import { migration0003 } from './0003-consent-ledger.ts';
import { migration0004 } from './0004-webhooks.ts';
import { migration0005 } from './0005-requests.ts';
import { migration0006 } from './0006-key-store-link.ts';
import { migration0007 } from './0007-audit-log.ts';
import { migration0008 } from './0008-plan-periods.ts';
import { migration0009 } from './0009-recurring-jobs.ts';
import { migration0010 } from './0010-deliveries-of-lists.ts';
import { migration0011 } from './0011-older-webhook-secrets.ts';
import { migration0012 } from './0012-engines-of-lists.ts';
import { migration0013 } from './0013-head-turn-alternatives.ts';
import { migration0014 } from './0014-no-statistics-of-people.ts';
import { migration0015 } from './0015-copies-of-devices.ts';
import { migration0017 } from './0017-ended-lists.ts';
import { migration0018 } from './0018-photos-of-lists.ts';
import { migration0019 } from './0019-brands-of-events.ts';
import { migration0020 } from './0020-check-ins-of-lists.ts';
import { migration0021 } from './0021-rights-of-api-keys.ts';
import { migration0022 } from './0022-users-and-sessions.ts';
import { migration0023 } from './0023-mailings.ts';
import { migration0024 } from './0024-software-of-devices.ts';
import { migration0025 } from './0025-counts-of-lists.ts';
import { migration0026 } from './0026-orders-of-people.ts';
import { migration0027 } from './0027-undone-declines.ts';
import { migration0028 } from './0028-serving-role.ts';
import { migration0029 } from './0029-silences-of-devices.ts';
import { migration0030 } from './0030-tickets-of-people.ts';
import { migration0031 } from './0031-places-of-events.ts';
import { migration0032 } from './0032-attendance-of-lists.ts';
import { migration0033 } from './0033-metadata.ts';
import { migration0034 } from './0034-told-ends-of-events.ts';
import { migration0035 } from './0035-notices.ts';
import { migration0036 } from './0036-arrivals.ts';
import { migration0037 } from './0037-shared-admissions.ts';
import { migration0038 } from './0038-test-mode.ts';
import { migration0039 } from './0039-linked-payloads.ts';

/** In order. A merged migration never changes: add one that expands, and a later one that contracts. */
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0017,
  migration0018,
  migration0019,
  migration0020,
  migration0021,
  migration0022,
  migration0023,
  migration0024,
  migration0025,
  migration0026,
  migration0027,
  migration0028,
  migration0029,
  migration0030,
  migration0031,
  migration0032,
  migration0033,
  migration0034,
  migration0035,
  migration0036,
  migration0037,
  migration0038,
  migration0039,
];
