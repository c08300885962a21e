import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Answer, CommandName, DeviceCommands, ExpectedSecretsTask } from './messages.ts';
import type { Sighting } from './needles.ts';

const FROM_SOURCE = ['--conditions=svc-source', '--import', 'tsx'];
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const runFile = promisify(execFile);

/** Runs one of this folder's programs to its end. @returns what it printed */
async function runProgram(name: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await runFile(process.execPath, [...FROM_SOURCE, script(name), ...args], { maxBuffer: 2 ** 24 });
  return stdout;
}

export const writeExpectedSecrets = (task: ExpectedSecretsTask): Promise<string> =>
  runProgram('expected-secrets.ts', JSON.stringify(task));

export interface Scan {
  /** Number of bytes that were searched. */
  readonly bytes: number;
  readonly found: readonly Sighting[];
}

/** A separate program searches the process for the needles in a file. */
export async function scan(
  needles: string,
  where: { readonly pid: number } | { readonly file: string },
): Promise<Scan> {
  const place = 'pid' in where ? ['pid', String(where.pid)] : ['file', where.file];
  return JSON.parse(await runProgram('scan.ts', needles, ...place)) as Scan;
}

/** A check-in device in a separate process. */
export class DeviceProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  #next = 0;
  #onPaused: () => void = () => undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', ({ id, answer, error }: Answer) => {
      if (id === -1) return this.#onPaused();
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(error));
    });
    child.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the device’s process ended with ${code}`));
    });
  }

  static start(): DeviceProcess {
    return new DeviceProcess(fork(script('device-process.ts'), [], { execArgv: [...FROM_SOURCE, '--expose-gc'] }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  tell<N extends CommandName>(name: N, ask: DeviceCommands[N]['ask']): Promise<DeviceCommands[N]['answer']> {
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.#child.send({ id, name, ask });
    });
  }

  /** Resolves when the attempt is paused. */
  paused(): Promise<void> {
    return new Promise((resolve) => {
      this.#onPaused = resolve;
    });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
