import { PAGE_LIMIT } from '@svc/protocol';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { everything } from '../deployment.ts';
import { listenToWebhook } from './listen.ts';
import { type Given, operationsOf, optional, required } from './operation.ts';
import { pageLimit } from './options.ts';

function url(text: string): string {
  const parsed = URL.parse(text);
  if (!/^https?:$/.test(parsed?.protocol ?? '') || parsed?.username !== '' || parsed.password !== '')
    throw new InvalidArgumentError('It must be an http address without user and password.');
  return text;
}

export function registerWebhook(program: Command): void {
  const group = program.command('webhook').description('Webhooks of an account and the results of their deliveries.');
  const webhook = operationsOf(group, [required('--account <id>', 'account of the webhook')]);
  webhook({
    usage: 'list',
    does: 'Lists the webhooks, newest first. Secrets are not shown.',
    run: ({ webhooks }, { account }) => everything((page) => webhooks.page(account, page)),
    columns: {
      webhook: 'webhookId',
      state: ({ disabled }) => (disabled === null ? 'enabled' : `disabled: ${disabled.reason}`),
      address: 'url',
      events: 'eventTypes',
    },
  });
  webhook({
    usage: 'deliveries <id>',
    does: 'Lists the newest deliveries of a webhook.',
    options: [optional('--limit <number>', '1 to 200', pageLimit).default(PAGE_LIMIT.default)],
    run: async ({ webhooks }, { account, id, limit }: Given & { limit: number }) =>
      (await webhooks.deliveries(account, id, { limit })).items,
    columns: {
      delivery: 'deliveryId',
      event: 'eventType',
      state: 'state',
      attempts: 'attempts',
      last: ({ lastStatus, lastFailure }) => lastStatus ?? lastFailure,
      'next attempt': 'nextAttemptAt',
    },
  });
  group
    .command('listen')
    .description('Forwards notifications of the account of SVC_API_KEY to an address on this machine, until Ctrl-C.')
    .addOption(required('--forward-to <url>', 'for example http://localhost:3000/hooks', url))
    .addOption(required('--url <url>', 'address of the service: https, or http on this machine', url).env('SVC_URL'))
    .action(listenToWebhook);
  webhook({
    usage: 'replay',
    does: 'Sends a delivery again, with as many attempts as a new one.',
    argument: new Argument('<deliveryId>', 'ID that webhook deliveries shows'),
    options: [required('--webhook <id>', 'webhook of the delivery')],
    run: ({ webhooks }, { account, webhook, id }: Given & { webhook: string }) => webhooks.replay(account, webhook, id),
    remark: ({ deliveryId, state }) => `delivery ${deliveryId}: ${state}`,
  });
}
