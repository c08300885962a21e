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

/** A separate program of these tests, with these actions. */
export interface Program<A extends Actions> {
  readonly pid: number;
  ask<N extends keyof A>(name: N, ...args: Parameters<A[N]>): Promise<Awaited<ReturnType<A[N]>>>;
  stop(): Promise<void>;
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

/** @param source a TypeScript file that calls {@link answerParent} @param env added to this process's own */
export function startProgram<A extends Actions>(
  source: URL,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Program<A> {
  const child = fork(fileURLToPath(source), args, {
    execArgv: ['--conditions=svc-source', '--import', 'tsx', '--expose-gc'],
    env: { ...process.env, ...env },
  });
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
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
