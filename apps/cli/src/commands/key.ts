import type { Command } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, remark } from '../output.ts';
import { name } from './options.ts';

interface CreateOptions {
  readonly account: string;
  readonly name: string;
}

export function registerKey(program: Command): void {
  const key = program.command('key').description('API keys of an account.');
  key
    .command('create')
    .description('Creates an API key and prints it. Only its hash is stored: it cannot be shown again.')
    .requiredOption('--account <id>', 'account the key belongs to')
    .option('--name <name>', 'what the key is for', name, 'svc')
    .action(async (options: CreateOptions) => {
      const { keyId, apiKey } = await withAdmin((admin) => admin.keys.create(options.account, options.name));
      print(apiKey);
      remark(`key ${keyId}: shown this once, keep it now`);
    });
  key
    .command('revoke')
    .description('Revokes an API key; it stops working at once.')
    .argument('<keyId>', 'ID that key create told')
    .requiredOption('--account <id>', 'account the key belongs to')
    .action(async (keyId: string, options: { account: string }) => {
      await withAdmin((admin) => admin.keys.revoke(options.account, keyId));
      remark(`key ${keyId}: revoked`);
    });
}
