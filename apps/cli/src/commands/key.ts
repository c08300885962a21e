import type { Command } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { type AccountOptions, name } from './options.ts';

export function registerKey(program: Command): void {
  const key = program.command('key').description('API keys of an account.');
  key
    .command('create')
    .description('Creates an API key and prints it. Only its hash is stored: it cannot be shown again.')
    .requiredOption('--account <id>', 'account the key belongs to')
    .option('--name <name>', 'what the key is for', name, 'svc')
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions & { name: string }) => {
      const created = await withAdmin((admin) => admin.keys.create(options.account, options.name));
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
      const rows = keys.map((each) => [each.keyId, timeOf(each.createdAt), timeOf(each.revokedAt), each.name]);
      print(table([['key', 'created', 'revoked', 'name'], ...rows]));
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
