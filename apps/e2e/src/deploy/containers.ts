import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

const PATIENCE_MS = 180_000;
const NODES = ['api-a', 'api-b'] as const;
export type NodeName = (typeof NODES)[number];

/** What this machine has otherwise than one that serves: few open files, one engine for all, and an authority of its own. */
const override = (folder: string) => {
  const here = { ulimits: { nofile: 4_096, nproc: 4_096 }, logging: { driver: 'k8s-file' } };
  const names = ['setup', 'migrate', 'pgbouncer', 'postgres', 'backup'];
  const environment = { SVC_INFERENCE_WORKERS: '1', SVC_RATE_LIMIT_API_KEY: '0', SVC_RATE_LIMIT_DEVICE: '0' };
  return stringify({
    services: {
      ...Object.fromEntries(names.map((name) => [name, here])),
      ...Object.fromEntries(NODES.map((name) => [name, { ...here, environment }])),
      proxy: { ...here, environment: { SVC_PROXY_CONNECTIONS: '1000' } },
      acme: {
        ...here,
        environment: { LEGO_CA_CERTIFICATES: '/pebble.pem' },
        volumes: [`${folder}/pebble.pem:/pebble.pem:ro`],
      },
    },
    networks: { outside: { ipam: { config: [{ subnet: '10.98.0.0/24', gateway: '10.98.0.1' }] } } },
  });
};

/** The containers of deploy/compose/compose.yaml, started in an empty folder. */
export class Containers {
  readonly #project: string;

  /** @param folder with pebble.pem */
  constructor(folder: string) {
    this.#project = join(folder, 'project');
    mkdirSync(this.#project);
    writeFileSync(join(this.#project, 'compose.override.yaml'), override(folder));
  }

  /** The one file that is downloaded. */
  copyFile(): void {
    const file = fileURLToPath(new URL('../../../../deploy/compose/compose.yaml', import.meta.url));
    cpSync(file, join(this.#project, 'compose.yaml'));
  }

  writeSettings(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(this.#project, '.env'), lines.join(''));
  }

  #run(program: string, args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { cwd: this.#project, maxBuffer: 1 << 28, timeout: PATIENCE_MS };
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' };
      const child = execFile(program, args, { ...options, env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(`${program} ${args.slice(0, 4).join(' ')}: ${stdout}${stderr}`));
      });
      child.stdin?.end();
    });
  }

  /** `docker compose …`. @throws Error when it fails */
  compose(...args: readonly string[]): Promise<string> {
    return this.#run(process.env.SVC_TEST_COMPOSE ?? 'docker-compose', args);
  }

  podman(...args: readonly string[]): Promise<string> {
    return this.#run('podman', args);
  }

  /** A program in a container that runs. */
  in(name: string, ...command: readonly string[]): Promise<string> {
    return this.compose('exec', '-T', name, ...command);
  }

  svc(...args: readonly string[]): Promise<string> {
    return this.in('api-a', 'svc', ...args);
  }

  /** A statement of the superuser. */
  psql(statement: string): Promise<string> {
    return this.in('postgres', 'psql', '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-Atqc', statement);
  }

  /** Replaces a file of a volume, as its owner. */
  async write(name: string, path: string, text: string): Promise<void> {
    const volume = await this.podman('volume', 'inspect', '--format', '{{.Mountpoint}}', `svc_${name}`);
    writeFileSync(join(volume, path), text);
  }

  async isReady(name: NodeName): Promise<boolean> {
    const found = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
    const [address = ''] = (await this.podman('inspect', '--format', found, `svc-${name}-1`)).split(' ');
    return (await fetch(`http://${address}:3000/readyz`)).ok;
  }

  /** Starts a node that was stopped. @returns ms until it was ready, by its own clock */
  async restart(name: NodeName): Promise<number> {
    await this.compose('stop', name);
    await this.compose('start', name);
    await this.until(name, () => this.isReady(name));
    const lines = (await this.podman('logs', `svc-${name}-1`)).split('\n');
    const starts = lines.flatMap((line) => Number(/"startMs":(\d+)/.exec(line)?.[1] ?? '') || []);
    return starts.at(-1) ?? Number.NaN;
  }

  /** @throws Error with the container's log when it does not become so */
  async until(name: string, isSo: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(200))
      if (await isSo().catch(() => false)) return;
    throw new Error(`${name} does not serve: ${(await this.compose('logs', '--tail=40', name)).slice(-4_000)}`);
  }
}
