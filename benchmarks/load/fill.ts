import type { ListResource } from '@svc/protocol';
import { each } from '../speed/service/pace.ts';
import type { BenchService } from '../speed/service/start-service.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Calls of the API at one time. */
export const AT_ONCE = 16;
/** Rows per statement. */
const ROWS_AT_ONCE = 100_000;

/** Ongoing lists, made by the API. */
export const addLists = (service: BenchService, count: number): Promise<string[]> =>
  each(count, AT_ONCE, async (i) => {
    const body = { name: `Door ${i + 1}`, ongoing: true };
    return (await service.call<ListResource>('POST', '/v1/lists', body)).listId;
  });

/**
 * People `from` to `to` of each list, as rows of sealed records. The records have their size, tag and deadline; their
 * ciphertext is none that opens, which neither a sync nor a device's check of it can tell.
 */
const INSERT_PEOPLE = `
INSERT INTO faces (account_id, list_id, epoch, tag, record, delete_after, version)
SELECT made.account_id, made.list_id, made.epoch, made.tag,
  made.tag || int8send($2::bigint) || substr(decode(repeat(encode(made.tag, 'hex'), made.dimension), 'hex'), 1, 2 * made.dimension + 40),
  to_timestamp($2::bigint / 1000.0), made.nth + 1
FROM (
  SELECT e.*, nth, decode(md5(e.list_id || '/' || nth), 'hex') AS tag
  FROM list_epochs e CROSS JOIN generate_series($3::integer, $4::integer) AS nth
  WHERE e.list_id = ANY ($1::text[])
  OFFSET 0
) made
ORDER BY made.list_id, made.tag`;

/**
 * Puts people into empty lists directly, from the `first` on, by SQL: enrolling a million takes hours. Everything else of the lists is as the
 * API made it, and later people come by the API.
 */
export async function fillPeople(
  service: BenchService,
  listIds: readonly string[],
  people: number,
  first = 1,
): Promise<void> {
  const deleteAfterMs = Date.now() + 100 * DAY_MS;
  const perStatement = Math.max(1, Math.floor(ROWS_AT_ONCE / listIds.length));
  for (let from = first; from <= people; from += perStatement) {
    const to = Math.min(people, from + perStatement - 1);
    await service.query(INSERT_PEOPLE, [listIds, deleteAfterMs, from, to]);
  }
  await service.query('UPDATE lists SET list_version = $2::bigint + 1 WHERE list_id = ANY ($1::text[])', [
    listIds,
    people,
  ]);
  await service.query('ANALYZE faces');
}
