import { type UserRole, userRoles } from '@svc/protocol/roles';
import { Ban, LogOut, MailPlus, ShieldCheck, Trash2, UserCog, UserPlus, Users } from 'lucide';
import { useState } from 'react';
import { useAct, usePages } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { useCan, useSession } from '../../api/session.tsx';
import { Empty, PageHeader } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { RadioField, TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { Badge, type Tone, tellError } from '../../components/status.tsx';
import { toast } from '../../components/toast.tsx';
import { format, language, say } from '../../text/index.ts';

type User = ItemOf<'listUsers'>;
/** An invitation that could not be sent by mail. */
interface Passed {
  readonly name: string;
  readonly url: string;
}

const tones: Readonly<Record<User['state'], Tone>> = { active: 'good', invited: 'accent', disabled: 'neutral' };

/** Who may use the account: invites, changes roles, disables, removes. */
export function UsersPage() {
  const can = useCan();
  const { user: own } = useSession();
  const users = usePages('listUsers');
  const [dialog, setDialog] = useState<'invite' | null>(null);
  const [passed, setPassed] = useState<Passed | null>(null);
  const columns: readonly Column<User>[] = [
    {
      header: say('app.name-of'),
      width: 'minmax(14rem, 2.5fr)',
      sortBy: ({ name }) => name,
      cell: ({ name, email, userId }) => (
        <>
          <span className="svcd-row">
            {name}
            {userId === own.userId && <Badge>{say('users.you')}</Badge>}
          </span>
          <span className="svcd-small svcd-break">{email}</span>
        </>
      ),
    },
    {
      header: say('app.role'),
      sortBy: ({ role }) => userRoles.indexOf(role),
      cell: ({ role }) => say(`roles.${role}`),
    },
    {
      header: say('app.state'),
      cell: ({ state }) => <Badge tone={tones[state]}>{say(`users.state-${state}`)}</Badge>,
    },
    {
      header: say('users.last-sign-in'),
      sortBy: ({ lastSignedInAt }) => lastSignedInAt,
      cell: ({ lastSignedInAt }) => (lastSignedInAt === null ? say('app.never') : format.relative(lastSignedInAt)),
    },
  ];
  const mayWrite = can('users:write');
  return (
    <>
      <PageHeader
        title={say('users.title')}
        lead={say('users.lead')}
        actions={
          mayWrite && (
            <Button kind="primary" icon={UserPlus} onPress={() => setDialog('invite')}>
              {say('users.invite')}
            </Button>
          )
        }
      />
      <DataTable
        label={say('users.title')}
        columns={columns}
        rowKey={({ userId }) => userId}
        pages={users}
        empty={<Empty title={say('users.title')} icon={Users} />}
        {...(mayWrite ? { actions: (user: User) => <UserMenu user={user} onPassed={setPassed} /> } : {})}
      />
      {dialog === 'invite' && <Invite onClose={() => setDialog(null)} onPassed={setPassed} />}
      {passed !== null && (
        <Dialog isKept onClose={() => setPassed(null)} title={say('users.link-title')} cancelLabel={say('app.done')}>
          <p>{say('users.link-text', { name: passed.name })}</p>
          <CopyField label={say('users.link')} value={passed.url} />
        </Dialog>
      )}
    </>
  );
}

function Invite({
  onClose,
  onPassed,
}: {
  readonly onClose: () => void;
  readonly onPassed: (invitation: Passed) => void;
}) {
  const { deployment } = useSession();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<UserRole>('manager');
  const [isAsked, setAsked] = useState(false);
  const invite = useAct('inviteUser', {
    onSuccess: ({ invitationUrl, ...user }) => {
      onClose();
      if (invitationUrl === null) toast({ text: say('users.invited', { email: user.email }) });
      else onPassed({ name: user.name, url: invitationUrl });
    },
  });
  const isName = name.trim() !== '';
  const isEmail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim());

  function send(): void {
    setAsked(true);
    if (isName && isEmail) invite.mutate({ body: { name: name.trim(), email: email.trim(), role, language } });
  }

  return (
    <FormDialog
      onClose={onClose}
      title={say('users.invite-title')}
      act={invite}
      onSubmit={send}
      action={say('users.invite')}
    >
      <p className="svcd-muted">{say(deployment.mail ? 'users.invite-by-mail' : 'users.invite-by-link')}</p>
      <TextField
        label={say('app.name-of')}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={200}
        autoComplete="off"
        error={isAsked && !isName ? say('keys.enter-name') : undefined}
      />
      <TextField
        label={say('app.email')}
        type="email"
        value={email}
        onChange={setEmail}
        autoComplete="off"
        error={isAsked && !isEmail ? say('sign-in.email-invalid') : undefined}
      />
      <RoleField value={role} onChange={setRole} />
    </FormDialog>
  );
}

function RoleField({ value, onChange }: { readonly value: UserRole; readonly onChange: (role: UserRole) => void }) {
  return (
    <RadioField
      label={say('app.role')}
      value={value}
      onChange={onChange}
      options={userRoles.map((role) => ({ value: role, label: say(`roles.${role}`), help: say(`roles.${role}.help`) }))}
    />
  );
}

function UserMenu({ user, onPassed }: { readonly user: User; readonly onPassed: (invitation: Passed) => void }) {
  const { user: own } = useSession();
  const { name, userId } = user;
  const [dialog, setDialog] = useState<'role' | 'remove' | null>(null);
  const [role, setRole] = useState<UserRole>(user.role);
  const close = () => setDialog(null);
  const params = { userId };
  const update = useAct('updateUser', {
    onSuccess: () => {
      close();
      toast({ text: say('users.role-changed', { name }) });
    },
  });
  // Apart from the role, whose dialog says what went wrong.
  const enable = useAct('updateUser', { onError: tellError });
  const remove = useAct('removeUser', {
    onSuccess: () => {
      close();
      toast({ text: say('users.removed', { name }) });
    },
  });
  const renew = useAct('renewInvitation', {
    onError: tellError,
    onSuccess: ({ invitationUrl }) =>
      invitationUrl === null
        ? toast({ text: say('users.invited', { email: user.email }) })
        : onPassed({ name, url: invitationUrl }),
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
  // Somebody else may have changed it since the table was drawn.
  const askForRole = () => {
    update.reset();
    setRole(user.role);
    setDialog('role');
  };
  const isOwn = userId === own.userId;
  const entries: readonly MenuEntry[] = [
    { label: say('users.change-role'), icon: UserCog, onPress: askForRole },
    ...(user.state === 'invited'
      ? [{ label: say('users.renew'), icon: MailPlus, onPress: () => renew.mutate({ params }) }]
      : [{ label: say('users.sign-out'), icon: LogOut, onPress: () => signOut.mutate({ params }) }]),
    ...(isOwn
      ? []
      : [
          user.state === 'disabled'
            ? { label: say('users.enable'), icon: ShieldCheck, onPress: () => setDisabled(false) }
            : { label: say('users.disable'), icon: Ban, onPress: () => setDisabled(true) },
          {
            label: say('users.remove'),
            icon: Trash2,
            kind: 'danger' as const,
            onPress: () => setDialog('remove'),
          },
        ]),
  ];
  return (
    <>
      <Menu label={say('app.actions-for', { name })} entries={entries} />
      {dialog === 'role' && (
        <FormDialog
          onClose={close}
          title={say('users.change-role-title', { name })}
          act={update}
          action={say('users.change-role')}
          isDisabled={role === user.role}
          onSubmit={() => update.mutate({ params, body: { role } })}
        >
          <RoleField value={role} onChange={setRole} />
        </FormDialog>
      )}
      {dialog === 'remove' && (
        <Confirm
          onClose={close}
          title={say('users.remove-title', { name })}
          action={say('users.remove')}
          act={remove}
          onConfirm={() => remove.mutate({ params })}
        >
          <p>{say('users.remove-text', { name })}</p>
        </Confirm>
      )}
    </>
  );
}
