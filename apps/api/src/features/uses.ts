import type { ErasureMemory } from '../crypto/erasure-memory.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Database } from '../db/connection.ts';
import type { Engines } from '../inference/engines.ts';
import type { Clock, Ids, Random } from '../platform/ports.ts';
import type { AuditLog } from './audit/service.ts';
import type { IdempotencyService } from './idempotency/service.ts';
import type { Outbox } from './webhooks/outbox.ts';

/** What services of several features use. */
interface Used {
  readonly database: Pick<Database, 'transaction'>;
  readonly audit: AuditLog;
  readonly outbox: Outbox;
  /** Opens the vaults of accounts. */
  readonly keyRing: Pick<KeyRing, 'unwrapAccountKey'>;
  readonly erasures: Pick<ErasureMemory, 'remember'>;
  /** Kept answers. */
  readonly requests: Pick<IdempotencyService, 'forgetPeople' | 'forgetList'>;
  readonly engines: Engines;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
}

/** The part of a service's dependencies that has the same types everywhere. */
export type Uses<Name extends keyof Used> = Pick<Used, Name>;
