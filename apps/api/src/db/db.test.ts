import { describe, expect, it } from 'vitest';
import { serverAddresses } from '../config/address.ts';
import { eachAccount, takeInTurns } from './by-account.ts';
import { prepareStatements, StatementNames } from './connection.ts';

it.each([
  ['postgresql://u:p@h/d', ['postgresql://u:p@h/d']],
  [
    'postgres://u@one:5433,two,[::1]:5434/d?x=1',
    ['postgres://u@one:5433/d?x=1', 'postgres://u@two/d?x=1', 'postgres://u@[::1]:5434/d?x=1'],
  ],
  ['postgresql://u:p%2C%40@/d?host=%2Frun%2Fpg', ['postgresql://u:p%2C%40@/d?host=%2Frun%2Fpg']],
  ['postgresql:///d?host=/run/pg', ['postgresql:///d?host=/run/pg']],
  [
    'postgresql://h/d?sslmode=require&sslrootcert=/ca.pem',
    ['postgresql://h/d?sslmode=verify-full&sslrootcert=%2Fca.pem'],
  ],
  ['postgresql://h/d?sslrootcert=system', ['postgresql://h/d?sslmode=verify-full']],
  ['postgresql://h/d?sslmode=disable', ['postgresql://h/d?sslmode=disable']],
  [
    'postgresql://a,b/d?target_session_attrs=read-write',
    ['postgresql://a/d?target_session_attrs=read-write', 'postgresql://b/d?target_session_attrs=read-write'],
  ],
])('%s names %j', (text, addresses) => {
  expect(serverAddresses(text)).toEqual(addresses);
});

it.each([
  ['another protocol', 'mysql://h/d'],
  ['a server without a name', 'postgresql://one,,two/d'],
  ['a port that is none', 'postgresql://one:port/d'],
  ['servers that take no writes', 'postgresql://one,two/d?target_session_attrs=standby'],
])('refuses %s', (_what, text) => {
  expect(serverAddresses(text)).toBeNull();
});

describe('prepared statements', () => {
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
});

describe('by account', () => {
  describe('work on several accounts', () => {
    it('gets each one’s items together, and few accounts at one time', async () => {
      const items = Array.from({ length: 60 }, (_, nth) => ({ accountId: `acc_${nth % 20}`, nth }));
      let running = 0;
      let most = 0;
      const sums = await eachAccount(items, async (accountId, own) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return [accountId, own.map(({ nth }) => nth)];
      });
      expect(most).toBe(4);
      expect(Object.fromEntries(sums)).toMatchObject({ acc_0: [0, 20, 40], acc_19: [19, 39, 59] });
    });

    it('ends with the first failure', async () => {
      const fails = eachAccount([{ accountId: 'a' }, { accountId: 'b' }], () => Promise.reject(new Error('down')));
      await expect(fails).rejects.toThrow('down');
    });
  });

  describe('taking in turns', () => {
    const taking = async (due: Record<string, number>, limit: number) => {
      const left = new Map(Object.entries(due));
      const taken = await takeInTurns(Object.keys(due), limit, (accountId, most) => {
        const count = Math.min(most, left.get(accountId) ?? 0);
        left.set(accountId, (left.get(accountId) ?? 0) - count);
        return Promise.resolve(Array.from({ length: count }, () => accountId));
      });
      return Object.fromEntries(Object.keys(due).map((each) => [each, taken.filter((one) => one === each).length]));
    };

    it('gives equal shares', async () => {
      expect(await taking({ a: 100, b: 100, c: 100 }, 9)).toEqual({ a: 3, b: 3, c: 3 });
    });

    it('gives on what one does not take', async () => {
      expect(await taking({ many: 100, few: 1 }, 8)).toEqual({ many: 7, few: 1 });
      expect(await taking({ many: 3, few: 1 }, 8)).toEqual({ many: 3, few: 1 });
    });

    it('never takes more than asked, whoever is first', async () => {
      const taken = await taking({ a: 5, b: 5, c: 5, d: 5 }, 2);
      expect(Object.values(taken).reduce((sum, count) => sum + count, 0)).toBe(2);
      expect(await taking({}, 2)).toEqual({});
    });
  });
});
