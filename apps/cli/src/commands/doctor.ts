import type { Command } from 'commander';
import { exitCodes } from '../cli-error.ts';
import { diagnoseDeployment } from '../deployment.ts';
import { print, printJson, remark, table } from '../output.ts';
import type { JsonOption } from './options.ts';

const WORDS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'Looks at what a deployment needs (Node, models, disk, key files, database, schema, clock, key store) and changes nothing. Ends with 1 when something is wrong.',
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
