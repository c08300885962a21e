import { describe, expect, it } from 'vitest';
import { routeOf } from './route.ts';
import { readSchema } from './schema.ts';

const { tables, problems } = readSchema();
const route = (sql: string, sameAs?: (parameter: number) => number) => routeOf(sql, tables, sameAs);
/** The parameter that is always the first one's value. */
const same =
  (...those: number[]) =>
  (parameter: number) =>
    those.includes(parameter) ? 1 : parameter;

describe('the schema', () => {
  it('has the account in every key and reference of a table that is spread', () => expect(problems).toEqual([]));

  it.each([
    ['a key', 'CREATE TABLE t (account_id text, a text UNIQUE)', 't: a unique key without account_id (a)'],
    [
      'an index',
      'CREATE TABLE t (account_id text, a text); CREATE UNIQUE INDEX i ON t (a)',
      't: a unique key without account_id (a)',
    ],
    [
      'a reference',
      'CREATE TABLE t (account_id text, a text REFERENCES accounts)',
      't: a reference without account_id (a)',
    ],
    [
      'a reference to one node',
      'CREATE TABLE rate_limits (a text PRIMARY KEY); CREATE TABLE t (account_id text REFERENCES rate_limits)',
      't: a reference to a table that lies elsewhere',
    ],
    [
      'a reference from one node',
      'CREATE TABLE t (account_id text PRIMARY KEY); CREATE TABLE rate_limits (a text REFERENCES t)',
      'rate_limits: a reference to a table that lies elsewhere',
    ],
    ['a table that names no account', 'CREATE TABLE t (list_id text)', 't: a table without account_id'],
  ])('is refused for %s', (_what, sql, problem) => expect(readSchema([{ sql }], []).problems).toEqual([problem]));
});

describe('a statement is of one account’s node', () => {
  it.each([
    'SELECT name FROM lists WHERE account_id = $1 AND list_id = $2',
    "SELECT name FROM lists WHERE account_id = 'acc_1'",
    'SELECT name FROM lists WHERE account_id IN ($1)',
    'SELECT name FROM lists WHERE (account_id, list_id) = ($1, $2)',
    'SELECT name FROM lists WHERE account_id = CAST($1 AS text) FOR UPDATE SKIP LOCKED',
    'SELECT 1 FROM lists l JOIN faces f USING (account_id, list_id) WHERE f.account_id = $1',
    'SELECT 1 FROM lists l LEFT JOIN events e ON e.account_id = l.account_id WHERE l.account_id = $1',
    'INSERT INTO events (account_id, event_id) VALUES ($1, $2) ON CONFLICT (account_id, event_id) DO NOTHING',
    'UPDATE lists SET name = $2 FROM unnest($3::text[]) AS t (list_id) WHERE lists.account_id = $1 AND lists.list_id = t.list_id',
    'DELETE FROM lists WHERE account_id = $1 RETURNING *',
  ])('%s', (sql) => expect(route(sql)).toMatchObject({ place: 'account', problems: [], isTakenApart: false }));

  it.each([
    ['SELECT 1 FROM lists l, faces f WHERE l.account_id = $1 AND f.account_id = $2', [2]],
    ['SELECT (SELECT max(epoch) FROM list_epochs WHERE account_id = $2) FROM lists WHERE account_id = $1', [2]],
    ['INSERT INTO events (account_id, event_id) VALUES ($1, $2), ($3, $4)', [3]],
    ['SELECT 1 FROM lists WHERE account_id = $1 UNION ALL SELECT 1 FROM faces WHERE account_id = $2', [2]],
    ['WITH gone AS (DELETE FROM faces WHERE account_id = $1 RETURNING tag) SELECT 1 FROM gone', []],
  ])('%s, whose parameters are always the same account', (sql, those) => {
    expect(route(sql, same(...those))).toMatchObject({ place: 'account', problems: [] });
    if (those.length > 0) expect(route(sql).place).toBe('everywhere');
  });

  it.each([
    'WITH a AS (INSERT INTO events (account_id) VALUES ($1)) UPDATE lists SET name = $3 WHERE account_id = $2',
    'INSERT INTO face_removals (account_id, tag) SELECT $1, tag FROM unnest($3::bytea[]) AS gone (tag)',
  ])('as a whole, if a coordinator takes it apart: %s', (sql) => {
    expect(route(sql, same(2))).toMatchObject({ place: 'account', problems: [], isTakenApart: true });
  });
});

describe('a statement of no account is', () => {
  it.each([
    ['one-node', 'DELETE FROM sign_in_challenges WHERE challenge_id = $1 FOR UPDATE'.replace(' FOR UPDATE', '')],
    ['one-node', 'SELECT name FROM recurring_jobs ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED'],
    ['key-store', 'INSERT INTO wrapped_keys (owner_id) VALUES ($1) ON CONFLICT (owner_id, epoch) DO NOTHING'],
    ['anywhere', 'SELECT pg_advisory_xact_lock($1)'],
    ['anywhere', 'BEGIN'],
    ['anywhere', 'SET LOCAL statement_timeout = 0'],
    ['everywhere', 'SELECT account_id FROM lists WHERE deleting_at IS NOT NULL'],
    [
      'everywhere',
      'SELECT 1 FROM devices d JOIN lists l ON l.account_id = d.account_id WHERE d.token_sha256 = ANY ($1)',
    ],
  ])('%s: %s', (place, sql) => expect(route(sql)).toMatchObject({ place, problems: [] }));
});

describe('a value does not reach', () => {
  it.each([
    [
      'a subquery',
      'SELECT (SELECT max(epoch) FROM list_epochs e WHERE e.account_id = l.account_id) FROM lists l WHERE l.account_id = $1',
    ],
    [
      'what reads a WITH',
      'WITH a AS (SELECT account_id FROM lists WHERE account_id = $1) SELECT 1 FROM faces JOIN a USING (account_id)',
    ],
    [
      'the kept side of an outer join',
      'SELECT 1 FROM lists l LEFT JOIN events e ON e.account_id = l.account_id AND e.account_id = $1',
    ],
    [
      'either side of a full join',
      'SELECT 1 FROM lists l FULL JOIN events e ON e.account_id = l.account_id WHERE l.account_id = $1',
    ],
    ['the other side of an OR', 'SELECT 1 FROM lists WHERE account_id = $1 OR list_id = $2'],
    ['several accounts', 'SELECT 1 FROM lists WHERE account_id = ANY ($1)'],
    ['beyond NOT', 'SELECT 1 FROM lists WHERE NOT (account_id = $1)'],
  ])('%s', (_what, sql) => expect(route(sql).place).toBe('everywhere'));
});

describe('a distributed database refuses', () => {
  it.each([
    ['writes rows of several accounts', 'DELETE FROM user_links WHERE expires_at <= $1'],
    [
      'writes rows of several accounts',
      'UPDATE devices SET name = $1 FROM unnest($2::text[]) AS t (account_id) WHERE devices.account_id = t.account_id',
    ],
    ['writes rows of several accounts', 'INSERT INTO events (event_id) VALUES ($1)'],
    ['locks rows of several accounts', 'SELECT 1 FROM enrolment_tokens LIMIT 1 FOR UPDATE SKIP LOCKED'],
    ['joins lists, events beyond the account', 'SELECT 1 FROM lists JOIN events USING (event_id)'],
    [
      'ON CONFLICT (event_id) without account_id',
      'INSERT INTO events (account_id, event_id) VALUES ($1, $2) ON CONFLICT (event_id) DO NOTHING',
    ],
    ['a row gets another account_id', 'UPDATE lists SET account_id = $2 WHERE account_id = $1'],
    [
      'a function whose result may differ from node to node',
      'UPDATE lists SET name = random()::text WHERE account_id = $1',
    ],
    [
      'a function whose result may differ from node to node',
      "INSERT INTO events (account_id, event_id) VALUES ($1, nextval('s'))",
    ],
    ['a notification is heard on one node', "SELECT pg_notify('a', name) FROM lists WHERE account_id = $1"],
    [
      'a subquery among the VALUES of an INSERT',
      'INSERT INTO events (account_id, name) VALUES ($1, (SELECT name FROM lists WHERE account_id = $1))',
    ],
    [
      'a CASE of a value in a change: take CASE WHEN value = …',
      "UPDATE lists SET name = CASE name WHEN 'a' THEN 'b' END WHERE account_id = $1",
    ],
    ['ctid is a place on one server', 'SELECT ctid FROM lists WHERE account_id = $1'],
    ['tables of different places: lists, recurring_jobs', 'SELECT 1 FROM lists, recurring_jobs WHERE account_id = $1'],
    ['a recursive WITH', 'WITH RECURSIVE a AS (SELECT 1 FROM lists WHERE account_id = $1) SELECT 1 FROM a'],
    ['several statements in one', 'SELECT 1; SELECT 2'],
    ['a ListenStmt is no query', 'LISTEN a'],
    ['a LockStmt is no query', 'LOCK TABLE lists'],
    ['a TruncateStmt is no query', 'TRUNCATE lists'],
    ['the table lost is not in the schema', 'SELECT 1 FROM lists, lost WHERE account_id = $1'],
    ['the table lost is not in the schema', 'SELECT 1 FROM lost'],
  ])('%s: %s', (problem, sql) => expect(route(sql).problems).toContain(problem));

  it('what PostgreSQL 15 cannot parse', () => expect(() => route('SELECT FROM WHERE')).toThrow('syntax error'));
});
