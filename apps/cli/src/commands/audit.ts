import type { Admin } from '@svc/api';
import { PAGE_LIMIT } from '@svc/protocol';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { printable } from '../output.ts';
import { operationsOf, optional, rows } from './operation.ts';
import { pageLimit, time } from './options.ts';

type Entry = Awaited<ReturnType<Admin['audit']['page']>>['items'][number];

interface Given {
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
  operationsOf(program)({
    usage: 'audit',
    does: 'Shows who did what, newest first: every administrative act on an account, or on the deployment.',
    options: [
      new Option('--account <id>', 'acts on this account, which may have been deleted').conflicts('deployment'),
      new Option('--deployment', 'acts on the deployment as a whole'),
      optional('--since <time>', 'only acts after this time', time),
      optional('--limit <number>', '1 to 200', pageLimit).default(PAGE_LIMIT.default),
      optional('--cursor <cursor>', 'continues after the previous page'),
    ],
    request({ account, deployment, since, limit, cursor }: Given) {
      if (account === undefined && !deployment) throw new CliError('audit needs --account or --deployment');
      return { of: account ?? null, page: { since, cursor, limit } };
    },
    run: ({ audit }, _given, { of, page }) => audit.page(of, page),
    text: ({ items }) => rows(items, { time: 'recordedAt', who: actorName, did: 'action', what: 'target' }),
    remark: ({ nextCursor }) => (nextCursor === null ? [] : `more: --cursor ${nextCursor}`),
  });
}
