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

  /** A backend that serves the API; not the session that owns the server. */
  async function aBackend(): Promise<number[]> {
    const client = new pg.Client(target);
    client.on('error', () => undefined);
    await client.connect();
    const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'svc-api' ORDER BY random() LIMIT 1";
    try {
      const { rows } = await client.query<{ pid: number }>(sql);
      return rows.map(({ pid }) => pid);
    } finally {
      await client.end();
    }
  }

  return {
    target,
    async kill(death) {
      const postmaster = Number((await readFile(lockFile, 'utf8')).split('\n')[0]);
      const pids = death === 'backend' ? await aBackend() : [postmaster];
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
