import type { Socket } from 'node:net';
import type pg from 'pg';
import { createSingleFlight } from '../platform/coalesce.ts';
import { sqlState } from '../platform/errors.ts';

/** One of a database's servers; makes a client with settings read anew, as files behind them change. */
export type Server = () => Promise<pg.Client>;

/** What a server says of itself on a new connection. */
interface Standing {
  readonly pid: number;
  readonly isReadOnly: boolean;
  /** Grows with each promotion; null where the server does not tell. */
  readonly timeline: number | null;
  /** The cluster that the timeline belongs to. */
  readonly cluster: string | null;
}

/** A connection of the pool. */
export interface OpenedConnection extends Standing {
  readonly client: PooledClient;
}

/** The client with what knex and node-postgres keep in it. */
export type PooledClient = pg.Client & {
  readonly connection: { readonly stream: Socket } & NodeJS.EventEmitter;
  readonly processID: number | null;
  readonly readyForQuery: boolean;
  /** Knex's pool hands such a connection out no more. */
  __knex__disposed?: unknown;
};

interface Kept extends OpenedConnection {
  readonly server: Server;
  /** Bytes that had come when it was last looked at, and for how many looks a statement has waited for more. */
  bytesRead: number;
  looks: number;
}

const READ_ONLY = '25006';
const CONNECT_MS = 3_000;
/** How often several servers are asked which of them is the primary. */
const WATCH_MS = 5_000;
const LOOK_MS = 1_000;
/**
 * Looks without a byte after which the server is asked whether it still works on the statement. Fewer than take two
 * seconds, when the question whether a node is ready gives up, and leaves no connection to look at.
 */
const SUSPICIOUS_LOOKS = 2;

const STANDING = `
SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  CASE WHEN NOT pg_is_in_recovery()
    THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline,
  (SELECT system_identifier::text FROM pg_control_system()) AS cluster`;
/** For a server that does not let this role look, or has no such functions. */
const PLAIN_STANDING = `
SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  NULL AS timeline, NULL AS cluster`;
/** One that is idle, or idle in a transaction, waits for a statement that got lost, or its answer got lost. */
const STILL_AT_WORK = `
SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::integer[]) AND coalesce(state, '') NOT LIKE 'idle%'`;

/** Errors of connections that could not be made, whatever made them fail. */
const unreachable = new WeakSet<object>();

/** Whether a connection to the database could not be made. */
export const couldNotConnect = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && unreachable.has(error);

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: READ_ONLY });
}

async function connect(server: Server): Promise<PooledClient> {
  const client = (await server()) as PooledClient;
  const dispose = (error: unknown) => {
    client.__knex__disposed ??= error ?? 'Connection ended unexpectedly';
  };
  client.on('error', dispose).on('end', () => dispose(null));
  await client.connect();
  return client;
}

async function standingOf(client: pg.Client): Promise<Standing> {
  const ask = async (statement: string) => (await client.query<Standing>(statement)).rows[0] as Standing;
  return ask(STANDING).catch((error: unknown) => {
    if (sqlState(error) === undefined) throw error;
    return ask(PLAIN_STANDING);
  });
}

/** Ends it although nobody may be there to hear it. */
function cut(client: PooledClient): void {
  client.__knex__disposed = 'Connection terminated';
  client.connection.stream.destroy();
}

/** The limit for connecting ends with the connection's start: this is one for its first statement. */
async function inTime<T>(client: PooledClient, work: (client: PooledClient) => Promise<T>): Promise<T> {
  const timer = setTimeout(() => cut(client), CONNECT_MS);
  try {
    return await work(client);
  } finally {
    clearTimeout(timer);
  }
}

/** Without waiting for a server that may say nothing any more. */
function end(client: PooledClient): void {
  client.end().catch(() => undefined);
}

/** Runs `work` on a connection of its own. */
async function onConnection<T>(server: Server, work: (client: PooledClient) => Promise<T>): Promise<T> {
  const client = await connect(server);
  try {
    return await inTime(client, work);
  } finally {
    end(client);
  }
}

/**
 * Connections to a database's primary, which may be any of several servers, and another one later. Connections to a
 * server that was demoted, that another has overtaken, or that is gone are not used any more.
 */
export class Primary {
  readonly #servers: readonly Server[];
  readonly #kept = new Set<Kept>();
  readonly #alone = createSingleFlight<Server>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #onMoved: () => void;
  #server: Server | null = null;
  /** The newest timeline seen: what is older is a former primary that still takes writes. */
  #newest: Pick<Standing, 'timeline' | 'cluster'> | null = null;

  /** @param onMoved called when another server has become the primary */
  constructor(servers: readonly Server[], onMoved: () => void) {
    this.#servers = servers;
    this.#onMoved = onMoved;
    const repeat = (work: () => Promise<unknown>, everyMs: number) =>
      setInterval(() => void work().catch(() => undefined), everyMs).unref();
    this.#timers = [
      repeat(() => this.#look(), LOOK_MS),
      ...(servers.length > 1 ? [repeat(() => this.#watch(), WATCH_MS)] : []),
    ];
  }

  /**
   * A new connection to the server that takes writes.
   * @throws Error for which {@link couldNotConnect} is true
   */
  async open(): Promise<OpenedConnection> {
    try {
      const known = this.#server ?? (this.#servers.length === 1 ? this.#servers[0] : undefined);
      if (known !== undefined) {
        try {
          return await this.#openAt(known);
        } catch (error) {
          if (this.#servers.length === 1) throw error;
          if (this.#server === known) this.#server = null;
        }
      }
      return await this.#openAt(await this.#alone('find', () => this.#find(true)));
    } catch (error) {
      if (typeof error === 'object' && error !== null) unreachable.add(error);
      throw error;
    }
  }

  /** Replaces every connection when its present work is over. */
  retire(): void {
    for (const { client } of this.#kept) client.__knex__disposed ??= 'the server takes no writes';
    this.#server = null;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #openAt(server: Server): Promise<OpenedConnection> {
    const client = await connect(server);
    try {
      const standing = await inTime(client, standingOf);
      this.#requireCurrent(standing);
      const kept: Kept = { client, ...standing, server, bytesRead: 0, looks: 0 };
      this.#mind(kept);
      this.#note(standing);
      this.#server = server;
      return kept;
    } catch (error) {
      end(client);
      throw error;
    }
  }

  #requireCurrent(standing: Standing): void {
    if (standing.isReadOnly) throw refusal('the database takes no writes: it is a standby, or read-only by a setting');
    if (this.#isBehind(standing)) throw refusal('the database is a former primary: another server was promoted');
  }

  #isBehind({ timeline, cluster }: Standing): boolean {
    const { timeline: newest = null, cluster: known = null } = this.#newest ?? {};
    return timeline !== null && newest !== null && cluster === known && timeline < newest;
  }

  /** Remembers a promotion, and leaves the server that was overtaken at once: what it confirms may be lost. */
  #note({ timeline, cluster }: Standing): void {
    if (timeline === null) return;
    const before = this.#newest;
    if (before !== null && before.cluster === cluster && (before.timeline ?? 0) >= timeline) return;
    this.#newest = { timeline, cluster };
    if (before === null) return;
    for (const kept of this.#kept) {
      if (kept.timeline !== timeline || kept.cluster !== cluster) cut(kept.client);
    }
    this.#onMoved();
  }

  #mind(kept: Kept): void {
    const { client } = kept;
    this.#kept.add(kept);
    client.on('end', () => this.#kept.delete(kept));
    client.connection.on('errorMessage', (error: { readonly code?: string }) => {
      if (error.code === READ_ONLY) this.retire();
    });
    // A commit whose wait for the synchronous standby was cancelled is answered like any other. The routine's name is
    // the same in every language. The error reaches the statement before the answer does.
    client.on('notice', ({ routine }) => {
      if (routine !== 'SyncRepWaitForLSN') return;
      client.connection.emit('error', new Error('Connection terminated: the commit reached no standby'));
      cut(client);
    });
  }

  /**
   * The server that takes writes; of several, the one that was promoted last.
   * @param isEnough whether the first that is not behind will do, without waiting for those that do not answer
   */
  async #find(isEnough: boolean): Promise<Server> {
    const found: { readonly server: Server; readonly standing: Standing }[] = [];
    const errors: unknown[] = [];
    await new Promise<void>((resolve) => {
      let left = this.#servers.length;
      const answered = () => {
        left -= 1;
        if (left === 0) resolve();
      };
      for (const server of this.#servers) {
        onConnection(server, standingOf)
          .then((standing) => {
            if (standing.isReadOnly || this.#isBehind(standing)) return;
            found.push({ server, standing });
            // Before the first connection any of them may be a former one.
            if (isEnough && this.#newest !== null) resolve();
          })
          .catch((error: unknown) => errors.push(error))
          .finally(answered);
      }
    });
    const ranked = found.sort((a, b) => (b.standing.timeline ?? 0) - (a.standing.timeline ?? 0));
    const [best] = ranked;
    if (best === undefined) {
      throw errors.length === this.#servers.length ? errors[0] : refusal('none of the database’s servers takes writes');
    }
    const highest = best.standing.timeline;
    return (
      ranked.find(({ server, standing }) => server === this.#server && standing.timeline === highest)?.server ??
      best.server
    );
  }

  /** Notices a promotion although the former primary still answers. */
  async #watch(): Promise<void> {
    if (this.#kept.size === 0) return;
    const server = await this.#find(false);
    if (server === this.#server) return;
    end((await this.#openAt(server)).client);
  }

  /** Ends connections that wait for a server that is gone without a word, or does not know of them. */
  async #look(): Promise<void> {
    const suspicious = new Map<Server, Kept[]>();
    for (const kept of this.#kept) {
      const { bytesRead } = kept.client.connection.stream;
      const isWaiting = !kept.client.readyForQuery && bytesRead === kept.bytesRead;
      kept.looks = isWaiting ? kept.looks + 1 : 0;
      kept.bytesRead = bytesRead;
      if (kept.looks < SUSPICIOUS_LOOKS) continue;
      kept.looks = 0;
      suspicious.set(kept.server, [...(suspicious.get(kept.server) ?? []), kept]);
    }
    for (const [server, waiting] of suspicious) {
      // A file that is missing here says nothing of the server.
      const asking = await server().catch(() => null);
      if (asking === null) continue;
      // A pooler has process ids of its own.
      const pids = waiting.filter(({ pid, client }) => pid === client.processID).map(({ pid }) => pid);
      const known = await onConnection(
        () => Promise.resolve(asking),
        async (client) => {
          const { rows } = await client.query<{ pid: number }>(STILL_AT_WORK, [pids]);
          return new Set(rows.map(({ pid }) => pid));
        },
      ).catch((error: unknown) => (sqlState(error) === undefined ? null : new Set(pids)));
      const lost = waiting.filter(({ client, pid, bytesRead }) => {
        if (client.connection.stream.bytesRead !== bytesRead) return false;
        return known === null || (pids.includes(pid) && !known.has(pid));
      });
      for (const { client } of lost) cut(client);
      // What lost these has probably lost the idle ones too, and each would make somebody wait to find out.
      if (lost.length > 0) {
        for (const { client, server: its } of this.#kept) if (its === server) client.__knex__disposed ??= 'old';
      }
    }
  }
}
