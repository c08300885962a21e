import { createEventRequestSchema, organiserSchema, validateBody } from '@svc/protocol';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { everything } from '../deployment.ts';
import { facts, type Given, operationsOf, optional, required } from './operation.ts';
import { country, type MetadataOption, metadataOption, name, requireValid } from './options.ts';

interface NewEvent extends MetadataOption {
  readonly name: string;
  readonly starts: string;
  readonly ends: string;
  readonly timeZone?: string;
  readonly place?: string;
  readonly country?: string;
  readonly organiser?: string;
  readonly privacyNotice?: string;
}

export function registerEvent(program: Command): void {
  const event = operationsOf(program.command('event').description('Events of an account.'), [
    required('--account <id>', 'account the event belongs to'),
  ]);
  event({
    usage: 'create',
    does: 'Creates an event and prints its ID.',
    options: [
      required('--name <name>', 'name of the event', name),
      required('--starts <time>', 'ISO 8601 in UTC, for example 2030-06-01T18:00:00Z'),
      required('--ends <time>', 'doors work and faces are kept longer, by the days of its list'),
      optional('--time-zone <name>', 'IANA time zone of the event, for showing its times'),
      optional('--place <text>', 'where it is, shown to guests who have enrolled'),
      optional('--country <code>', 'country of the event, ISO 3166-1 alpha-2', country),
      optional('--organiser <name>', 'name shown to guests; required before guests can be invited', name),
      optional('--privacy-notice <url>', "https:// address of the organiser's notice; used with --organiser"),
      metadataOption(),
    ],
    request({ name, starts: startsAt, ends: endsAt, organiser, privacyNotice, ...given }: Given & NewEvent) {
      const { timeZone, place, country, metadata } = given;
      if ((organiser === undefined) !== (privacyNotice === undefined))
        throw new CliError('--organiser and --privacy-notice must be used together');
      const asked = { name, startsAt, endsAt, timeZone, place, country, metadata };
      const told = { organiserName: organiser, privacyNoticeUrl: privacyNotice };
      return [
        requireValid(validateBody(createEventRequestSchema, asked), 'the event'),
        organiser === undefined ? undefined : requireValid(validateBody(organiserSchema, told), 'the event'),
      ] as const;
    },
    run: ({ events }, { account }, asked) => events.create(account, ...asked),
    text: ({ eventId }) => eventId,
    remark: ({ eventId, widget }) =>
      widget === null ? `event ${eventId}: no guests can be invited without --organiser` : [],
  });
  event({
    usage: 'list',
    does: 'Lists the events, newest first.',
    run: ({ events }, { account }) => everything((page) => events.page(account, page)),
    columns: { event: 'eventId', state: 'state', starts: 'startsAt', ends: 'endsAt', name: 'name' },
  });
  event({
    usage: 'show <id>',
    does: 'Shows an event, its list and how many people are enrolled.',
    run: ({ events }, { account, id }) => events.show(account, id),
    text: ({ accountId: _, createdAt: __, counts, widget, ...event }) =>
      facts({ ...event, list: counts?.listId, people: counts?.people, ...widget }),
  });
}
