import { randomBytes } from 'node:crypto';
import type { Admin } from '@svc/api';
import { type InviteUserRequest, inviteUserRequestSchema, usualCurrency, validateBody } from '@svc/protocol';
import type { Command } from 'commander';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark, table } from '../output.ts';
import { country, type JsonOption, name, requireValid } from './options.ts';

interface Options extends JsonOption {
  readonly name: string;
  readonly country: string;
  readonly email: string;
}

const DAY_MS = 86_400_000;
const EVENT_DAYS = 7;
const ANSWER_MS = 2_000;

/** Null where the deployment has no dashboard. */
async function invite(admin: Admin, accountId: string, request: InviteUserRequest): Promise<string | null> {
  try {
    return (await admin.users.invite(accountId, request)).invitationUrl;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'sign-in-unavailable') return null;
    throw error;
  }
}

async function make(admin: Admin, options: Options, owner: InviteUserRequest) {
  const account = await admin.accounts.create({
    ...{ name: options.name, country: options.country },
    ...{ billingCurrency: usualCurrency(options.country) ?? 'EUR', plan: 'pilot' },
  });
  const { accountId } = account;
  const { apiKey } = await admin.keys.create(accountId, 'quickstart');
  const startsAt = new Date();
  const endsAt = new Date(startsAt.getTime() + EVENT_DAYS * DAY_MS);
  const event = await admin.events.create(
    accountId,
    { name: 'First event', startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() },
    { organiserName: options.name, privacyNoticeUrl: 'https://example.org/face-check-in' },
  );
  const { eventId } = event;
  const { listId } = await admin.lists.create(accountId, { name: 'First event', eventId, retainDays: 1 });
  const ticketId = `ticket-${randomBytes(8).toString('hex')}`;
  const { url: guestUrl } = await admin.tokens.create(accountId, eventId, { ticketId, validForHours: 24 });
  const { token: deviceToken, pairingUrl } = await admin.devices.add(accountId, listId, { name: 'First door' });
  const invitationUrl = await invite(admin, accountId, owner);
  return {
    ...{ accountId, apiKey, eventId, listId, ticketId, deviceToken },
    ...{ guestUrl: guestUrl ?? null, pairingUrl, invitationUrl },
  };
}

/** Whether a node answers at the address of a link. */
async function isServed(url: string): Promise<boolean> {
  const health = new URL('/healthz', url);
  return fetch(health, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

export function registerQuickstart(program: Command): void {
  program
    .command('quickstart')
    .description('Creates an account with a key, an event, a list and a device, and prints the three links to open.')
    .option('--name <name>', 'name of the organiser', name, 'Quickstart')
    .option('--country <code>', 'country of the organiser, ISO 3166-1 alpha-2', country, 'DE')
    .option('--email <address>', 'email address of the first owner; no email is sent', 'owner@example.org')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const { email } = options;
      const owner = requireValid(
        validateBody(inviteUserRequestSchema, { email, role: 'owner', name: email.split('@', 1)[0] ?? '' }),
        'the owner',
      );
      const made = await withAdmin((admin) => make(admin, options, owner));
      if (options.json) printJson(made);
      else {
        const { accountId, apiKey, eventId, listId, ticketId, deviceToken, guestUrl, pairingUrl, invitationUrl } = made;
        const rows = [
          ['guest', guestUrl ?? '–', 'enrols a face for the ticket, once'],
          ['door', pairingUrl ?? deviceToken, 'a kiosk for the list; scan or type the ticket there'],
          ['dashboard', invitationUrl ?? '–', 'signs in the first owner, once'],
          ['ticket', ticketId, 'the ID to scan or type at the door'],
          ['API key', apiKey, 'for the X-Api-Key header'],
          ['account', accountId, `svc account delete ${accountId} --yes removes all of this`],
          ['event', eventId, ''],
          ['list', listId, ''],
        ];
        print(table(rows));
      }
      remark('links and keys are secrets and shown only once');
      const link = made.guestUrl ?? made.pairingUrl ?? made.invitationUrl;
      if (link !== null && !(await isServed(link)))
        remark('no service is running there yet: start it, then open the links');
    });
}
