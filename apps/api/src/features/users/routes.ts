import type { UserResource } from '@svc/protocol';
import { mapPage } from '../../platform/paging.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { Invited, UserService } from './service.ts';
import type { UserView } from './store.ts';

function stateOf({ disabledAt, lastSignedInAt }: UserView): UserResource['state'] {
  if (disabledAt !== null) return 'disabled';
  return lastSignedInAt === null ? 'invited' : 'active';
}

const toResource = (user: UserView) => ({
  ...pick(user, ['userId', 'email', 'name', 'role', 'language']),
  ...pick(user, ['createdAt', 'lastSignedInAt', 'invitedUntil', 'passkeys']),
  state: stateOf(user),
});

export function userHandlers({ users }: { readonly users: UserService }) {
  const { delivery } = users;
  /** A link that is shown is a secret; a stored answer has it never. */
  const answer = ({ user, invitationUrl }: Invited) => ({
    location: `/v1/users/${user.userId}`,
    body: { ...toResource(user), invitationUrl },
    ...(delivery === 'show' ? { secretOf: user.userId } : {}),
  });
  return {
    inviteUser: ({ caller, body, once }) => once((remember) => users.invite(caller, body, delivery, remember), answer),
    listUsers: async ({ caller, query }) => mapPage(await users.page(caller, query), toResource),
    getUser: async ({ caller, params }) => toResource(await users.get(caller, params.userId)),
    updateUser: async ({ caller, params, body }) => toResource(await users.update(caller, params.userId, body)),
    removeUser: ({ caller, params }) => users.remove(caller, params.userId),
    renewInvitation: ({ caller, params, once }) =>
      once((remember) => users.renewInvitation(caller, params.userId, delivery, remember), answer),
    revokeUserSessions: ({ caller, params }) => users.revokeSessions(caller, params.userId),
  } satisfies Partial<Handlers>;
}
