import { type UserRole, userRoles } from '@svc/protocol/roles';
import { Ban, LogOut, MailPlus, ShieldCheck, Trash2, UserCog, UserPlus, Users } from 'lucide';
import { type ReactNode, useState } from 'react';
import { useAct, useCan, usePages, useSession } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { Button } from '../../components/controls.tsx';
import { CollectionPage, type Column, since } from '../../components/data-table.tsx';
import { RadioField, TextField } from '../../components/field.tsx';
import { ConfirmAct, Dialog, FormDialog, useClose, useDialog, useValues } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { Badge, type Tone, tellError, toast } from '../../components/status.tsx';
import { language, say } from '../../text/index.ts';
import { isAddress } from '../sign-in/passkey.ts';

type User = ItemOf<'listUsers'>;

const tones: Readonly<Record<User['state'], Tone>> = { active: 'good', invited: 'accent', disabled: 'neutral' };

const columns: readonly Column<User>[] = [
  {
    header: 'app.name-of',
    width: 'minmax(14rem, 2.5fr)',
    sortBy: ({ name }) => name,
    cell: (user) => <NameOf {...user} />,
  },
  { header: 'app.role', sortBy: ({ role }) => userRoles.indexOf(role), cell: ({ role }) => say(`roles.${role}`) },
  { header: 'app.state', cell: ({ state }) => <Badge tone={tones[state]}>{say(`users.state-${state}`)}</Badge> },
  since('users.last-sign-in', ({ lastSignedInAt }) => lastSignedInAt),
];

function NameOf({ name, email, userId }: User) {
  const { user: own } = useSession();
  return (
    <>
      <span className="svcd-row">
        {name}
        {userId === own.userId && <Badge>{say('users.you')}</Badge>}
      </span>
      <span className="svcd-small svcd-break">{email}</span>
    </>
  );
}

export function UsersPage() {
  const mayWrite = useCan()('users:write');
  const users = usePages('listUsers');
  const { dialog, open } = useDialog();
  return (
    <>
      <CollectionPage
        title={say('users.title')}
        lead={say('users.lead')}
        columns={columns}
        rowKey={({ userId }) => userId}
        pages={users}
        add={
          mayWrite && (
            <Button
              kind="primary"
              icon={UserPlus}
              onPress={() => open(<Invite open={open} />)}
              text={say('users.invite')}
            />
          )
        }
        none={{ title: say('users.title'), icon: Users }}
        actions={mayWrite && ((user) => <UserMenu user={user} open={open} />)}
      />
      {dialog}
    </>
  );
}

interface OpensDialogs {
  readonly open: (dialog: ReactNode) => void;
}

/** An invitation was made: it is mailed, else passed on by hand. */
function tellInvited(o: { invitationUrl: string | null; name: string; email: string }, { open }: OpensDialogs): void {
  if (o.invitationUrl === null) toast({ text: say('users.invited', { email: o.email }) });
  else
    open(
      <Dialog isKept title={say('users.link-title')} cancelLabel={say('app.done')}>
        <p>{say('users.link-text', { name: o.name })}</p>
        <CopyField label={say('users.link')} value={o.invitationUrl} />
      </Dialog>,
    );
}

function Invite(o: OpensDialogs) {
  const close = useClose();
  const { deployment } = useSession();
  const { values, bind } = useValues({ name: '', email: '', role: 'manager' as UserRole });
  const [isAsked, setAsked] = useState(false);
  const invite = useAct('inviteUser', {
    onSuccess: (made) => {
      close();
      tellInvited(made, o);
    },
  });
  const [name, email] = [values.name.trim(), values.email.trim()];

  function send(): void {
    setAsked(true);
    if (name !== '' && isAddress(email)) invite.mutate({ body: { name, email, role: values.role, language } });
  }

  return (
    <FormDialog title={say('users.invite-title')} act={invite} onSubmit={send} action={say('users.invite')}>
      <p className="svcd-muted">{say(deployment.mail ? 'users.invite-by-mail' : 'users.invite-by-link')}</p>
      <TextField
        label={say('app.name-of')}
        {...bind('name')}
        autoFocus
        maxLength={200}
        autoComplete="off"
        error={isAsked && name === '' ? say('keys.enter-name') : undefined}
      />
      <TextField
        label={say('app.email')}
        type="email"
        {...bind('email')}
        autoComplete="off"
        error={isAsked && !isAddress(email) ? say('sign-in.email-invalid') : undefined}
      />
      <RoleField {...bind('role')} />
    </FormDialog>
  );
}

function RoleField(o: { readonly value: UserRole; readonly onChange: (role: UserRole) => void }) {
  const options = userRoles.map((value) => ({ value, label: say(`roles.${value}`), help: say(`roles.${value}.help`) }));
  return <RadioField label={say('app.role')} {...o} options={options} />;
}

function UserMenu({ user, open }: OpensDialogs & { readonly user: User }) {
  const { user: own } = useSession();
  const { name, userId, state } = user;
  const params = { userId };
  const enable = useAct('updateUser', { onError: tellError });
  const renew = useAct('renewInvitation', {
    onError: tellError,
    onSuccess: ({ invitationUrl }) => tellInvited({ ...user, invitationUrl }, { open }),
  });
  const signOut = useAct('revokeUserSessions', {
    onError: tellError,
    onSuccess: () => toast({ text: say('users.signed-out', { name }) }),
  });
  const setDisabled = (disabled: boolean) =>
    enable.mutate(
      { params, body: { disabled } },
      {
        onSuccess: () =>
          toast({
            text: say(disabled ? 'users.disabled' : 'users.enabled', { name }),
            onUndo: () => setDisabled(!disabled),
          }),
      },
    );
  const entries: MenuEntry[] = [
    { label: say('users.change-role'), icon: UserCog, onPress: () => open(<ChangeRole user={user} />) },
    state === 'invited'
      ? { label: say('users.renew'), icon: MailPlus, onPress: () => renew.mutate({ params }) }
      : { label: say('users.sign-out'), icon: LogOut, onPress: () => signOut.mutate({ params }) },
  ];
  if (userId !== own.userId) {
    entries.push(
      state === 'disabled'
        ? { label: say('users.enable'), icon: ShieldCheck, onPress: () => setDisabled(false) }
        : { label: say('users.disable'), icon: Ban, onPress: () => setDisabled(true) },
      { label: say('users.remove'), icon: Trash2, kind: 'danger', onPress: () => open(<Remove user={user} />) },
    );
  }
  return <Menu label={say('app.actions-for', { name })} entries={entries} />;
}

const Remove = ({ user: { name, userId } }: { readonly user: User }) => (
  <ConfirmAct
    operation="removeUser"
    input={{ params: { userId } }}
    title={say('users.remove-title', { name })}
    text={say('users.remove-text', { name })}
    action={say('users.remove')}
    told={say('users.removed', { name })}
  />
);

function ChangeRole({ user }: { readonly user: User }) {
  const { name, userId } = user;
  const close = useClose();
  const [role, setRole] = useState<UserRole>(user.role);
  const update = useAct('updateUser', {
    onSuccess: () => {
      close();
      toast({ text: say('users.role-changed', { name }) });
    },
  });
  return (
    <FormDialog
      title={say('users.change-role-title', { name })}
      act={update}
      action={say('users.change-role')}
      isDisabled={role === user.role}
      onSubmit={() => update.mutate({ params: { userId }, body: { role } })}
    >
      <RoleField value={role} onChange={setRole} />
    </FormDialog>
  );
}
