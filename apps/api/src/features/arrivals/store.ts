import type { ArrivalCounts } from '@svc/protocol';
import { columnsOf, nested, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { ArrivalBucket } from './publication.ts';

interface DeviceName extends ListKey {
  readonly deviceId: string;
}

/** A bucket as the report with this number has it. */
export interface ReportedBucket extends ArrivalBucket {
  readonly sequence: number;
}

interface Door {
  readonly deviceId: string;
  readonly name: string | null;
  readonly revokedAt: Date | null;
  /** When its last report arrived; null before the first. */
  readonly arrivalsAt: Date | null;
}

/** Of a door, or of a time: the other one is null. */
interface ArrivalSum extends ArrivalCounts {
  readonly deviceId: string | null;
  readonly startsAt: Date | null;
}

export type ArrivalStore = ReturnType<typeof createArrivalStore>;

const BUCKET_COLUMNS = {
  ...{ startsAt: 'starts_at', sequence: 'sequence' },
  ...{ 'counted.admitted': 'admitted', 'published.admitted': 'published_admitted' },
  ...{ 'counted.toStaff': 'to_staff', 'published.toStaff': 'published_to_staff' },
  ...{ 'counted.notEnrolled': 'not_enrolled', 'published.notEnrolled': 'published_not_enrolled' },
};
const DOOR_COLUMNS = columnsOf<Door>()(['deviceId', 'name', 'revokedAt', 'arrivalsAt']);

/** In one statement, so that doors and times are of one moment. That a row without a number is there, is not told. */
const SUMS = `
SELECT device_id AS "deviceId", starts_at AS "startsAt",
  admitted::bigint, to_staff::bigint AS "toStaff", not_enrolled::bigint AS "notEnrolled"
FROM (
  SELECT device_id, starts_at,
    CASE WHEN :exact AND GROUPING(device_id) = 0 THEN sum(admitted) ELSE sum(published_admitted) END AS admitted,
    CASE WHEN :exact AND GROUPING(device_id) = 0 THEN sum(to_staff) ELSE sum(published_to_staff) END AS to_staff,
    CASE WHEN :exact AND GROUPING(device_id) = 0 THEN sum(not_enrolled) ELSE sum(published_not_enrolled) END AS not_enrolled
  FROM device_arrivals
  WHERE account_id = :accountId AND list_id = :listId AND starts_at >= :from AND starts_at < :to
  GROUP BY GROUPING SETS ((device_id), (starts_at))
) told
WHERE admitted + to_staff + not_enrolled > 0 ORDER BY starts_at, device_id`;

export function createArrivalStore(connection: Connection) {
  const where = ({ accountId, listId }: ListKey) => ({ account_id: accountId, list_id: listId });
  return {
    /**
     * Locks the device, so that its reports are taken one after another.
     * @returns the counter of its last answer; null if it was deleted
     */
    async lockDevice(tx: Transaction, { deviceId, ...list }: DeviceName, at: Date): Promise<number | null> {
      const own = tx('devices').where({ ...where(list), device_id: deviceId });
      const rows: { sync_counter: number }[] = await own.update({ arrivals_at: at }, ['sync_counter']);
      return rows[0]?.sync_counter ?? null;
    },
    /** Of one device, the earliest first. */
    async buckets(tx: Transaction, { deviceId, ...list }: DeviceName, from: Date): Promise<ReportedBucket[]> {
      const own = { ...where(list), device_id: deviceId };
      const rows = tx('device_arrivals').where(own).andWhere('starts_at', '>=', from);
      const read: object[] = await rows.orderBy('starts_at').select(BUCKET_COLUMNS);
      return read.map((row) => nested<ReportedBucket>(row));
    },
    async put(tx: Transaction, device: DeviceName, buckets: readonly ReportedBucket[]): Promise<void> {
      const { accountId, listId, deviceId } = device;
      const rows = buckets.map(({ startsAt, sequence, counted, published }) => ({
        ...toRow({ accountId, listId, deviceId, startsAt, sequence, ...counted }),
        published_admitted: published.admitted,
        published_to_staff: published.toStaff,
        published_not_enrolled: published.notEnrolled,
      }));
      if (rows.length === 0) return;
      await tx('device_arrivals').insert(rows).onConflict(['account_id', 'list_id', 'device_id', 'starts_at']).merge();
    },
    /** Devices of the list, revoked ones too. */
    doors: async (list: ListKey): Promise<Door[]> =>
      connection('devices').where(where(list)).orderBy('device_id').select(DOOR_COLUMNS),
    /** By door and by time, the earliest first. @param exact doors: what was counted; otherwise what was published of it */
    sums: (
      { accountId, listId }: ListKey,
      range: { readonly exact: boolean; readonly from: Date; readonly to: Date },
    ) => rowsOf<ArrivalSum>(connection, SUMS, { accountId, listId, ...range }),
  };
}
