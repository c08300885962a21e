import { isCountry } from '@svc/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark, table } from '../output.ts';
import { name } from './options.ts';

interface CreateOptions {
  readonly name: string;
  readonly country?: string;
  readonly currency: string;
  readonly plan: 'pilot' | 'none';
  readonly json?: true;
}

function country(text: string): string {
  const code = text.toUpperCase();
  if (!isCountry(code)) throw new InvalidArgumentError('It must be a country code of ISO 3166-1 alpha-2.');
  return code;
}

function currency(text: string): string {
  const code = text.toUpperCase();
  if (!Intl.supportedValuesOf('currency').includes(code)) {
    throw new InvalidArgumentError('It must be a currency code of ISO 4217.');
  }
  return code;
}

export function registerAccount(program: Command): void {
  const account = program.command('account').description('Accounts of a deployment.');
  account
    .command('create')
    .description('Creates an account and prints its ID.')
    .requiredOption('--name <name>', 'name of the organiser', name)
    .option('--country <code>', 'country of the organiser, ISO 3166-1 alpha-2', country)
    .option('--currency <code>', 'billing currency, ISO 4217', currency, 'EUR')
    .addOption(
      new Option('--plan <plan>', 'without one nobody can be enrolled').choices(['pilot', 'none']).default('pilot'),
    )
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions) => {
      const created = await withAdmin((admin) =>
        admin.accounts.create({
          name: options.name,
          country: options.country,
          billingCurrency: options.currency,
          plan: options.plan === 'none' ? undefined : options.plan,
        }),
      );
      if (options.json) printJson(created);
      else print(created.accountId);
      remark(`account ${created.accountId}: plan ${created.plan ?? 'none'}, billed in ${created.billingCurrency}`);
    });
  account
    .command('list')
    .description('Lists the accounts.')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const accounts = await withAdmin((admin) => admin.accounts.list());
      if (options.json) return printJson(accounts);
      const rows = accounts.map((each) => [
        each.accountId,
        each.plan ?? 'none',
        each.country ?? '–',
        each.billingCurrency,
        each.suspendedAt ? 'suspended' : '',
        each.name,
      ]);
      print(table([['account', 'plan', 'country', 'currency', '', 'name'], ...rows]));
    });
}
