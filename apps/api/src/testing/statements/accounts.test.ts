import { describe, expect, it } from 'vitest';
import { checkAccounts } from './accounts.ts';

/** Of the first parameters, the account that was meant. */
const ONE = ['acc_1', 'acc_1', 'acc_1', 'acc_1'];
const TWO = ['acc_1', 'acc_2', 'acc_3', 'acc_4'];

describe('a statement may be sent that names its account', () => {
  it.each([
    'SELECT name FROM lists WHERE account_id = $1 AND list_id = $2',
    "SELECT name FROM lists WHERE account_id = 'acc_1'",
    'SELECT name FROM lists WHERE account_id IN ($1)',
    'SELECT name FROM lists WHERE (account_id, list_id) = ($1, $2)',
    'SELECT name FROM lists WHERE account_id = CAST($1 AS text) FOR UPDATE SKIP LOCKED',
    'SELECT 1 FROM lists l JOIN faces f USING (account_id, list_id) WHERE f.account_id = $1',
    'SELECT 1 FROM lists l LEFT JOIN events e ON e.account_id = l.account_id WHERE l.account_id = $1',
    'INSERT INTO events (account_id, event_id) VALUES ($1, $2) ON CONFLICT (account_id, event_id) DO NOTHING',
    'INSERT INTO events (account_id, event_id) SELECT l.account_id, $2 FROM lists l WHERE l.account_id = $1',
    'INSERT INTO face_removals (account_id, tag) SELECT $1, tag FROM unnest($3::bytea[]) AS gone (tag)',
    'UPDATE lists SET name = $2 FROM unnest($3::text[]) AS t (list_id) WHERE lists.account_id = $1',
    'DELETE FROM lists WHERE account_id = $1 RETURNING *',
    'SELECT name FROM recurring_jobs ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED',
    'SELECT pg_advisory_xact_lock($1)',
  ])('%s', (sql) => expect(checkAccounts(sql, TWO)).toEqual([]));

  it.each([
    'SELECT 1 FROM lists l, faces f WHERE l.account_id = $1 AND f.account_id = $2',
    'SELECT (SELECT max(epoch) FROM list_epochs WHERE account_id = $2) FROM lists WHERE account_id = $1',
    'INSERT INTO events (account_id, event_id) VALUES ($1, 1), ($2, 2)',
    'SELECT 1 FROM lists WHERE account_id = $1 UNION ALL SELECT 1 FROM faces WHERE account_id = $2',
    'WITH a AS (INSERT INTO events (account_id) VALUES ($1)) UPDATE lists SET name = 1 WHERE account_id = $2',
  ])('%s: in all its queries the same', (sql) => {
    expect(checkAccounts(sql, ONE)).toEqual([]);
    expect(checkAccounts(sql, TWO)).toEqual(['names no account, or several']);
  });

  it('or says that it is about all accounts, and only reads', () => {
    expect(checkAccounts('/* all accounts */ SELECT list_id FROM lists', [])).toEqual([]);
    for (const sql of ['DELETE FROM user_links', 'SELECT 1 FROM lists FOR UPDATE']) {
      expect(checkAccounts(`/* all accounts */ ${sql}`, [])).toEqual(['writes rows of several accounts']);
    }
  });
});

describe('the account of a statement is not known by', () => {
  it.each([
    ['nothing', 'SELECT 1 FROM lists WHERE list_id = $1'],
    ['nothing', 'INSERT INTO events (event_id) VALUES ($1)'],
    [
      'a correlation',
      'SELECT (SELECT max(epoch) FROM list_epochs e WHERE e.account_id = l.account_id) FROM lists l WHERE l.account_id = $1',
    ],
    [
      'a WITH',
      'WITH a AS (SELECT account_id FROM lists WHERE account_id = $1) SELECT 1 FROM faces JOIN a USING (account_id)',
    ],
    [
      'the kept side of an outer join',
      'SELECT 1 FROM lists l LEFT JOIN events e ON e.account_id = l.account_id AND l.account_id = $1',
    ],
    [
      'a side of a full join',
      'SELECT 1 FROM lists l FULL JOIN events e ON e.account_id = l.account_id WHERE l.account_id = $1',
    ],
    ['a join by something else', 'SELECT 1 FROM lists l JOIN events e USING (event_id) WHERE l.account_id = $1'],
    ['the other side of an OR', 'SELECT 1 FROM lists WHERE account_id = $1 OR list_id = $2'],
    ['a list', 'SELECT 1 FROM lists WHERE account_id = ANY ($1)'],
    ['what NOT excludes', 'SELECT 1 FROM lists WHERE NOT (account_id = $1)'],
    ['another comparison', 'SELECT 1 FROM lists WHERE account_id <> $1'],
  ])('%s: %s', (_what, sql) => expect(checkAccounts(sql, TWO)).toEqual(['names no account, or several']));
});

it.each([
  ['several statements in one', 'SELECT 1; SELECT 2'],
  ['a WITH has the name of a table', 'WITH lists AS (SELECT 1) SELECT 1 FROM lists WHERE account_id = $1'],
  ['a row gets another account', 'UPDATE lists SET account_id = $2 WHERE account_id = $1'],
])('refuses what hides an account: %s', (problem, sql) => expect(checkAccounts(sql, TWO)).toContain(problem));
