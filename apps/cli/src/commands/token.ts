import { createEnrolmentTokenRequestSchema, validateBody } from '@svc/protocol';
import type { Command } from 'commander';
import { everything, withAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { type AccountOptions, requireValid, wholeNumber } from './options.ts';

interface EventOptions extends AccountOptions {
  readonly event: string;
}

interface CreateOptions extends EventOptions {
  readonly ticket: string;
  readonly validForHours?: number;
}

export function registerToken(program: Command): void {
  const token = program.command('token').description('Enrolment tokens of an event: one guest, one ticket, once.');
  token
    .command('create')
    .description('Creates a token and prints it, or its guest link. It cannot be shown again.')
    .requiredOption('--account <id>', 'account the event belongs to')
    .requiredOption('--event <id>', 'event of the ticket')
    .requiredOption('--ticket <id>', 'ticket that the token is for')
    .option('--valid-for-hours <hours>', 'makes a guest link that is valid for 1 to 336 hours', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions) => {
      const { ticket: ticketId, validForHours } = options;
      const request = requireValid(
        validateBody(createEnrolmentTokenRequestSchema, { ticketId, validForHours }),
        'the token',
      );
      const created = await withAdmin((admin) => admin.tokens.create(options.account, options.event, request));
      if (options.json) printJson({ ...created, url: created.url ?? null });
      else print(created.url ?? created.token);
      remark(`token ${created.tokenId}: shown this once, valid until ${created.expiresAt}`);
    });
  token
    .command('list')
    .description('Lists the tokens and what became of them, newest first.')
    .requiredOption('--account <id>', 'account the event belongs to')
    .requiredOption('--event <id>', 'event of the tokens')
    .option('--json', 'print JSON')
    .action(async (options: EventOptions) => {
      const tokens = await withAdmin((admin) =>
        everything((page) => admin.tokens.page(options.account, options.event, page)),
      );
      if (options.json) return printJson(tokens);
      const rows = tokens.map((each) => [
        each.tokenId,
        each.state,
        timeOf(new Date(each.expiresAt)),
        String(each.attemptsLeft),
        each.ticketId ?? '–',
      ]);
      print(table([['token', 'state', 'expires', 'photos left', 'ticket'], ...rows]));
    });
  token
    .command('revoke')
    .description('Revokes a token that was not used yet.')
    .argument('<tokenId>', 'ID that token list shows')
    .requiredOption('--account <id>', 'account the event belongs to')
    .requiredOption('--event <id>', 'event of the token')
    .option('--json', 'print JSON')
    .action(async (tokenId: string, options: EventOptions) => {
      await withAdmin((admin) => admin.tokens.revoke(options.account, options.event, tokenId));
      if (options.json) printJson({ tokenId, revoked: true });
      remark(`token ${tokenId}: revoked`);
    });
}
