import type { Database } from './connection.ts';

/** Runs single statements, in the interface that the rate limiter's library expects. */
export type PlainQueries = ReturnType<typeof createPlainQueries>;

interface PlainConnection {
  query(statement: { text: string; values: readonly unknown[] }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** The methods of knex's client that acquire and release a connection. */
interface ConnectionSource {
  acquireConnection(): Promise<PlainConnection>;
  releaseConnection(connection: PlainConnection): Promise<void>;
}

/** Statements on the pool's connections with a timeout, for results that are not worth a long wait. */
export function createPlainQueries(database: Pick<Database, 'connection' | 'isSaturated'>, timeoutMs: number) {
  const source = database.connection.client as ConnectionSource;

  async function run(text: string, values: readonly unknown[]) {
    const connection = await source.acquireConnection();
    try {
      return await connection.query({ text, values });
    } finally {
      await source.releaseConnection(connection);
    }
  }

  return {
    async query({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }): Promise<{
      readonly rows: readonly unknown[];
      readonly rowCount: number | null;
    }> {
      if (database.isSaturated()) throw new Error('too much waits for the database');
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        const isOver = () => reject(new Error('the database is slow'));
        // A turn later: after something that held this process up for long, the answer may be there, and is read first.
        timer = setTimeout(() => setImmediate(isOver), timeoutMs);
      });
      const answer = run(text, values);
      // The caller may have got a timeout already.
      answer.catch(() => undefined);
      try {
        return await Promise.race([answer, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
