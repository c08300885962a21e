/**
 * The engine that a list's new records are made by. A list that a node of the version before creates while nodes are
 * replaced has that version's engine. A given-up epoch's number is never used again.
 *
 * What a template was made by follows from its epoch: `model_id` named an enrolment, and is written by the version
 * before alone.
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
