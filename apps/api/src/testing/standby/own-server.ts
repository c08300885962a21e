import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { preparePlace } from '../../db/embedded/place.ts';
import { removeDataDirectory } from '../postgres.ts';
import { freePort } from '../rolling/service-node.ts';

const run = promisify(execFile);
/** A folder a version. */
const DEBIAN = process.env.SVC_TEST_POSTGRES_ROOT ?? '/usr/lib/postgresql';
const OLDEST = 15;
const STOP_MS = 10_000;
const USER = 'svc';
const PASSWORD = 'a password of tests';

/** Debian's PostgreSQL, by default the newest that is installed and not ruled out; null: the embedded one. */
async function findDebian(wanted?: string): Promise<string | null> {
  if (wanted === undefined && process.env.SVC_TEST_POSTGRES === 'embedded') return null;
  const versions = (await readdir(DEBIAN).catch(() => [])).map(Number).filter((version) => version >= OLDEST);
  const bin = join(DEBIAN, wanted ?? String(Math.max(0, ...versions)), 'bin');
  return existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')) ? bin : null;
}

/** Where servers of one test live, and who runs them. */
export interface ServerHome {
  readonly folder: string;
  readonly programs: { readonly initdb: string; readonly postgres: string };
  readonly user: { readonly uid: number; readonly gid: number } | null;
  remove(): Promise<void>;
}

/** Whether that version of PostgreSQL is installed. */
export const hasVersion = (version: string): boolean => existsSync(join(DEBIAN, version, 'bin', 'initdb'));

/** @param version of those that are installed */
export async function openServerHome(version?: string): Promise<ServerHome> {
  const data = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const place = await preparePlace(data);
  const debian = await findDebian(version);
  return {
    folder: place.stateDirectory,
    programs: debian === null ? place.binaries : { initdb: join(debian, 'initdb'), postgres: join(debian, 'postgres') },
    user: place.user,
    remove: () => removeDataDirectory(data),
  };
}

/** What a server has besides: lines of its configuration, and of the file that says who may connect. */
export interface ServerSettings {
  readonly settings?: Readonly<Record<string, string>>;
  readonly access?: string;
}

/**
 * A PostgreSQL on a port of its own, to be killed, stopped in its tracks and promoted. It does without fsync: data
 * survives a killed process, and no test cuts the power.
 */
export class OwnServer {
  readonly port: number;
  readonly #home: ServerHome;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #access: string | undefined;
  #child: ChildProcess | null = null;
  #exited: Promise<unknown> = Promise.resolve();

  private constructor(home: ServerHome, port: number, { settings = {}, access }: ServerSettings) {
    this.#home = home;
    this.port = port;
    this.#settings = settings;
    this.#access = access;
  }

  static async create(home: ServerHome, settings: ServerSettings = {}): Promise<OwnServer> {
    return new OwnServer(home, await freePort(), settings);
  }

  get data(): string {
    return join(this.#home.folder, `server-${this.port}`);
  }

  /** Address without a host's name: `127.0.0.1:port`. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return addressOf([this]);
  }

  async #as(program: string, args: readonly string[]): Promise<void> {
    await run(program, args, {
      ...this.#home.user,
      cwd: this.#home.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.data, name);
    await writeFile(path, text);
    const { user } = this.#home;
    if (user !== null) await chown(path, user.uid, user.gid);
  }

  /** Makes and starts an empty cluster. */
  async initialise(): Promise<void> {
    const file = join(this.#home.folder, `password-${this.port}`);
    await writeFile(file, PASSWORD);
    const { user } = this.#home;
    if (user !== null) await chown(file, user.uid, user.gid);
    await this.#as(this.#home.programs.initdb, [
      ...[`--pgdata=${this.data}`, `--username=${USER}`, `--pwfile=${file}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-sync'],
    ]);
    if (this.#access !== undefined) await this.#write('pg_hba.conf', this.#access);
    await this.start();
  }

  /** Makes and starts a standby of another server, which may be at work. Resolves when it streams. */
  async follow(primary: OwnServer): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      // Files come and go meanwhile: the log that is replayed has what was missed.
      await this.#as('cp', ['-a', primary.data, this.data]).catch(() => undefined);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      await this.#write('backup_label', rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(this.data, name), { force: true });
    await this.#write('standby.signal', '');
    const { port } = primary;
    const from = `host=127.0.0.1 port=${port} user=${USER} password='${PASSWORD}' application_name=standby`;
    await appendFile(join(this.data, 'postgresql.auto.conf'), `primary_conninfo = '${from.replaceAll("'", "''")}'\n`);
    await this.start();
    await until(async () => {
      const rows = await primary.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'");
      return rows.length > 0;
    });
  }

  async start(): Promise<void> {
    const settings = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: '60',
      wal_keep_size: '512MB',
      log_min_messages: 'fatal',
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(this.#home.programs.postgres, ['-D', this.data, ...flags], {
      ...this.#home.user,
      cwd: this.#home.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      detached: true,
      stdio: ['ignore', 'ignore', process.env.SVC_TEST_POSTGRES_LOG === '1' ? 'inherit' : 'ignore'],
    });
    this.#exited = once(child, 'exit');
    this.#child = child;
    await until(() => this.query('SELECT 1').then(() => true));
  }

  /** Runs statements as the owner. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Changes settings that a reload is enough for. */
  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.query('SELECT pg_reload_conf()');
  }

  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()');
  }

  /** All its processes at once, like a machine that loses its power. */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL');
    await this.#exited;
    this.#child = null;
  }

  /** Its connections stay open, and nothing moves on them any more, like a network that drops packets. */
  freeze(): Promise<void> {
    return this.#signal('SIGSTOP');
  }

  thaw(): Promise<void> {
    return this.#signal('SIGCONT');
  }

  /** Its standbys get nothing from now on. */
  async stopSending(): Promise<void> {
    for (const { pid } of await this.query<{ pid: number }>('SELECT pid FROM pg_stat_replication')) {
      process.kill(pid, 'SIGSTOP');
    }
  }

  /** Ends sessions and stops; killed if that takes long, as it does while its standby is silent. */
  async stop(): Promise<void> {
    if (this.#child === null) return;
    await this.thaw();
    this.#child.kill('SIGINT');
    const late = setTimeout(() => void this.#signal('SIGKILL'), STOP_MS);
    await this.#exited;
    clearTimeout(late);
    this.#child = null;
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    const send = (to: number, what: NodeJS.Signals) => {
      try {
        if (to > 1) process.kill(to, what);
      } catch {
        // It ended on its own.
      }
    };
    // First, so that it makes no more children.
    send(pid, 'SIGSTOP');
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    for (const each of [...children.split(' ').map(Number), pid]) send(each, signal);
  }
}

/** The address that names several servers. */
export function addressOf(servers: readonly { readonly host: string }[]): string {
  return `postgresql://${USER}:${encodeURIComponent(PASSWORD)}@${servers.map(({ host }) => host).join(',')}/postgres`;
}

/** Waits until something is so, whatever fails before. @throws Error after half a minute */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    if (await isSo().catch(() => false)) return;
    if (performance.now() > deadline) throw new Error('waited for half a minute');
    await sleep(20);
  }
}
