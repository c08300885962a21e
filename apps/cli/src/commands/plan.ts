import type { Admin, NewPlan } from '@svc/api';
import { planNames } from '@svc/protocol';
import { Argument, type Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark } from '../output.ts';
import { type AccountOptions, type JsonOption, wholeNumber } from './options.ts';

type Usage = Awaited<ReturnType<Admin['plans']['show']>>;

interface SetOptions extends AccountOptions {
  readonly people?: number;
}

function planOf(name: string, people: number | undefined): NewPlan | null {
  if (name === 'contract') {
    if (people === undefined || people < 1) throw new CliError('a contract needs --people, 1 or more');
    return { contract: people };
  }
  if (people !== undefined) throw new CliError('--people goes with the plan contract alone');
  return name === 'pilot' || name === 'unlimited' ? name : null;
}

function show(usage: Usage, options: JsonOption): void {
  if (options.json) {
    printJson(usage);
    return;
  }
  print(`plan    ${usage.plan ?? 'none'}`);
  print(`people  ${usage.peopleBilled} of ${usage.peopleLimit ?? 'any number'}`);
  print(`period  ${usage.period}, since ${usage.periodStartedAt.toISOString()}`);
}

export function registerPlan(program: Command): void {
  const plan = program.command('plan').description('What an account may enrol, and what is on its bill.');
  plan
    .command('show')
    .description('Shows the plan, the people on the bill and the period.')
    .requiredOption('--account <id>', 'whose plan')
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions) => {
      show(await withAdmin((admin) => admin.plans.show(options.account)), options);
    });
  plan
    .command('set')
    .description(
      'Changes the plan. Whoever is on the bill stays on it; above the new limit nobody new can be enrolled.',
    )
    .addArgument(
      new Argument('<plan>', 'pilot: 500 people; contract: --people; none: nobody').choices([...planNames, 'none']),
    )
    .requiredOption('--account <id>', 'whose plan')
    .option('--people <number>', 'distinct people that a contract allows in a period', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (name: string, options: SetOptions) => {
      const chosen = planOf(name, options.people);
      show(await withAdmin((admin) => admin.plans.set(options.account, chosen)), options);
    });
  plan
    .command('new-period')
    .description('Starts a new period: nobody is on its bill yet. Each call starts another one.')
    .requiredOption('--account <id>', 'whose plan')
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions) => {
      const usage = await withAdmin((admin) => admin.plans.newPeriod(options.account));
      show(usage, options);
      const { closed } = usage;
      remark(`period ${closed.period} is closed with ${closed.peopleBilled} people on its bill: note it now`);
    });
}
