import type { Admin } from '@svc/api';
import { inviteUserRequestSchema, type UserRole, userRoles, validateBody } from '@svc/protocol';
import { type Command, Option } from 'commander';
import { everything, withAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { type AccountOptions, name, requireValid, requireYes } from './options.ts';

type User = Awaited<ReturnType<Admin['users']['page']>>['items'][number];
type Invited = Awaited<ReturnType<Admin['users']['invite']>>;

interface InviteOptions extends AccountOptions {
  readonly email: string;
  readonly name?: string;
  readonly role: UserRole;
  readonly language?: string;
}

const ACCOUNT = ['--account <id>', 'account of the user'] as const;

function stateOf({ disabledAt, lastSignedInAt }: User): string {
  if (disabledAt !== null) return 'disabled';
  return lastSignedInAt === null ? 'invited' : 'active';
}

function showLink({ user, invitationUrl }: Invited, options: AccountOptions): void {
  if (options.json) printJson({ ...user, invitationUrl });
  else print(invitationUrl ?? '');
  remark(`user ${user.userId}: the link signs in once, until ${timeOf(user.invitedUntil)}; hand it to them alone`);
}

function registerInvite(user: Command): void {
  user
    .command('invite')
    .description('Invites a person to the dashboard and prints the link that signs in once. Sends no mail.')
    .requiredOption(...ACCOUNT)
    .requiredOption('--email <address>', 'of the person')
    .option('--name <name>', 'of the person; without it, what stands before the @', name)
    .addOption(new Option('--role <role>', 'what the person may do').choices(userRoles).makeOptionMandatory())
    .option('--language <tag>', 'of mails and of the dashboard, for example de')
    .option('--json', 'print JSON')
    .action(async (options: InviteOptions) => {
      const { account, email, role, language } = options;
      const asked = { email, role, name: options.name ?? email.split('@', 1)[0] ?? '' };
      const request = requireValid(
        validateBody(inviteUserRequestSchema, { ...asked, ...(language === undefined ? {} : { language }) }),
        'the user',
      );
      showLink(await withAdmin((admin) => admin.users.invite(account, request)), options);
    });
  user
    .command('link')
    .description('Prints a new link for a user, who lost every passkey for example. Links from before stop working.')
    .argument('<userId>', 'ID that user list shows')
    .requiredOption(...ACCOUNT)
    .option('--json', 'print JSON')
    .action(async (userId: string, options: AccountOptions) => {
      showLink(await withAdmin((admin) => admin.users.link(options.account, userId)), options);
    });
}

function registerList(user: Command): void {
  user
    .command('list')
    .description('Lists the users of an account.')
    .requiredOption(...ACCOUNT)
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions) => {
      const users = await withAdmin((admin) => everything((page) => admin.users.page(options.account, page)));
      if (options.json) return printJson(users);
      const rows = users.map((each) => [
        ...[each.userId, each.role, stateOf(each), String(each.passkeys), timeOf(each.lastSignedInAt)],
        ...[each.email, each.name],
      ]);
      print(table([['user', 'role', 'state', 'passkeys', 'signed in', 'email', 'name'], ...rows]));
    });
}

function registerSwitch(user: Command, command: 'disable' | 'enable', description: string, done: string): void {
  user
    .command(command)
    .description(description)
    .argument('<userId>', 'ID that user list shows')
    .requiredOption(...ACCOUNT)
    .option('--json', 'print JSON')
    .action(async (userId: string, options: AccountOptions) => {
      const changed = await withAdmin((admin) =>
        admin.users.setDisabled(options.account, userId, command === 'disable'),
      );
      if (options.json) printJson(changed);
      remark(`user ${userId}: ${done}`);
    });
}

export function registerUser(program: Command): void {
  const user = program.command('user').description('People of an account who use the dashboard.');
  registerInvite(user);
  registerList(user);
  registerSwitch(user, 'disable', 'Ends a user’s sessions and links; they cannot sign in.', 'disabled');
  registerSwitch(user, 'enable', 'Lets a disabled user sign in again.', 'enabled');
  user
    .command('remove')
    .description('Removes a user with passkeys, links and sessions. The last owner who signed in stays.')
    .argument('<userId>', 'ID that user list shows')
    .requiredOption(...ACCOUNT)
    .option('--yes', 'needed: nothing brings the passkeys back')
    .option('--json', 'print JSON')
    .action(async (userId: string, options: AccountOptions & { yes?: true }) => {
      requireYes(options, `removes user ${userId}`);
      await withAdmin((admin) => admin.users.remove(options.account, userId));
      if (options.json) printJson({ userId, removed: true });
      remark(`user ${userId}: removed`);
    });
}
