import type { WipeReason } from '@svc/protocol';
import type { AccountRecord, ApiKeyRecord, ApiKeyView } from '../../features/accounts/store.ts';
import type { DeviceRecord } from '../../features/devices/store.ts';
import type { EventRecord } from '../../features/events/store.ts';
import type { EpochRecord, ListKey, ListRecord } from '../../features/lists/store.ts';
import type { FaceKey, PersonRecord } from '../../features/people/store.ts';
import type { KeyStoreLink } from '../../features/restore/store.ts';

export interface AccountRow extends AccountRecord {
  readonly createdAt: Date;
  readonly deletingAt: Date | null;
  readonly period: number;
  readonly periodStartedAt: Date;
  readonly peopleBilled: number;
}

export interface FaceRow extends ListKey, FaceKey {
  readonly record: Buffer;
  readonly deleteAfter: Date;
  readonly version: number;
  readonly withheldVersion: number | null;
}

export interface RemovalRow extends ListKey, FaceKey {
  readonly version: number;
  readonly removedAt: Date;
}

export interface DeviceRow extends DeviceRecord {
  readonly publicKey: Buffer | null;
  readonly counter: { readonly last: number; readonly shown: number; readonly before: number; readonly floor: number };
}

export interface TombstoneRow extends ListKey {
  readonly deviceId: string;
  readonly tokenSha256: Buffer;
  readonly reason: WipeReason;
  readonly expiresAt: Date;
  readonly wipeTold: WipeReason | null;
}

export interface ListRow extends ListRecord {
  /** Absent before the first. */
  readonly checkInSecretSealed?: Buffer;
}

/** Row types of the tables, keyed by {@link keyOf}. */
export interface MemoryRows {
  readonly accounts: AccountRow;
  readonly apiKeys: ApiKeyRecord & ApiKeyView;
  readonly billedPeople: { readonly accountId: string; readonly period: number };
  readonly events: EventRecord;
  readonly lists: ListRow;
  readonly epochs: ListKey & EpochRecord;
  /** The highest number of a list's dropped epochs. */
  readonly droppedEpochs: ListKey & { readonly lastEpoch: number };
  readonly faces: FaceRow;
  readonly removals: RemovalRow;
  readonly people: ListKey & PersonRecord;
  readonly devices: DeviceRow;
  readonly tombstones: TombstoneRow;
  readonly links: KeyStoreLink;
}

export type MemoryTables = { readonly [Name in keyof MemoryRows]: ReadonlyMap<string, MemoryRows[Name]> };

/** A primary key from its columns. */
export const keyOf = (...columns: readonly (string | number | Buffer)[]): string =>
  columns.map((column) => (Buffer.isBuffer(column) ? column.toString('hex') : column)).join(' ');

export const listKeyOf = ({ accountId, listId }: ListKey): string => keyOf(accountId, listId);

export const faceKeyOf = ({ accountId, listId }: ListKey, { epoch, tag }: FaceKey): string =>
  keyOf(accountId, listId, epoch, tag);

export const personKeyOf = ({ accountId, listId }: ListKey, personId: string): string =>
  keyOf(accountId, listId, personId);

/** The rows of a list. */
export function ofList<Row extends ListKey>(rows: ReadonlyMap<string, Row>, { accountId, listId }: ListKey): Row[] {
  return [...rows.values()].filter((row) => row.accountId === accountId && row.listId === listId);
}

/** The newest epoch of the list's engine; null for none. */
export function currentEpochOf(tables: MemoryTables, list: ListRecord): number | null {
  const own = ofList(tables.epochs, list).filter(({ engineId }) => engineId === list.engineId);
  return own.length === 0 ? null : Math.max(...own.map(({ epoch }) => epoch));
}

/** Removes matching rows. @returns the removed rows */
export function take<Row>(table: Map<string, Row>, isMeant: (row: Row) => boolean): Row[] {
  const taken: Row[] = [];
  for (const [key, row] of table) {
    if (!isMeant(row)) continue;
    table.delete(key);
    taken.push(row);
  }
  return taken;
}

/** Comparator for `sort`, ascending. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
