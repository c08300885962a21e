import { Command, CommanderError } from 'commander';
import { CliError, exitCodes } from './cli-error.ts';
import { registerAccount } from './commands/account.ts';
import { registerAudit } from './commands/audit.ts';
import { registerCompare } from './commands/compare.ts';
import { registerComposeSetup } from './commands/compose-setup.ts';
import { registerConsents } from './commands/consents.ts';
import { registerDevice } from './commands/device.ts';
import { registerDoctor, registerMigrate } from './commands/doctor.ts';
import { registerEvent } from './commands/event.ts';
import { registerInspect } from './commands/inspect.ts';
import { registerKey } from './commands/key.ts';
import { registerKeys } from './commands/keys.ts';
import { registerList } from './commands/list.ts';
import { registerModels } from './commands/models.ts';
import { registerPlan } from './commands/plan.ts';
import { registerQuickstart } from './commands/quickstart.ts';
import { registerRegion, registerSigningKey } from './commands/signing-key.ts';
import { registerTestPhotos } from './commands/test-photos.ts';
import { registerToken } from './commands/token.ts';
import { registerUser } from './commands/user.ts';
import { registerWebhook } from './commands/webhook.ts';
import { remark } from './output.ts';

/** Adds a command to the program. */
export type Register = (program: Command) => void;

/** Message for a failure that one of our libraries reports by code; contains nothing of the input. */
function codedMessage(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return `${error.message} (${error.code})`;
}

/** Runs the command line. @returns the exit code; a command sets `process.exitCode` for a negative answer */
export async function runProgram(program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    // commander has already printed a line; help and version exit with 0.
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

/** The commands on a deployment, and those that look into a photo which it refuses: all that a release contains. */
export const operatorCommands: readonly Register[] = [
  registerQuickstart,
  registerAccount,
  registerPlan,
  registerKey,
  registerKeys,
  registerUser,
  registerEvent,
  registerList,
  registerDevice,
  registerToken,
  registerWebhook,
  registerTestPhotos,
  registerAudit,
  registerDoctor,
  registerMigrate,
  registerComposeSetup,
  registerRegion,
  registerSigningKey,
  registerConsents,
  registerModels,
  registerCompare,
  registerInspect,
];

/** A command line of these commands. Usage errors are reported in one line and never exit the process directly. */
export function commandLine(description: string, version: string, commands: readonly Register[]): Command {
  const svc = new Command('svc')
    .description(description)
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false });
  for (const register of commands) register(svc);
  return svc;
}
