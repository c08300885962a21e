import type { Admin, NewPlan } from '@svc/api';
import { planNames } from '@svc/protocol';
import { Argument, type Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { facts, type Given, operationsOf, optional, required } from './operation.ts';
import { wholeNumber } from './options.ts';

type Usage = Awaited<ReturnType<Admin['plans']['show']>>;

function planOf({ id: plan, people }: Given & { readonly people?: number }): NewPlan | null {
  if (plan === 'contract') {
    if (people === undefined || people < 1) throw new CliError('a contract needs --people, 1 or more');
    return { contract: people };
  }
  if (people !== undefined) throw new CliError('--people goes with the plan contract alone');
  return plan === 'pilot' || plan === 'unlimited' ? plan : null;
}

const shown = (usage: Usage): string =>
  facts({
    plan: usage.plan ?? 'none',
    people: `${usage.peopleBilled} of ${usage.peopleLimit ?? 'any number'}`,
    period: `${usage.period}, since ${usage.periodStartedAt.toISOString()}`,
  });

export function registerPlan(program: Command): void {
  const group = program.command('plan').description('What an account may enrol, and what is on its bill.');
  const plan = operationsOf(group, [required('--account <id>', 'whose plan')]);
  plan({
    usage: 'show',
    does: 'Shows the plan, the people on the bill and the period.',
    run: ({ plans }, { account }) => plans.show(account),
    text: shown,
  });
  plan({
    usage: 'set',
    does: 'Changes the plan. Whoever is on the bill stays on it; above the new limit nobody new can be enrolled.',
    argument: new Argument('<plan>', 'pilot: 500 people; contract: --people; none: nobody').choices([
      ...planNames,
      'none',
    ]),
    options: [optional('--people <number>', 'distinct people that a contract allows in a period', wholeNumber)],
    request: planOf,
    run: ({ plans }, { account }, chosen) => plans.set(account, chosen),
    text: shown,
  });
  plan({
    usage: 'new-period',
    does: 'Starts a new period: nobody is on its bill yet. Each call starts another one.',
    run: ({ plans }, { account }) => plans.newPeriod(account),
    text: shown,
    remark: ({ closed }) =>
      `period ${closed.period} is closed with ${closed.peopleBilled} people on its bill: note it now`,
  });
}
