import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The unprivileged user that runs everything, where this process is root; otherwise it is this process's own. */
interface OtherUser {
  readonly uid: number;
  readonly gid: number;
}

async function findOtherUser(): Promise<OtherUser | null> {
  if (process.getuid?.() !== 0) return null;
  const id = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** The service of a release, running. */
interface RunningRelease {
  readonly url: string;
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
}

/** An unpacked release that its user cannot write to, with a data folder of that user. */
export class UnpackedRelease {
  /** Of everything below. */
  readonly #folder: string;
  readonly #user: OtherUser | null;
  readonly #environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly dataDirectory: string;

  private constructor(folder: string, user: OtherUser | null) {
    this.#folder = folder;
    this.#user = user;
    this.folder = join(folder, 'release');
    this.dataDirectory = join(folder, 'data');
    // Nothing of ours: what it needs is here.
    this.#environment = {
      ...{ PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: join(folder, 'home'), MALLOC_PERTURB_: '165', PORT: '0' },
      ...{ SVC_DATA_DIR: this.dataDirectory, SVC_INFERENCE_WORKERS: '1', UV_USE_IO_URING: '0' },
    };
  }

  /** @param source a packed release, or the folder of one */
  static async unpack(source: string): Promise<UnpackedRelease> {
    const parent = await mkdtemp('/tmp/svc-try-');
    await chmod(parent, 0o755);
    const user = await findOtherUser();
    const release = new UnpackedRelease(parent, user);
    await mkdir(release.folder);
    if (source.endsWith('.tar.zst')) {
      const unpack = ['--use-compress-program=zstd', '--no-same-owner', '--strip-components=1', '-xf', source];
      await run('tar', [...unpack, '-C', release.folder]);
    } else await run('cp', ['-a', `${source}/.`, release.folder]);
    await run('chmod', ['-R', 'a+rX,a-w', release.folder]);
    await mkdir(release.dataDirectory, { mode: 0o700 });
    if (user !== null) await chown(release.dataDirectory, user.uid, user.gid);
    await mkdir(join(parent, 'empty'), { mode: 0o555 });
    return release;
  }

  /** Name, kind, size and time of change of everything in the release. */
  async state(): Promise<readonly string[]> {
    const names = (await readdir(this.folder, { recursive: true })).sort();
    const told = async (name: string) => {
      const { mode, size, mtimeMs, ctimeMs } = await lstat(join(this.folder, name));
      return [name, mode, size, mtimeMs, ctimeMs].join(' ');
    };
    return Promise.all(['.', ...names].map(told));
  }

  #spawn(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn(program, args, {
      // A file of a relative name cannot be made there.
      cwd: join(this.#folder, 'empty'),
      env: { ...this.#environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(this.#user ?? {}),
    });
  }

  /** Runs `svc`. @returns its output @throws Error when it fails */
  async svc(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const child = this.#spawn(process.execPath, [join(this.folder, 'bin/svc'), ...args], environment);
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err()}`);
    return out().trim();
  }

  /** Starts the service and waits until it is ready. @throws Error when it ends instead */
  async start(): Promise<RunningRelease> {
    const child = this.#spawn(process.execPath, [join(this.folder, 'bin/svc-api')]);
    const ended = once(child, 'close');
    const errors = collect(child.stderr);
    const url = await Promise.race([addressOf(child), ended.then(() => null)]);
    if (url === null) throw new Error(`the service ended: ${errors()}`);
    while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(20);
    return {
      url,
      async stop() {
        child.kill('SIGTERM');
        return (await ended)[0] as number | null;
      },
    };
  }

  /** Processes that still run and name it. */
  async leftRunning(): Promise<readonly number[]> {
    const left: number[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.includes(this.#folder)) left.push(Number(pid));
    }
    return left;
  }

  /** Ends what a failed trial left running. */
  async remove(): Promise<void> {
    for (const pid of await this.leftRunning()) process.kill(pid, 'SIGKILL');
    await run('chmod', ['-R', 'u+w', this.folder]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** The address in the log; its later lines are read too, so that the pipe never fills. */
function addressOf({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (stdout === null) return;
    createInterface({ input: stdout }).on('line', (line) => {
      const { url } = JSON.parse(line) as { url?: string };
      if (url !== undefined) resolve(url);
    });
  });
}
