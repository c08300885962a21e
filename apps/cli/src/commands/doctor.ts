import type { Command } from 'commander';
import { exitCodes } from '../cli-error.ts';
import { diagnoseDeployment, withAdmin } from '../deployment.ts';
import { print, printJson, remark, table } from '../output.ts';
import type { JsonOption } from './options.ts';

const WORDS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'Checks what a deployment needs (Node, models, disk, key files, database, schema, clock, key store) and changes nothing. Exit code 1 if something is wrong.',
    )
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const findings = await diagnoseDeployment();
      if (options.json) printJson(findings);
      else print(table(findings.map(({ check, status, detail }) => [check, WORDS[status], detail])));
      const count = (status: keyof typeof WORDS) => findings.filter((each) => each.status === status).length;
      remark(`${count('failed')} failed, ${count('warning')} warnings`);
      if (count('failed') > 0) process.exitCode = exitCodes.negative;
    });
}

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'Updates the databases to this version, as their owner if SVC_DATABASE_OWNER_URL and SVC_KEY_DATABASE_OWNER_URL are set, and grants the serving roles what they need. A node that owns the databases does this when it starts.',
    )
    .action(async () => {
      // Whatever opens a deployment migrates it.
      await withAdmin(async () => undefined);
      remark('the databases are up to date; svc doctor shows what the serving roles may do');
    });
}
