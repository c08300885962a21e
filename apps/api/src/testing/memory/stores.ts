import { createMemoryAccountStore } from './account-store.ts';
import { createMemoryDeviceStore } from './device-store.ts';
import { createMemoryEndStore } from './end-store.ts';
import { createMemoryEnrolmentStore } from './enrolment-store.ts';
import { createMemoryEventStore } from './event-store.ts';
import { createMemoryExpiryStore } from './expiry-store.ts';
import { createMemoryListStore } from './list-store.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMemoryPersonStore } from './person-store.ts';
import { createMemoryRestoreStore } from './restore-store.ts';
import { createMemoryRetentionStore } from './retention-store.ts';
import { createMemorySyncStore } from './sync-store.ts';
import { createMemoryUsageStore } from './usage-store.ts';

/** Every store of a database in memory; `stores.contract.test.ts` holds each to what the one in PostgreSQL does. */
export function createMemoryStores(database: MemoryDatabase) {
  return {
    accounts: createMemoryAccountStore(database),
    usage: createMemoryUsageStore(database),
    events: createMemoryEventStore(database),
    ends: createMemoryEndStore(),
    lists: createMemoryListStore(database),
    people: createMemoryPersonStore(database),
    enrolment: createMemoryEnrolmentStore(database),
    expiry: createMemoryExpiryStore(database),
    devices: createMemoryDeviceStore(database),
    sync: createMemorySyncStore(database),
    retention: createMemoryRetentionStore(database),
    restore: createMemoryRestoreStore(database),
  };
}

export type MemoryStores = ReturnType<typeof createMemoryStores>;
