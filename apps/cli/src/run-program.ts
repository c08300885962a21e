import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { CliError, exitCodes } from './cli-error.ts';
import { remark } from './output.ts';

/** Message of a failure that a library of ours reports by code; nothing of the input is in it. */
function codedMessage(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return `${error.message} (${error.code})`;
}

/** Runs the command line to its end. @returns the exit code; a command sets `process.exitCode` for a negative answer */
export async function runProgram(program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    // commander has printed its own line; help and version end in 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (error instanceof CliError) {
      remark(`svc: ${error.message}`);
      return error.exitCode;
    }
    const message = codedMessage(error);
    if (message !== null) {
      remark(`svc: ${message}`);
      return exitCodes.environment;
    }
    remark(`svc: internal error\n${error instanceof Error ? error.stack : String(error)}`);
    return exitCodes.internal;
  }
}
