import { type ApiKeyScope, apiKeyScopes } from '@svc/protocol';
import { type Command, Option } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { type AccountOptions, name, time } from './options.ts';

export function registerKey(program: Command): void {
  const key = program.command('key').description('API keys of an account.');
  key
    .command('create')
    .description('Creates an API key and prints it. Only its hash is stored: it cannot be shown again.')
    .requiredOption('--account <id>', 'account the key belongs to')
    .option('--name <name>', 'what the key is for', name, 'svc')
    .addOption(new Option('--scope <scope...>', 'what it may do; without it, everything').choices(apiKeyScopes))
    .option('--expires <time>', 'when it stops working, ISO 8601 in UTC; without it, never', time)
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions & { name: string; scope?: ApiKeyScope[]; expires?: Date }) => {
      const rights = { scopes: options.scope, expiresAt: options.expires };
      const created = await withAdmin((admin) => admin.keys.create(options.account, options.name, rights));
      if (options.json) printJson(created);
      else print(created.apiKey);
      remark(`key ${created.keyId}: shown this once, keep it now`);
    });
  key
    .command('list')
    .description('Lists the API keys by what they are for, revoked ones too. The keys themselves are not known.')
    .requiredOption('--account <id>', 'account of the keys')
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions) => {
      const keys = await withAdmin((admin) => admin.keys.list(options.account));
      if (options.json) return printJson(keys);
      const rows = keys.map((each) => [
        each.keyId,
        ...[each.createdAt, each.lastUsedAt, each.expiresAt, each.revokedAt].map(timeOf),
        each.scopes?.join(' ') ?? 'all',
        each.name,
      ]);
      print(table([['key', 'created', 'last used', 'expires', 'revoked', 'scopes', 'name'], ...rows]));
    });
  key
    .command('revoke')
    .description('Revokes an API key; it stops working at once.')
    .argument('<keyId>', 'ID that key create told')
    .requiredOption('--account <id>', 'account the key belongs to')
    .option('--json', 'print JSON')
    .action(async (keyId: string, options: AccountOptions) => {
      await withAdmin((admin) => admin.keys.revoke(options.account, keyId));
      if (options.json) printJson({ keyId, revoked: true });
      remark(`key ${keyId}: revoked`);
    });
}
