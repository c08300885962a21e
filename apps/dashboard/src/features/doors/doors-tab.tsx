import type { DeviceResource } from '@svc/protocol';
import { Ban, Info, Pencil, Plus, QrCode as QrIcon } from 'lucide';
import { useState } from 'react';
import { useAct } from '../../api/hooks.ts';
import { useCan } from '../../api/session.tsx';
import { Empty, Facts, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form.tsx';
import { Menu } from '../../components/menu.tsx';
import { Unread } from '../../components/status.tsx';
import { useCurrentList } from '../../components/tabbed-page.tsx';
import { toast } from '../../components/toast.tsx';
import { format, say, useNow } from '../../text/index.ts';
import { AddDoorDialog } from './add-door-dialog.tsx';
import { DoorAlert, useDoors } from './door-alert.tsx';
import { DoorBadge, helpOf, nameOf } from './door-state.tsx';

type Asked = { readonly what: 'details' | 'rename' | 'revoke'; readonly door: DeviceResource } | null;

/** The doors of a list: their states, adding, renaming and revoking. */
export function DoorsTab() {
  const { listId } = useCurrentList();
  return listId === null ? (
    <Empty title={say('app.no-list')} icon={QrIcon}>
      {say('doors.no-list-help')}
    </Empty>
  ) : (
    <Doors listId={listId} />
  );
}

function Doors({ listId }: { readonly listId: string }) {
  const mayWrite = useCan()('devices:write');
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<Asked>(null);
  const [showsRevoked, setShowsRevoked] = useState(false);
  const { query, doors } = useDoors(listId);
  const add = mayWrite ? (
    <Button kind="primary" icon={Plus} onPress={() => setAdding(true)}>
      {say('doors.add')}
    </Button>
  ) : undefined;
  return (
    <div className="svcd-stack">
      <DoorAlert />
      <Section title={say('doors.tab')} lead={say('doors.lead')} actions={doors.length === 0 ? undefined : add}>
        {query.data === undefined ? (
          <Unread query={query} />
        ) : (
          <DoorTable
            doors={doors}
            onAsk={setAsked}
            empty={
              <Empty title={say('doors.none')} icon={QrIcon} action={add}>
                {say('doors.none-help')}
              </Empty>
            }
          />
        )}
        <CheckField label={say('doors.show-revoked')} value={showsRevoked} onChange={setShowsRevoked} />
        {showsRevoked && <RevokedDoors listId={listId} onAsk={setAsked} />}
      </Section>
      <AddDoorDialog listId={listId} count={doors.length} isOpen={isAdding} onClose={() => setAdding(false)} />
      {asked?.what === 'details' && <DetailsDialog door={asked.door} onClose={() => setAsked(null)} />}
      {asked?.what === 'rename' && <RenameDialog listId={listId} door={asked.door} onClose={() => setAsked(null)} />}
      {asked?.what === 'revoke' && <RevokeDialog listId={listId} door={asked.door} onClose={() => setAsked(null)} />}
    </div>
  );
}

function RevokedDoors({ listId, onAsk }: { readonly listId: string; readonly onAsk: (asked: Asked) => void }) {
  const { query, doors } = useDoors(listId, { revoked: true });
  if (query.data === undefined) return <Unread query={query} />;
  return (
    <DoorTable
      doors={doors}
      onAsk={onAsk}
      empty={<p className="svcd-muted">{say('doors.none-revoked')}</p>}
      isRevoked
    />
  );
}

function DoorTable({
  doors,
  onAsk,
  empty,
  isRevoked = false,
}: {
  readonly doors: readonly DeviceResource[];
  readonly onAsk: (asked: Asked) => void;
  readonly empty: React.ReactNode;
  readonly isRevoked?: boolean;
}) {
  const nowMs = useNow();
  const mayWrite = useCan()('devices:write') && !isRevoked;
  const columns: readonly Column<DeviceResource>[] = [
    {
      header: say('doors.door'),
      width: 'minmax(7rem, 1.4fr)',
      sortBy: nameOf,
      cell: nameOf,
    },
    {
      header: say('app.state'),
      width: 'minmax(11.5rem, 1fr)',
      sortBy: ({ state }) => say(`doors.state.${state}`),
      cell: ({ state }) => <DoorBadge state={state} />,
    },
    {
      header: say('doors.last-sync'),
      width: 'minmax(8.5rem, 1.2fr)',
      sortBy: ({ lastSyncAt }) => lastSyncAt,
      cell: ({ lastSyncAt }) =>
        lastSyncAt === null ? (
          <span className="svcd-muted">{say('doors.never')}</span>
        ) : (
          <span className="svcd-two-lines">
            <span>{format.relative(lastSyncAt, nowMs)}</span>
            <time className="svcd-small" dateTime={lastSyncAt}>
              {format.dateTime(lastSyncAt)}
            </time>
          </span>
        ),
    },
    {
      header: say('doors.people'),
      align: 'end',
      width: 'minmax(5.5rem, 0.7fr)',
      sortBy: ({ pack }) => pack?.people ?? null,
      cell: ({ pack }) =>
        pack === null ? (
          '–'
        ) : (
          <span className="svcd-two-lines">
            <span>{format.number(pack.people)}</span>
            <span className="svcd-small">{say('doors.version', { version: format.number(pack.version) })}</span>
          </span>
        ),
    },
  ];
  return (
    <DataTable
      label={say(isRevoked ? 'doors.revoked' : 'doors.tab')}
      columns={columns}
      rows={doors}
      rowKey={({ id }) => id}
      empty={empty}
      actions={(door) => (
        <Menu
          label={say('app.actions-for', { name: nameOf(door) })}
          entries={[
            { label: say('doors.details'), icon: Info, onPress: () => onAsk({ what: 'details', door }) },
            ...(mayWrite
              ? [
                  { label: say('doors.rename'), icon: Pencil, onPress: () => onAsk({ what: 'rename', door }) },
                  {
                    label: say('doors.revoke'),
                    icon: Ban,
                    kind: 'danger' as const,
                    onPress: () => onAsk({ what: 'revoke', door }),
                  },
                ]
              : []),
          ]}
        />
      )}
    />
  );
}

interface DoorDialogProps {
  readonly door: DeviceResource;
  readonly onClose: () => void;
}

/** All that is known of a door. */
function DetailsDialog({ door, onClose }: DoorDialogProps) {
  const at = (time: string | null) => (time === null ? '–' : format.dateTime(time));
  const { pack } = door;
  const packText =
    pack === null
      ? '–'
      : say(pack.isConfirmed ? 'doors.pack' : 'doors.pack-sent', { people: pack.people, version: pack.version });
  return (
    <Dialog onClose={onClose} title={nameOf(door)} cancelLabel={say('app.close')}>
      <div className="svcd-row">
        <DoorBadge state={door.state} />
      </div>
      <p>{helpOf(door)}</p>
      <Facts
        facts={[
          { label: say('doors.last-sync'), value: at(door.lastSyncAt) },
          { label: say('doors.lease'), value: at(door.leaseEndsAt) },
          { label: say('doors.copy'), value: packText },
          { label: say('doors.sdk'), value: door.sdkVersion ?? say('doors.not-told') },
          { label: say('doors.engines'), value: door.engineIds.join(', ') || say('doors.not-told') },
          { label: say('doors.added'), value: at(door.createdAt) },
          {
            label: say('doors.deadline'),
            value: door.expiresAt === null ? say('doors.no-deadline') : at(door.expiresAt),
          },
          ...(door.revokedAt === null ? [] : [{ label: say('doors.revoked-at'), value: at(door.revokedAt) }]),
        ]}
      />
      <p className="svcd-small">{say('doors.known')}</p>
      <CopyId id={door.id} />
    </Dialog>
  );
}

function CopyId({ id }: { readonly id: string }) {
  return <p className="svcd-small svcd-code">{id}</p>;
}

function RenameDialog({ listId, door, onClose }: DoorDialogProps & { readonly listId: string }) {
  const [name, setName] = useState(door.name ?? '');
  const rename = useAct('updateDevice', {
    onSuccess: () => {
      toast({ text: say('app.saved') });
      onClose();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={say('doors.rename-title', { name: nameOf(door) })}
      act={rename}
      action={say('app.save')}
      isDisabled={name.trim() === ''}
      onSubmit={() => rename.mutate({ params: { listId, deviceId: door.id }, body: { name: name.trim() } })}
    >
      <TextField
        label={say('doors.name')}
        help={say('doors.rename-help')}
        value={name}
        onChange={setName}
        maxLength={200}
        autoFocus
        autoComplete="off"
      />
    </FormDialog>
  );
}

function RevokeDialog({ listId, door, onClose }: DoorDialogProps & { readonly listId: string }) {
  const revoke = useAct('revokeDevice', {
    alsoChanges: ['events'],
    onSuccess: () => {
      toast({ text: say('doors.revoked-done', { name: nameOf(door) }) });
      onClose();
    },
  });
  return (
    <Confirm
      onClose={onClose}
      title={say('doors.revoke-title', { name: nameOf(door) })}
      action={say('doors.revoke')}
      act={revoke}
      onConfirm={() => revoke.mutate({ params: { listId, deviceId: door.id } })}
    >
      {door.lastSyncAt === null ? (
        <p>{say('doors.revoke-unused')}</p>
      ) : (
        <ul className="svcd-bullets">
          <li>{say('doors.revoke-wipe')}</li>
          {door.leaseEndsAt !== null && (
            <li>{say('doors.revoke-lease', { until: format.dateTime(door.leaseEndsAt) })}</li>
          )}
          <li>{say('doors.revoke-others')}</li>
        </ul>
      )}
      <p>{say('doors.revoke-final')}</p>
    </Confirm>
  );
}
