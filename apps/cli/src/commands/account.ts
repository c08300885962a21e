import type { Admin } from '@svc/api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, printable, printJson, remark, table } from '../output.ts';
import { country, type JsonOption, name, requireYes } from './options.ts';

interface CreateOptions extends JsonOption {
  readonly name: string;
  readonly country?: string;
  readonly currency: string;
  readonly plan: 'pilot' | 'unlimited' | 'none';
}

function currency(text: string): string {
  const code = text.toUpperCase();
  if (!Intl.supportedValuesOf('currency').includes(code)) {
    throw new InvalidArgumentError('It must be a currency code of ISO 4217.');
  }
  return code;
}

function registerCreate(account: Command): void {
  account
    .command('create')
    .description('Creates an account and prints its ID.')
    .requiredOption('--name <name>', 'name of the organiser', name)
    .option('--country <code>', 'country of the organiser, ISO 3166-1 alpha-2', country)
    .option('--currency <code>', 'billing currency, ISO 4217', currency, 'EUR')
    .addOption(
      new Option('--plan <plan>', 'without one nobody can be enrolled; for a contract see plan set')
        .choices(['pilot', 'unlimited', 'none'])
        .default('pilot'),
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
}

function registerReading(account: Command): void {
  account
    .command('list')
    .description('Lists the accounts.')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
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
  account
    .command('show')
    .description('Shows an account and what is on its bill.')
    .argument('<accountId>', 'ID that account list shows')
    .option('--json', 'print JSON')
    .action(async (accountId: string, options: JsonOption) => {
      const shown = await withAdmin(async (admin) => ({
        ...(await admin.accounts.show(accountId)),
        usage: await admin.plans.show(accountId),
      }));
      if (options.json) return printJson(shown);
      const { usage } = shown;
      print(`account    ${shown.accountId}`);
      print(`name       ${printable(shown.name)}`);
      print(`country    ${shown.country ?? '–'}`);
      print(`currency   ${shown.billingCurrency}`);
      print(`plan       ${shown.plan ?? 'none'}`);
      print(`people     ${usage.peopleBilled} of ${usage.peopleLimit ?? 'any number'}, period ${usage.period}`);
      print(`suspended  ${shown.suspendedAt?.toISOString() ?? 'no'}`);
    });
}

/** An act on a whole account. */
function registerAct(parent: Command, command: 'suspend' | 'resume', description: string, done: string): void {
  parent
    .command(command)
    .description(description)
    .argument('<accountId>', 'ID that account list shows')
    .option('--json', 'print JSON')
    .action(async (accountId: string, options: JsonOption) => {
      const shown = await withAdmin(async (admin: Admin) => {
        await admin.accounts[command](accountId);
        return admin.accounts.show(accountId);
      });
      if (options.json) printJson(shown);
      remark(`account ${accountId}: ${done}`);
    });
}

export function registerAccount(program: Command): void {
  const account = program.command('account').description('Accounts of a deployment.');
  registerCreate(account);
  registerReading(account);
  registerAct(account, 'suspend', 'Refuses its keys and tokens, and has its devices wipe.', 'suspended');
  registerAct(account, 'resume', 'Takes a suspension back; devices sync again.', 'resumed');
  account
    .command('delete')
    .description('Destroys the keys of an account, then its lists, its ledger and everything else of it.')
    .argument('<accountId>', 'ID that account list shows')
    .option('--yes', 'needed: nothing brings the account back')
    .option('--json', 'print JSON')
    .action(async (accountId: string, options: JsonOption & { yes?: true }) => {
      requireYes(options, `deletes account ${accountId} and everybody on its lists`);
      await withAdmin((admin) => admin.accounts.delete(accountId));
      if (options.json) printJson({ accountId, deleted: true });
      remark(`account ${accountId}: deleted; its audit log stays`);
    });
}
