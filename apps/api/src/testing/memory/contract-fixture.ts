import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../../db/connection.ts';
import { openDatabase } from '../../db/connection.ts';
import { createAccountStore } from '../../features/accounts/store.ts';
import { createDeviceStore, NEVER_SYNCED } from '../../features/devices/store.ts';
import { createEndStore } from '../../features/events/end-store.ts';
import { createEventStore } from '../../features/events/store.ts';
import { createListCountStore } from '../../features/lists/count-store.ts';
import { createListStore, type EpochRecord, type ListRecord } from '../../features/lists/store.ts';
import { createEnrolmentStore } from '../../features/people/enrolment-store.ts';
import { createExpiryStore } from '../../features/people/expiry-store.ts';
import { createPersonStore, type PersonRecord } from '../../features/people/store.ts';
import { createRestoreStore } from '../../features/restore/store.ts';
import { createRetentionStore } from '../../features/retention/store.ts';
import { createSyncStore } from '../../features/sync/store.ts';
import { createUsageStore } from '../../features/usage/store.ts';
import { MemoryDatabase } from './memory-database.ts';
import { createMemoryStores, type MemoryStores } from './stores.ts';

/** One kind of stores on a database that contains only the tests' data. */
export interface Backend {
  readonly database: Pick<Database, 'transaction'>;
  readonly stores: MemoryStores;
  close(): Promise<void>;
}

export function openMemoryBackend(): Backend {
  const database = new MemoryDatabase();
  return { database, stores: createMemoryStores(database), close: () => Promise.resolve() };
}

export function openPostgresBackend(connectionString: string): Backend {
  const database = openDatabase({ target: { connectionString } });
  const { connection } = database;
  const stores: MemoryStores = {
    accounts: createAccountStore(connection),
    usage: createUsageStore(connection),
    events: createEventStore(connection),
    ends: createEndStore(),
    lists: createListStore(connection),
    counts: createListCountStore(connection),
    people: createPersonStore(connection),
    enrolment: createEnrolmentStore(connection),
    expiry: createExpiryStore(connection),
    devices: createDeviceStore(connection),
    sync: createSyncStore(connection),
    retention: createRetentionStore(connection),
    restore: createRestoreStore(connection),
  };
  return { database, stores, close: () => database.close() };
}

export const at = (minute: number): Date => new Date(Date.UTC(2031, 4, 1, 12, minute));
/** Sixteen bytes, ordered by number. */
export const tagOf = (n: number): Buffer => Buffer.alloc(16, n);

let named = 0;
/** A new id, greater than the ones before. */
export const newId = (prefix: string): string => {
  named += 1;
  return `${prefix}_${String(named).padStart(6, '0')}`;
};
export const newUuid = (): string => {
  named += 1;
  return `00000000-0000-7000-8000-${String(named).padStart(12, '0')}`;
};

export const EPOCH: EpochRecord = {
  ...{ epoch: 1, engineId: 'engine/1', dimension: 8, matchThreshold: 0.5 },
  checkRecord: Buffer.from('check'),
};

export const listOf = (accountId: string, over: Partial<ListRecord> = {}): ListRecord => ({
  ...{ accountId, listId: newId('lst'), eventId: null, name: 'Members', country: null, retainDays: 365 },
  ...{
    retentionDeadline: null,
    engineId: 'engine/1',
    headTurnAlternative: 'none',
    photoSource: 'any',
    photoCheck: 'none',
    reEntry: 'off',
    checkInUrl: null,
    checkInSecretAt: null,
    listVersion: 1,
    enrollmentClosedAt: null,
    endedAt: null,
    deletingAt: null,
  },
  createdAt: at(0),
  ...over,
});

export async function addAccount({ database, stores }: Backend): Promise<string> {
  const accountId = newId('acc');
  const account = { accountId, name: 'Ada', country: 'DE', billingCurrency: 'EUR', plan: 'pilot', planPeople: null };
  await database.transaction((tx) => stores.accounts.insert(tx, account, at(0)));
  return accountId;
}

/** A list with one epoch, by default of an account of its own. */
export async function addList(backend: Backend, over: Partial<ListRecord> = {}): Promise<ListRecord> {
  const list = listOf(over.accountId ?? (await addAccount(backend)), over);
  await backend.database.transaction(async (tx) => {
    await backend.stores.lists.insert(tx, list);
    await backend.stores.lists.insertEpoch(tx, list, EPOCH, at(0));
  });
  return list;
}

export interface Put {
  readonly tag: number;
  readonly deleteAfter?: Date;
  readonly version?: number;
  readonly epoch?: number;
}

export async function addPerson(
  { database, stores }: Backend,
  list: ListRecord,
  personId: string,
  { tag, deleteAfter = at(1_000), version = 2, epoch = 1 }: Put,
): Promise<PersonRecord> {
  const person: PersonRecord = {
    ...{ personId, rowId: newUuid(), consentVersion: 'eu-v2' },
    ...{ face: { epoch, tag: tagOf(tag) }, deleteAfter, enrolledAt: at(0) },
  };
  const record = Buffer.alloc(20, tag);
  await database.transaction((tx) => stores.people.put(tx, list, person, { record, version }, at(0)));
  return person;
}

export async function addDevice({ database, stores }: Backend, { accountId, listId }: ListRecord, expiresAt = null) {
  const tokenSha256 = createHash('sha256').update(randomBytes(32)).digest();
  const device = {
    ...{ accountId, listId, deviceId: newId('dev'), tokenSha256, name: null, createdAt: at(0), expiresAt },
    ...NEVER_SYNCED,
  };
  await database.transaction((tx) => stores.devices.insert(tx, device));
  return device;
}
