import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Messages to a killable node. */
export type ToNode =
  | { readonly kind: 'start'; readonly environment: Readonly<Record<string, string>> }
  | { readonly kind: 'clock'; readonly offsetMs: number };

/** Messages from it. */
export type FromNode =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string };

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const KEPT_OUTPUT = 20_000;

/** A logged error in one line: its kind and the top of its stack. */
function summaryOf(line: string): string | null {
  try {
    const { msg, error } = JSON.parse(line) as {
      msg: string;
      error?: { type: string; code?: string; frames?: string[] };
    };
    if (error === undefined) return null;
    const frames = (error.frames ?? []).slice(0, 4).map((frame) => frame.replace(/^at |\(.*(?=\/[^/]*\/[^/]*$)/g, ''));
    return `${msg}: ${error.type} ${error.code ?? ''} ${frames.join(' < ')}`;
  } catch {
    return null;
  }
}

/** One process of the API. */
class ApiNode {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #loaded: Promise<void>;
  readonly errors = new Set<string>();
  #output = '';
  #failure: string | null = null;
  url: string | null = null;

  constructor(program: string) {
    this.#child = spawn(process.execPath, [program], {
      cwd: WORKSPACE,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#exited = once(this.#child, 'exit');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        const text = chunk.toString('utf8');
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
        for (const line of text.split('\n')) this.errors.add(summaryOf(line) ?? '');
      });
    }
    this.#loaded = new Promise((resolve, reject) => {
      this.#child.once('exit', () => reject(new Error(`a node ended: ${this.#failure ?? this.#output}`)));
      this.#child.on('message', (message: FromNode) => {
        if (message.kind === 'loaded') resolve();
        else if (message.kind === 'listening') this.url = message.url;
        else this.#failure = message.reason;
      });
    });
    this.#loaded.catch(() => undefined);
  }

  /** The end of its output. */
  get output(): string {
    return this.#output;
  }

  get failure(): string | null {
    return this.#failure;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  loaded(): Promise<void> {
    return this.#loaded;
  }

  send(message: ToNode): void {
    if (this.isRunning && this.#child.connected) this.#child.send(message, () => undefined);
  }

  async kill(): Promise<void> {
    this.url = null;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

/** The nodes of a deployment, killed and restarted, with a preloaded spare one. */
export class ApiNodes {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #nodes: ApiNode[] = [];
  readonly #program: string;
  #spare: ApiNode;
  #offsetMs = 0;

  /** @param program entry of a node @param environment settings of each node */
  constructor(program: string, environment: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#environment = environment;
    this.#spare = new ApiNode(program);
  }

  /** The nodes' clock. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Advances the clock of all present and future nodes. */
  advance(ms: number): void {
    this.#offsetMs += ms;
    for (const node of this.#nodes) node.send({ kind: 'clock', offsetMs: this.#offsetMs });
  }

  /** URLs of the running nodes. */
  urls(): string[] {
    return this.#nodes.flatMap(({ url }) => (url === null ? [] : [url]));
  }

  /** Starts a node; resolves when its start has begun. */
  async begin(): Promise<void> {
    const node = this.#spare;
    this.#spare = new ApiNode(this.#program);
    await node.loaded();
    this.#nodes.push(node);
    node.send({ kind: 'clock', offsetMs: this.#offsetMs });
    node.send({ kind: 'start', environment: this.#environment });
  }

  /** Kills the oldest node. */
  async kill(): Promise<void> {
    await this.#nodes.shift()?.kill();
  }

  /**
   * Waits until all nodes listen, restarting those that failed to.
   * @throws Error when one does not start within a minute
   */
  async up(): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (this.#nodes.some(({ url }) => url === null)) {
      const failed = this.#nodes.findIndex((node) => !node.isRunning);
      const [gone] = failed < 0 ? [] : this.#nodes.splice(failed, 1);
      if (performance.now() > deadline) throw new Error(`no node came up: ${gone?.failure ?? gone?.output ?? ''}`);
      if (gone !== undefined) await this.begin();
      await sleep(10);
    }
  }

  /** Kinds of errors logged since the last call. */
  errors(): string[] {
    const all = this.#nodes.flatMap((node) => [...node.errors]);
    for (const node of this.#nodes) node.errors.clear();
    return [...new Set(all)].filter((summary) => summary !== '');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#nodes.splice(0), this.#spare].map((node) => node.kill()));
  }
}
