import { PAGE_LIMIT } from '@svc/protocol';
import type { Command } from 'commander';
import { everything, withAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { type AccountOptions, pageLimit } from './options.ts';

export function registerWebhook(program: Command): void {
  const webhook = program.command('webhook').description('Webhooks of an account and what became of their deliveries.');
  webhook
    .command('list')
    .description('Lists the webhooks, newest first. Secrets are not shown.')
    .requiredOption('--account <id>', 'account of the webhooks')
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions) => {
      const webhooks = await withAdmin((admin) => everything((page) => admin.webhooks.page(options.account, page)));
      if (options.json) return printJson(webhooks);
      const rows = webhooks.map((each) => [
        each.webhookId,
        each.disabled === null ? 'enabled' : `disabled: ${each.disabled.reason}`,
        each.url,
        each.eventTypes.join(' '),
      ]);
      print(table([['webhook', 'state', 'address', 'events'], ...rows]));
    });
  webhook
    .command('deliveries')
    .description('Lists the newest deliveries of a webhook.')
    .argument('<webhookId>', 'ID that webhook list shows')
    .requiredOption('--account <id>', 'account of the webhook')
    .option('--limit <number>', '1 to 200', pageLimit, PAGE_LIMIT.default)
    .option('--json', 'print JSON')
    .action(async (webhookId: string, options: AccountOptions & { limit: number }) => {
      const { limit } = options;
      const { items } = await withAdmin((admin) => admin.webhooks.deliveries(options.account, webhookId, { limit }));
      if (options.json) return printJson(items);
      const rows = items.map((each) => [
        each.deliveryId,
        each.eventType,
        each.state,
        String(each.attempts),
        String(each.lastStatus ?? each.lastFailure ?? '–'),
        timeOf(each.nextAttemptAt),
      ]);
      print(table([['delivery', 'event', 'state', 'attempts', 'last', 'next attempt'], ...rows]));
    });
  webhook
    .command('replay')
    .description('Sends a delivery again, as often as a new one.')
    .argument('<deliveryId>', 'ID that webhook deliveries shows')
    .requiredOption('--account <id>', 'account of the webhook')
    .requiredOption('--webhook <id>', 'webhook of the delivery')
    .option('--json', 'print JSON')
    .action(async (deliveryId: string, options: AccountOptions & { webhook: string }) => {
      const delivery = await withAdmin((admin) => admin.webhooks.replay(options.account, options.webhook, deliveryId));
      if (options.json) printJson(delivery);
      remark(`delivery ${deliveryId}: ${delivery.state}`);
    });
}
