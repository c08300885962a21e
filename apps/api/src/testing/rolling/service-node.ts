import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const KEPT_OUTPUT = 20_000;
const READY_POLL_MS = 100;
const READY_TRIES = 1_200;

/** Below those that systems give to connections and to listeners that ask for any port. */
const PORTS = { least: 12_000, most: 32_000 };

/** A port of 127.0.0.1 for a server that starts later, and again: no other program gets it meanwhile by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.least, PORTS.most);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** The service as a process that keeps its address across restarts. */
export class ServiceNode {
  readonly url: string;
  #program: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #exited: Promise<number | null> = Promise.resolve(null);
  #output = '';

  private constructor(program: string, port: number, environment: Readonly<Record<string, string>>) {
    this.#program = program;
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = { ...environment, PORT: String(port) };
  }

  /** @param program entry of the process @param environment its settings, except the port */
  static async create(program: string, environment: Readonly<Record<string, string>>): Promise<ServiceNode> {
    return new ServiceNode(program, await freePort(), environment);
  }

  /** The end of its output. */
  get output(): string {
    return this.#output;
  }

  /** @param program another release of it; default: the one that ran last */
  start(program = this.#program): void {
    this.#program = program;
    const child = spawn(process.execPath, [this.#program], {
      cwd: WORKSPACE,
      env: { PATH: process.env.PATH, ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString('utf8')).slice(-KEPT_OUTPUT);
      });
    }
    // Not `exit`, which comes before the last of its output.
    this.#exited = once(child, 'close').then(([code]) => code as number | null);
    this.#child = child;
  }

  /** @throws Error with its output when it ended, or was not ready after two minutes */
  async becomesReady(): Promise<void> {
    for (let tries = 0; tries < READY_TRIES && this.#child?.exitCode === null; tries += 1) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.status === 200) return;
      await pause(READY_POLL_MS);
    }
    throw new Error(`it did not become ready: ${this.#output}`);
  }

  /** Its exit status, once it has ended. */
  exit(): Promise<number | null> {
    return this.#exited;
  }

  /** Stops it like a supervisor, or as from a terminal. @returns its exit status */
  stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<number | null> {
    this.#child?.kill(signal);
    return this.#exited;
  }

  async kill(): Promise<void> {
    if (this.#child === null) return;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
