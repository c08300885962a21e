import { CliError } from './cli-error.ts';

/**
 * For what nothing brings back.
 * @param effect what the command does, as the end of a sentence
 * @throws CliError without `--yes`
 */
export function requireYes(options: { readonly yes?: true }, effect: string): void {
  if (!options.yes) throw new CliError(`this ${effect}, and nothing brings it back: repeat it with --yes`);
}
