import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { runProgram } from '../command-line.ts';
import { program } from '../program.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface SvcRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a separate process, as a shell would. */
export function runSvc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<SvcRun> {
  const child = spawn(process.execPath, ['--conditions=svc-source', '--import', 'tsx', main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs it in this process, which has the sources loaded: seconds faster. Uses this process's environment. */
export async function runSvcHere(args: readonly string[]): Promise<SvcRun> {
  const { exitCode } = process;
  const capture = (stream: NodeJS.WriteStream) => vi.spyOn(stream, 'write').mockImplementation(() => true);
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  const text = ({ mock }: typeof stdout) => mock.calls.map(([chunk]) => String(chunk)).join('');
  try {
    process.exitCode = undefined;
    const code = await runProgram(program(), args);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } finally {
    process.exitCode = exitCode;
    stdout.mockRestore();
    stderr.mockRestore();
  }
}
