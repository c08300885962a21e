import { consentVersionFor, currencyFits, usualCurrency } from '@svc/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../cli-error.ts';
import { facts, type Given, operationsOf, optional, required } from './operation.ts';
import { country, name } from './options.ts';

interface NewAccount {
  readonly name: string;
  readonly country?: string;
  readonly currency?: string;
  readonly plan: 'pilot' | 'unlimited' | 'none';
  readonly test?: true;
}

function currency(text: string): string {
  const code = text.toUpperCase();
  if (!Intl.supportedValuesOf('currency').includes(code)) {
    throw new InvalidArgumentError('It must be an ISO 4217 currency code.');
  }
  return code;
}

/** @throws CliError where the country does not tell it, or says another, unless that is confirmed */
function billingCurrencyOf(country: string | undefined, { currency, yes }: { currency?: string; yes?: true }): string {
  const chosen = currency ?? usualCurrency(country);
  if (chosen === null) throw new CliError(`an account in ${country} needs a billing currency: --currency`);
  if (country !== undefined && !currencyFits(country, chosen) && !yes) {
    throw new CliError(`${chosen} is not a currency of ${country}: re-run with --yes if you mean it`);
  }
  return chosen;
}

export function registerAccount(program: Command): void {
  const account = operationsOf(program.command('account').description('Accounts of a deployment.'));
  account({
    usage: 'create',
    does: 'Creates an account and prints its ID.',
    options: [
      required('--name <name>', 'name of the organiser', name),
      optional('--country <code>', 'country of the organiser, ISO 3166-1 alpha-2', country),
      optional('--currency <code>', 'billing currency, ISO 4217; default: the country’s, or EUR without one', currency),
      optional('--yes', 'required if the currency is not one of the country'),
      optional('--plan <plan>', 'no one can be enrolled without one; for a contract see plan set')
        .choices(['pilot', 'unlimited', 'none'])
        .default('pilot'),
      optional('--test', 'a test account: free, small, with drawn test photos for people; permanent').conflicts('plan'),
    ],
    request: ({ name, country, plan, test, ...given }: Given & NewAccount) => ({
      mode: test ? ('test' as const) : ('live' as const),
      ...{ name, country, billingCurrency: billingCurrencyOf(country, given) },
      plan: plan === 'none' ? undefined : plan,
    }),
    run: ({ accounts }, _given, asked) => accounts.create(asked),
    text: ({ accountId }) => accountId,
    remark: ({ accountId, mode, plan, country, billingCurrency }) => {
      const wording = consentVersionFor({ accountCountry: country, billingCurrency });
      const made = `${mode === 'test' ? 'test ' : ''}account ${accountId}: plan ${plan ?? 'none'}`;
      return `${made}, billed in ${billingCurrency}; lists without a country use the wording ${wording}`;
    },
  });
  account({
    usage: 'list',
    does: 'Lists the accounts.',
    run: ({ accounts }) => accounts.list(),
    columns: {
      account: 'accountId',
      mode: 'mode',
      plan: ({ plan }) => plan ?? 'none',
      country: 'country',
      currency: 'billingCurrency',
      '': ({ suspendedAt }) => (suspendedAt ? 'suspended' : ''),
      name: 'name',
    },
  });
  account({
    usage: 'show <id>',
    does: 'Shows an account and its bill.',
    run: async ({ accounts, plans }, { id }) => ({ ...(await accounts.show(id)), usage: await plans.show(id) }),
    text: ({ usage, ...shown }) =>
      facts({
        account: shown.accountId,
        mode: shown.mode,
        name: shown.name,
        country: shown.country,
        currency: shown.billingCurrency,
        plan: shown.plan ?? 'none',
        people: `${usage.peopleBilled} of ${usage.peopleLimit ?? 'any number'}, period ${usage.period}`,
        suspended: shown.suspendedAt ?? 'no',
      }),
  });
  for (const [act, does, done] of [
    ['suspend', 'Refuses its keys and tokens, and tells its devices to wipe their data.', 'suspended'],
    ['resume', 'Lifts a suspension; devices sync again.', 'resumed'],
  ] as const) {
    account({
      usage: `${act} <id>`,
      does,
      run: ({ accounts }, { id }) => accounts[act](id).then(() => accounts.show(id)),
      remark: ({ accountId }) => `account ${accountId}: ${done}`,
    });
  }
  account({
    usage: 'delete <id>',
    does: 'Destroys the keys of an account, then its lists, its ledger and everything else.',
    run: ({ accounts }, { id }) => accounts.delete(id),
    destroys: ({ id }) => `deletes account ${id} and everyone on its lists`,
    json: (_done, { id }) => ({ accountId: id, deleted: true }),
    remark: (_done, { id }) => `account ${id}: deleted; its audit log stays`,
  });
}
