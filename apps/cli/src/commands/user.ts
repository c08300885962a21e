import type { Admin } from '@svc/api';
import { inviteUserRequestSchema, type UserRole, userRoles, validateBody } from '@svc/protocol';
import type { Command } from 'commander';
import { everything } from '../deployment.ts';
import { type Given, operationsOf, optional, required } from './operation.ts';
import { name, requireValid } from './options.ts';

type User = Awaited<ReturnType<Admin['users']['page']>>['items'][number];
type Invited = Awaited<ReturnType<Admin['users']['invite']>>;

interface NewUser {
  readonly email: string;
  readonly name?: string;
  readonly role: UserRole;
  readonly language?: string;
}

function stateOf({ disabledAt, lastSignedInAt }: User): string {
  if (disabledAt !== null) return 'disabled';
  return lastSignedInAt === null ? 'invited' : 'active';
}

/** How a link that signs in is shown. */
const link = {
  json: ({ user, invitationUrl }: Invited) => ({ ...user, invitationUrl }),
  text: ({ invitationUrl }: Invited) => invitationUrl ?? '',
  remark: ({ user }: Invited) =>
    `user ${user.userId}: the link signs in once, until ${user.invitedUntil?.toISOString() ?? '–'}; give it only to them`,
};

export function registerUser(program: Command): void {
  const user = operationsOf(program.command('user').description('People of an account who use the dashboard.'), [
    required('--account <id>', 'account of the user'),
  ]);
  user({
    usage: 'invite',
    does: 'Invites a person to the dashboard and prints a link that signs in once. Sends no email.',
    options: [
      required('--email <address>', 'email address of the person'),
      optional('--name <name>', 'name of the person; default: the part before the @', name),
      required('--role <role>', 'what the person may do').choices(userRoles),
      optional('--language <tag>', 'language of emails and the dashboard, for example de'),
    ],
    request({ email, role, language, name = email.split('@', 1)[0] ?? '' }: Given & NewUser) {
      const asked = { email, role, name, ...(language !== undefined && { language }) };
      return requireValid(validateBody(inviteUserRequestSchema, asked), 'the user');
    },
    run: ({ users }, { account }, asked) => users.invite(account, asked),
    ...link,
  });
  user({
    usage: 'list',
    does: 'Lists the users of an account.',
    run: ({ users }, { account }) => everything((page) => users.page(account, page)),
    columns: {
      user: 'userId',
      role: 'role',
      state: stateOf,
      passkeys: 'passkeys',
      'signed in': 'lastSignedInAt',
      email: 'email',
      name: 'name',
    },
  });
  user({
    usage: 'link <id>',
    does: 'Prints a new link for a user, for example one who lost every passkey. Earlier links stop working.',
    run: ({ users }, { account, id }) => users.link(account, id),
    ...link,
  });
  for (const [act, does] of [
    ['disable', 'Ends a user’s sessions and links; they cannot sign in.'],
    ['enable', 'Lets a disabled user sign in again.'],
  ] as const) {
    user({
      usage: `${act} <id>`,
      does,
      run: ({ users }, { account, id }) => users.setDisabled(account, id, act === 'disable'),
      remark: ({ userId }) => `user ${userId}: ${act}d`,
    });
  }
  user({
    usage: 'remove <id>',
    does: 'Removes a user with all passkeys, links and sessions. The last owner who has signed in stays.',
    run: ({ users }, { account, id }) => users.remove(account, id),
    destroys: ({ id }) => `removes user ${id}`,
    done: 'removed',
  });
}
