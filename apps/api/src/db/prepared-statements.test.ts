import { describe, expect, it } from 'vitest';
import { prepareStatements, StatementNames } from './prepared-statements.ts';

const PID = 7;

/** A connection that records its statements. */
function createConnection(processID = PID) {
  const asked: unknown[] = [];
  const query = (statement: unknown) => {
    asked.push(statement);
    return Promise.resolve({ rows: [] });
  };
  return { connection: { processID, query }, asked };
}

const SELECT = { text: 'SELECT name FROM lists WHERE list_id = $1', values: ['lst'] };

describe('statements', () => {
  it('bear a name of their text on a connection that is a session', async () => {
    const { connection, asked } = createConnection();
    prepareStatements(connection, new StatementNames(), PID);
    await connection.query(SELECT);
    await connection.query({ ...SELECT, values: ['another'] });
    expect(asked).toEqual([
      { ...SELECT, name: expect.stringMatching(/^svc_[\w-]{32}$/) },
      { ...SELECT, values: ['another'], name: (asked[0] as { name: string }).name },
    ]);
  });

  it('bear none behind a pooler', async () => {
    const { connection, asked } = createConnection(8);
    prepareStatements(connection, new StatementNames(), PID);
    await connection.query(SELECT);
    expect(asked[0]).toBe(SELECT);
  });

  it.each([
    ['without values', { text: 'COMMIT', values: [] }],
    ['as plain text', 'COMMIT'],
    ['of all columns', { text: 'select * from "lists" where "list_id" = $1', values: ['lst'] }],
    ['that return all columns', { text: 'update lists set a = $1 returning *', values: ['lst'] }],
    ['of all columns of one table', { text: 'select lists.* from lists where a = $1', values: ['lst'] }],
  ])('bear none %s', async (_name, statement) => {
    const { connection, asked } = createConnection();
    prepareStatements(connection, new StatementNames(), PID);
    await connection.query(statement);
    expect(asked[0]).toBe(statement);
  });

  it('are named up to a number', () => {
    const names = new StatementNames();
    const named = Array.from({ length: 1_000 }, (_, i) => names.of(`SELECT ${i}`)).filter((name) => name !== null);
    expect(named).toHaveLength(300);
    expect(names.of('SELECT 1')).toBe(named[1]);
  });
});
