import type { Command } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, printJson } from '../output.ts';

export function registerRegion(program: Command): void {
  program
    .command('region')
    .description('Identity of a deployment.')
    .command('show')
    .description('Prints the public signing keys that devices of this deployment pin.')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const region = await withAdmin(async (admin) => admin.region());
      if (options.json) return printJson(region);
      print(`region       ${region.region}`);
      print(`key id       ${region.keyId}`);
      for (const key of region.signingKeys) print(`signing key  ${key}`);
    });
}
