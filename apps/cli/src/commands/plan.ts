import type { Admin, NewPlan } from '@svc/api';
import { planNames } from '@svc/protocol';
import { Argument, type Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { facts, type Given, operationsOf, optional, required } from './operation.ts';
import { wholeNumber } from './options.ts';

type Usage = Awaited<ReturnType<Admin['plans']['show']>>;

function planOf({ id: plan, people }: Given & { readonly people?: number }): NewPlan | null {
  if (plan === 'contract') {
    if (people === undefined || people < 1) throw new CliError('a contract needs --people, at least 1');
    return { contract: people };
  }
  if (people !== undefined) throw new CliError('--people is only for the plan contract');
  return plan === 'pilot' || plan === 'unlimited' ? plan : null;
}

const shown = (usage: Usage): string =>
  facts({
    plan: usage.plan ?? 'none',
    people: `${usage.peopleBilled} of ${usage.peopleLimit ?? 'any number'}`,
    period: `${usage.period}, since ${usage.periodStartedAt.toISOString()}`,
  });

export function registerPlan(program: Command): void {
  const group = program.command('plan').description('How many people an account can enrol, and its bill.');
  const plan = operationsOf(group, [required('--account <id>', 'whose plan')]);
  plan({
    usage: 'show',
    does: 'Shows the plan, the number of people billed and the period.',
    run: ({ plans }, { account }) => plans.show(account),
    text: shown,
  });
  plan({
    usage: 'set',
    does: 'Changes the plan. People already billed stay billed; above the new limit no one new can be enrolled.',
    argument: new Argument('<plan>', 'pilot: 500 people; contract: --people; none: nobody').choices([
      ...planNames,
      'none',
    ]),
    options: [optional('--people <number>', 'distinct people that a contract allows per period', wholeNumber)],
    request: planOf,
    run: ({ plans }, { account }, chosen) => plans.set(account, chosen),
    text: shown,
  });
  plan({
    usage: 'new-period',
    does: 'Starts a new period with an empty bill. Each call starts another one.',
    run: ({ plans }, { account }) => plans.newPeriod(account),
    text: shown,
    remark: ({ closed }) =>
      `period ${closed.period} is closed with ${closed.peopleBilled} people billed: write it down now`,
  });
}
