import type { Admin } from '@svc/api';
import { PAGE_LIMIT } from '@svc/protocol';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { withAdmin } from '../deployment.ts';
import { print, printable, printJson, remark, table } from '../output.ts';
import { type JsonOption, pageLimit, time } from './options.ts';

type Entry = Awaited<ReturnType<Admin['audit']['page']>>['items'][number];

interface AuditOptions extends JsonOption {
  readonly account?: string;
  readonly deployment?: true;
  readonly since?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

function actorName({ actor, userName }: Entry): string {
  if (actor.kind === 'api-key') return actor.keyId;
  if (actor.kind === 'user') return userName === null ? actor.userId : `${printable(userName)} (${actor.userId})`;
  return actor.kind === 'operator' ? `operator ${actor.name}` : 'system';
}

export function registerAudit(program: Command): void {
  program
    .command('audit')
    .description('Shows who did what, newest first: every administrative act on an account, or on the deployment.')
    .addOption(new Option('--account <id>', 'acts on this account; it may be deleted').conflicts('deployment'))
    .addOption(new Option('--deployment', 'acts on the deployment as a whole'))
    .option('--since <time>', 'leaves out what is older', time)
    .option('--limit <number>', '1 to 200', pageLimit, PAGE_LIMIT.default)
    .option('--cursor <cursor>', 'goes on where the page before ended')
    .option('--json', 'print JSON')
    .action(async (options: AuditOptions) => {
      const { account, since, cursor } = options;
      if (account === undefined && !options.deployment) throw new CliError('audit needs --account or --deployment');
      const { limit } = options;
      const page = await withAdmin((admin) => admin.audit.page(account ?? null, { since, cursor, limit }));
      if (options.json) return printJson(page);
      const rows = page.items.map((entry) => [
        entry.recordedAt.toISOString(),
        actorName(entry),
        entry.action,
        entry.target,
      ]);
      print(table([['time', 'who', 'did', 'what'], ...rows]));
      if (page.nextCursor !== null) remark(`more: --cursor ${page.nextCursor}`);
    });
}
