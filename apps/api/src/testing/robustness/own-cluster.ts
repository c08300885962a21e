import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedServer } from '../../db/embedded/index.ts';
import { systemRandom } from '../../platform/ports.ts';
import { removeDataDirectory } from '../postgres.ts';

/**
 * What to kill: PostgreSQL's first process, all its processes at once, or one backend, after which it recovers itself.
 */
export const clusterDeaths = ['postmaster', 'everything', 'backend'] as const;
export type ClusterDeath = (typeof clusterDeaths)[number];

/** Longest wait for the server to notice that one of its backends was killed. */
const NOTICED_MS = 10_000;

/** A separate PostgreSQL to kill. */
export interface OwnCluster {
  readonly target: pg.ClientConfig;
  kill(death: ClusterDeath): Promise<void>;
  /** Resolves when it answers again. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text
    .split(' ')
    .map(Number)
    .filter((child) => child > 1);
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended on its own.
  }
}

export async function startOwnCluster(): Promise<OwnCluster> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: false });
  const target: pg.ClientConfig = { ...server.target };
  const lockFile = join(await realpath(join(dataDirectory, 'postgres')), 'cluster', 'postmaster.pid');

  /**
   * Kills a backend that serves the API; not the session that owns the server. Resolves when the server has noticed:
   * until then it takes sessions that it ends a moment later, with all others.
   */
  async function killBackend(): Promise<void> {
    const client = new pg.Client(target);
    client.on('error', () => undefined);
    await client.connect();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'svc-api' ORDER BY random() LIMIT 1";
    const { rows } = await client.query<{ pid: number }>(sql);
    for (const { pid } of rows) killHard(pid);
    // One that was just ending by itself ends nothing else.
    await Promise.race([ended, sleep(rows.length === 0 ? 0 : NOTICED_MS, undefined, { ref: false })]);
    await client.end().catch(() => undefined);
  }

  return {
    target,
    async kill(death) {
      if (death === 'backend') return killBackend();
      const postmaster = Number((await readFile(lockFile, 'utf8')).split('\n')[0]);
      const pids = [postmaster];
      if (death === 'everything') pids.push(...(await childrenOf(postmaster)));
      for (const pid of pids) killHard(pid);
    },
    async up() {
      for (;;) {
        const client = new pg.Client({ ...target, connectionTimeoutMillis: 2_000 });
        client.on('error', () => undefined);
        const answered = await client
          .connect()
          .then(() => client.query('SELECT 1'))
          .then(
            () => true,
            () => false,
          );
        await client.end().catch(() => undefined);
        if (answered) return;
        await sleep(25);
      }
    },
    async stop() {
      await server.stop();
      await removeDataDirectory(dataDirectory);
    },
  };
}
