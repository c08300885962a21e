import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The names of the compose file's services, as a container's resolver would know them. */
export const addresses = {
  'api-a': '127.0.0.2',
  'api-b': '127.0.0.3',
  pgbouncer: '127.0.0.4',
  postgres: '127.0.0.5',
} as const;

const DEPLOY = '/mnt/deploy';

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
}

/** The proxy's certificate is for `localhost`, where the API is. */
const hostOf = (_: string, name: string): string => (name === 'API' ? 'localhost' : `${name.toLowerCase()}.localhost`);

/** A service of the compose file. */
function composed(name: string): ComposeService {
  const text = readFileSync(`${DEPLOY}/compose/compose.yaml`, 'utf8');
  const { services } = parse(text.replaceAll(/\$\{SVC_([A-Z]+)_HOST(:\?[^}]*)?\}/g, hostOf), { merge: true }) as {
    services: Readonly<Record<string, ComposeService>>;
  };
  const service = services[name];
  if (service === undefined) throw new Error(`compose.yaml has no ${name}`);
  return service;
}

/** What deploy/Containerfile sets. */
function imageEnvironment(): Readonly<Record<string, string>> {
  const line = /^ENV (.*)$/m.exec(readFileSync(`${DEPLOY}/Containerfile`, 'utf8'))?.[1] ?? '';
  const pairs = line.split(' ').map((pair) => pair.split(/=(.*)/s, 2) as [string, string]);
  return Object.fromEntries(pairs.filter(([name]) => name !== 'PATH'));
}

/** A program of the deployment: its user has no rights, as in its container. */
export class Part {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  /** What it wrote to its standard output, and to that of errors. */
  output = '';
  errors = '';

  constructor(uid: number, command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const own = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--clear-groups'];
    this.#child = spawn('setpriv', [`--reuid=${uid}`, `--regid=${uid}`, ...own, ...command], {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.#ended = once(this.#child, 'close');
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @returns the exit code */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.signal(signal);
    return (await this.#ended)[0] as number | null;
  }
}

/** The users of the images. */
const SERVICE = 1000;
const POSTGRES = 999;

/** Runs a program to its end. @returns its output @throws Error when it fails */
async function run(uid: number, command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const part = new Part(uid, command, environment);
  const code = await part.end();
  if (code !== 0) throw new Error(`${command.slice(0, 2).join(' ')} ended with ${code}: ${part.errors}`);
  return part.output.trim();
}

const CLUSTER = '/var/lib/postgresql/data';

/** A statement of the superuser. */
export const psql = (...args: readonly string[]): Promise<string> =>
  run(POSTGRES, ['psql', '--host=/run/postgresql', '--username=postgres', '-v', 'ON_ERROR_STOP=1', '-Atq', ...args], {
    ...composed('postgres').environment,
    PGPASSWORD: readFileSync('/run/secrets/superuser-password', 'utf8').trim(),
  });

/** @param programs folder of PostgreSQL's programs */
export async function startPostgres(programs: string): Promise<Part> {
  const { command = [], environment } = composed('postgres');
  const initial = [
    `--pgdata=${CLUSTER}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${environment.POSTGRES_PASSWORD_FILE}`,
  ];
  await run(POSTGRES, [`${programs}/initdb`, ...initial, ...(environment.POSTGRES_INITDB_ARGS ?? '').split(' ')]);
  const settings = command.slice(1).map((each) => each.replace('/etc/postgresql/', `${DEPLOY}/postgresql/`));
  const sockets = '-cunix_socket_directories=/run/postgresql';
  return new Part(POSTGRES, [`${programs}/postgres`, '-D', CLUSTER, sockets, ...settings]);
}

export const startPgBouncer = (): Part => new Part(SERVICE, ['pgbouncer', `${DEPLOY}/pgbouncer/pgbouncer.ini`]);

export const startProxy = (): Part =>
  new Part(SERVICE, ['haproxy', '-db', '-f', `${DEPLOY}/haproxy/haproxy.cfg`], {
    // For the usual limit of open files.
    SVC_PROXY_CONNECTIONS: '2000',
    // By number: this network has no DNS.
    SVC_NODE_A: `${addresses['api-a']}:3000`,
    SVC_NODE_B: `${addresses['api-b']}:3000`,
  });

const nodeEnvironment = (name: 'api-a' | 'api-b'): Record<string, string> => ({
  ...imageEnvironment(),
  ...composed(name).environment,
  // Each container has an address of its own.
  HOST: addresses[name],
  SVC_METRICS_HOST: addresses[name],
  SVC_INFERENCE_WORKERS: '1',
  SVC_RATE_LIMIT_API_KEY: '0',
  SVC_RATE_LIMIT_DEVICE: '0',
});

export const startNode = (name: 'api-a' | 'api-b'): Part =>
  new Part(SERVICE, [process.execPath, '/opt/svc/bin/svc-api'], nodeEnvironment(name));

/** The compose file's service of that name, to its end. */
export const migrate = (): Promise<string> =>
  run(SERVICE, [process.execPath, ...(composed('migrate').command ?? [])], {
    ...imageEnvironment(),
    ...composed('migrate').environment,
  });

/** The command line, in the container of a node. */
export const svc = (args: readonly string[]): Promise<string> =>
  run(SERVICE, [process.execPath, '/opt/svc/bin/svc', ...args], nodeEnvironment('api-a'));

/** What a statement answers to the service's role, through PgBouncer. */
export const asService = (statement: string): Promise<string> =>
  run(SERVICE, ['psql', nodeEnvironment('api-a').DATABASE_URL ?? '', '-Atc', statement], {
    PGPASSWORD: readFileSync('/run/secrets/serving-password', 'utf8').trim(),
  });
