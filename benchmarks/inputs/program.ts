import { fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What a program does when it is asked, by name; arguments and results are JSON. */
type Actions = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** A separate program, with these actions. */
export interface Program<A extends Actions> {
  readonly pid: number;
  ask<N extends keyof A>(name: N, ...args: Parameters<A[N]>): Promise<Awaited<ReturnType<A[N]>>>;
  /** Ends it, which it does by itself when its parent has gone. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

/** Called by the program itself: answers its parent, and ends with it. */
export function answerParent(actions: Actions): void {
  process.on('message', ({ id, name, args }: { id: number; name: string; args: never[] }) => {
    const reply = (what: Omit<Reply, 'id'>) => process.send?.({ id, ...what });
    Promise.resolve()
      .then(() => actions[name]?.(...args))
      .then(
        (result) => reply({ result }),
        (error: unknown) => reply({ error: String((error as Error)?.stack ?? error) }),
      );
  });
  process.on('disconnect', () => process.exit(0));
}

/**
 * @param source a file that calls {@link answerParent}: TypeScript, or a bundle
 * @param o.env instead of this process's own @param o.isQuiet its standard output is not this process's
 */
export function startProgram<A extends Actions>(
  source: URL,
  o: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv; readonly isQuiet?: boolean } = {},
): Program<A> {
  const fromSource = ['--conditions=svc-source', '--import', 'tsx', '--expose-gc'];
  const child = fork(fileURLToPath(source), o.args ?? [], {
    execArgv: source.pathname.endsWith('.ts') ? fromSource : [],
    env: o.env ?? process.env,
    stdio: ['ignore', o.isQuiet === true ? 'ignore' : 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const waiting = new Map<number, (reply: Reply) => void>();
  let asked = 0;
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply));
  child.on('exit', (code) => {
    for (const [id, settle] of waiting) settle({ id, error: `the program ended with ${code}` });
  });
  return {
    pid: child.pid ?? 0,
    async ask(name, ...given) {
      asked += 1;
      const id = asked;
      const { result, error } = await new Promise<Reply>((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, name, args: given });
      });
      waiting.delete(id);
      if (error !== undefined) throw new Error(error);
      return result as never;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
