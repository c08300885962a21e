import { migration0001 } from './0001-initial.ts';
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
import { migrationsTo0_1 } from './up-to-version-0.1.ts';
import { migrationsTo0_2 } from './up-to-version-0.2.ts';

/** In order. A merged migration never changes: add one that expands, and a later one that contracts. */
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  migration0001,
  ...migrationsTo0_1,
  ...migrationsTo0_2,
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
