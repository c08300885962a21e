/**
 * The engine of a list's new records. Lists that a node of the previous version creates during an upgrade have that
 * version's engine. The number of a dropped epoch is never reused.
 *
 * The epoch determines a template's engine; `model_id` is only written by the previous version.
 */
export const migration0012 = {
  name: '0012-engines-of-lists',
  sql: `
ALTER TABLE lists
  ADD COLUMN engine_id text NOT NULL DEFAULT 'dlib-resnet-128-mirror/1',
  ADD COLUMN last_epoch integer NOT NULL DEFAULT 0;
UPDATE lists SET engine_id = newest.engine_id
FROM (SELECT DISTINCT ON (account_id, list_id) account_id, list_id, engine_id FROM list_epochs
      ORDER BY account_id, list_id, epoch DESC) AS newest
WHERE (lists.account_id, lists.list_id) = (newest.account_id, newest.list_id) AND lists.engine_id <> newest.engine_id;
ALTER TABLE faces ALTER COLUMN model_id SET DEFAULT '';
ALTER TABLE people ALTER COLUMN model_id SET DEFAULT '';
`,
} as const;
