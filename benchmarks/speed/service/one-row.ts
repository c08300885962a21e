import type { ApiParts } from '@svc/api';

export const ONE_ROW_PATH = '/bench/one-row';

/** Baseline for a sync: the application with all of its middleware, and one query by a primary key on the same pool. */
export const mountOneRow: NonNullable<ApiParts['mount']> = (router, connection) => {
  router.get(`${ONE_ROW_PATH}/:accountId/:listId`, async ({ params }, response) => {
    const row: { list_version: number } | undefined = await connection('lists')
      .where({ account_id: params.accountId, list_id: params.listId })
      .first('list_version', 'event_id', 'enrollment_closed_at', 'retention_deadline');
    response.json({ listVersion: row?.list_version });
  });
};
