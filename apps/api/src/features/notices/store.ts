import type { NoticeKind } from '@svc/protocol';
import { rowsOf } from '../../db/columns.ts';
import type { Connection } from '../../db/connection.ts';

/** What an organiser should know now. */
export interface NoticeRecord {
  readonly kind: NoticeKind;
  /** Tells it apart from another time of the same. */
  readonly cause: string;
  readonly eventId: string | null;
  readonly listId: string | null;
  /** Of the event, or of the list without one; null for a webhook. */
  readonly place: string | null;
  readonly timeZone: string | null;
  /** A door's name, or the end of its identifier; a webhook's address; of a list its people. */
  readonly subject: string;
  /** Since when; null where that is not known. */
  readonly since: Date | null;
  /** When a door stops letting guests in. */
  readonly until: Date | null;
}

/**
 * When notices are looked for. A door that synced after `silentSince` is not silent, and an event that began after it is
 * too young; one that begins before `soon` needs its doors, whose leases end soon if they synced last between `leaseOver`
 * and `leaseSoon`. A webhook that has accepted nothing since `failingSince` fails. What is so since before `toldSince` is not
 * told by mail.
 */
export type NoticeTimes = Readonly<
  Record<'now' | 'silentSince' | 'soon' | 'leaseOver' | 'leaseSoon' | 'failingSince' | 'toldSince', Date>
>;

/** A door that was revoked or told to wipe, has expired or never synced is not missed. */
const DOORS = `
SELECT d.account_id AS "accountId", of.kind, of.kind || ' ' || d.device_id || ' ' || extract(epoch FROM d.last_sync_at) AS cause,
  l.event_id AS "eventId", l.list_id AS "listId", v.name AS place, v.time_zone AS "timeZone",
  coalesce(d.name, right(d.device_id, 6)) AS subject, d.last_sync_at AS since,
  least(d.last_sync_at + (CAST(:now AS timestamptz) - CAST(:leaseOver AS timestamptz)), d.expires_at) AS until
FROM devices d
JOIN lists l ON l.account_id = d.account_id AND l.list_id = d.list_id AND l.deleting_at IS NULL
JOIN events v ON v.account_id = l.account_id AND v.event_id = l.event_id
JOIN LATERAL (VALUES
  ('door-offline', v.starts_at <= :silentSince AND v.ends_at > :now AND d.last_sync_at <= :silentSince),
  ('lease-ending', v.starts_at <= :soon AND v.ends_at > :now AND d.last_sync_at <= :leaseSoon AND d.last_sync_at > :leaseOver)
) AS of (kind, is_so) ON of.is_so
WHERE d.revoked_at IS NULL AND (d.wipe_told IS NULL OR d.wipe_told = 'device-unsuited') AND (d.expires_at IS NULL OR d.expires_at > :now)`;

const GOALS = `
SELECT l.account_id, 'enrolment-goal', 'enrolment-goal ' || l.list_id || ' ' || l.enrolment_goal,
  l.event_id, l.list_id, coalesce(v.name, l.name), v.time_zone, l.people::text, NULL::timestamptz, NULL::timestamptz
FROM lists l LEFT JOIN events v ON v.account_id = l.account_id AND v.event_id = l.event_id
WHERE l.deleting_at IS NULL AND l.ended_at IS NULL AND l.people >= l.enrolment_goal AND l.people_version = l.list_version
  AND (v.ends_at IS NULL OR v.ends_at > :now)`;

const WEBHOOKS = `
SELECT w.account_id, 'webhook-failing', 'webhook-failing ' || w.webhook_id || ' ' || extract(epoch FROM coalesce(w.disabled_at, w.failing_since)),
  NULL, NULL, NULL, NULL, w.url, coalesce(w.disabled_at, w.failing_since), NULL
FROM webhooks w
WHERE w.delivery = 'push' AND (w.disabled_reason IN ('gone', 'failing') OR (w.disabled_at IS NULL AND w.failing_since <= :failingSince))`;

/** @param of a further condition, by the table that has the account */
const noticesOf = (of: (table: string) => string) =>
  `(${[DOORS + of('d'), GOALS + of('l'), WEBHOOKS + of('w')].join('\nUNION ALL\n')}) AS notices`;

const WITH_NOTICES = `
/* all accounts */ SELECT DISTINCT notices."accountId" FROM ${noticesOf(() => '')}
JOIN accounts a ON a.account_id = notices."accountId" AND a.suspended_at IS NULL
WHERE (notices.since IS NULL OR notices.since > :toldSince) AND NOT EXISTS (SELECT FROM notices_told AS told
  WHERE told.account_id = notices."accountId" AND told.cause = notices.cause AND told.until > :now)`;

const OF_ACCOUNT = `
SELECT * FROM ${noticesOf((table) => ` AND ${table}.account_id = :accountId`)} ORDER BY since DESC NULLS LAST, cause`;

const CLAIM = `
INSERT INTO notices_told (account_id, cause, until)
SELECT :accountId, cause, :until FROM unnest(CAST(:causes AS text[])) AS cause
ON CONFLICT (account_id, cause) DO UPDATE SET until = excluded.until WHERE notices_told.until <= :now
RETURNING cause`;

const TOLD_UNTIL = "CASE WHEN cause LIKE 'enrolment-goal %' THEN timestamptz 'infinity' ELSE ? END";

export type NoticeStore = ReturnType<typeof createNoticeStore>;

export function createNoticeStore(connection: Connection) {
  const told = (accountId: string) => connection('notices_told').where({ account_id: accountId });
  return {
    /** Accounts that have something that nobody was told. */
    accounts: async (times: NoticeTimes): Promise<string[]> =>
      (await rowsOf<{ accountId: string }>(connection, WITH_NOTICES, times)).map(({ accountId }) => accountId),
    /** The newest first. */
    of: (accountId: string, times: NoticeTimes) =>
      rowsOf<NoticeRecord>(connection, OF_ACCOUNT, { ...times, accountId }),
    /** Those of the causes that nobody was told, each for one caller until then. */
    async claim(accountId: string, causes: readonly string[], now: Date, until: Date): Promise<ReadonlySet<string>> {
      const rows = await rowsOf<{ cause: string }>(connection, CLAIM, { accountId, causes, now, until });
      return new Set(rows.map(({ cause }) => cause));
    },
    /** Those that are claimed were told, goals for good, and those of long ago are forgotten. */
    async settle(accountId: string, causes: readonly string[], now: Date, until: Date): Promise<void> {
      await told(accountId)
        .whereIn('cause', causes)
        .update({ until: connection.raw(TOLD_UNTIL, [until]) });
      await told(accountId).where('until', '<=', now).delete();
    },
  };
}
