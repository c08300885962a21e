import { createEnrolmentTokenRequestSchema, validateBody } from '@svc/protocol';
import type { Command } from 'commander';
import { everything } from '../deployment.ts';
import { type Given, operationsOf, optional, required } from './operation.ts';
import { requireValid, wholeNumber } from './options.ts';

export function registerToken(program: Command): void {
  const group = program.command('token').description('Enrolment tokens of an event: one guest, one ticket, one use.');
  const token = operationsOf(group, [
    required('--account <id>', 'account the event belongs to'),
    required('--event <id>', 'event of the ticket'),
  ]);
  token({
    usage: 'create',
    does: 'Creates a token and prints it, or its guest link. It cannot be shown again.',
    options: [
      required('--ticket <id>', 'ticket that the token is for'),
      optional('--valid-for-hours <hours>', 'creates a guest link that is valid for 1 to 336 hours', wholeNumber),
    ],
    request: ({ ticket: ticketId, validForHours }: Given & { ticket: string; validForHours?: number }) =>
      requireValid(validateBody(createEnrolmentTokenRequestSchema, { ticketId, validForHours }), 'the token'),
    run: ({ tokens }, { account, event }, request) => tokens.create(account, event, request),
    json: (created) => ({ ...created, url: created.url ?? null }),
    text: (created) => created.url ?? created.token,
    remark: (created) => `token ${created.tokenId}: shown only once, valid until ${created.expiresAt}`,
  });
  token({
    usage: 'list',
    does: 'Lists the tokens and their outcomes, newest first.',
    run: ({ tokens }, { account, event }) => everything((page) => tokens.page(account, event, page)),
    columns: {
      token: 'tokenId',
      state: 'state',
      expires: 'expiresAt',
      'photos left': 'attemptsLeft',
      ticket: 'ticketId',
    },
  });
  token({
    usage: 'revoke <id>',
    does: 'Revokes a token that has not been used yet.',
    run: ({ tokens }, { account, event, id }) => tokens.revoke(account, event, id),
    done: 'revoked',
  });
}
