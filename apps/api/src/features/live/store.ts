import type { LiveTopic } from '@svc/protocol';
import { eachAccount } from '../../db/by-account.ts';
import { rowsOf } from '../../db/columns.ts';
import type { Connection } from '../../db/connection.ts';

/** A thing that can be told of as changed, with a text that differs after every change of its rows. */
export interface LiveMark {
  readonly accountId: string;
  readonly topic: LiveTopic;
  /** The list, event or webhook. */
  readonly subject: string;
  readonly mark: string;
}

export type LiveStore = ReturnType<typeof createLiveStore>;

interface MarkRow {
  readonly account_id: string;
  readonly topic: LiveTopic;
  readonly subject: string;
  readonly mark: string;
}

/** `xmin` is the transaction that wrote the row's present version: the sum differs after any committed change. */
const changesOf = (alias: string) => `concat(count(*), ' ', sum(${alias}.xmin::text::bigint))`;

/**
 * Every enrolment and erasure changes its list's version. Deliveries of a webhook are too many to look at: the newest
 * and the pending ones change with every event and every attempt.
 */
const MARKS = `
SELECT l.account_id, 'people' AS topic, l.list_id AS subject, l.xmin::text AS mark
FROM lists l WHERE l.account_id = :accountId AND l.deleting_at IS NULL
UNION ALL
SELECT d.account_id, 'doors', d.list_id, ${changesOf('d')}
FROM devices d WHERE d.account_id = :accountId GROUP BY d.account_id, d.list_id
UNION ALL
SELECT l.account_id, 'guests', l.event_id, ${changesOf('t')}
FROM lists l JOIN enrolment_tokens t ON t.account_id = l.account_id AND t.list_id = l.list_id
WHERE l.account_id = :accountId AND l.event_id IS NOT NULL GROUP BY l.account_id, l.event_id
UNION ALL
SELECT m.account_id, 'mailings', m.event_id, concat(m.mark, ' ', waiting.mark)
FROM (
  SELECT l.account_id, l.list_id, l.event_id, ${changesOf('m')} AS mark
  FROM lists l JOIN mailings m ON m.account_id = l.account_id AND m.list_id = l.list_id
  WHERE l.account_id = :accountId AND l.event_id IS NOT NULL GROUP BY l.account_id, l.list_id, l.event_id
) m
LEFT JOIN LATERAL (
  SELECT ${changesOf('r')} AS mark FROM mailing_recipients r
  WHERE r.account_id = :accountId AND r.list_id = m.list_id AND r.state = 'waiting'
) waiting ON true
UNION ALL
SELECT w.account_id, 'webhooks', w.webhook_id, concat_ws(' ', w.xmin::text, newest.delivery_id, pending.mark)
FROM webhooks w
LEFT JOIN LATERAL (
  SELECT v.delivery_id FROM webhook_deliveries v
  WHERE v.account_id = :accountId AND v.webhook_id = w.webhook_id ORDER BY v.delivery_id DESC LIMIT 1
) newest ON true
LEFT JOIN LATERAL (
  SELECT ${changesOf('v')} AS mark FROM webhook_deliveries v
  WHERE v.account_id = :accountId AND v.webhook_id = w.webhook_id AND v.state = 'pending'
) pending ON true
WHERE w.account_id = :accountId`;

export function createLiveStore(connection: Connection) {
  return {
    async marks(accountIds: readonly string[]): Promise<LiveMark[]> {
      const accounts = accountIds.map((accountId) => ({ accountId }));
      const marks = await eachAccount(accounts, async (accountId) => {
        const rows = await rowsOf<MarkRow>(connection, MARKS, { accountId });
        return rows.map(({ account_id: _account, ...mark }) => ({ accountId, ...mark }));
      });
      return marks.flat();
    },
  };
}
