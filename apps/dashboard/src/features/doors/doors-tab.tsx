import type { AddedDevice, DeviceResource } from '@svc/protocol';
import { Ban, CircleCheck, Info, NotebookPen, Pencil, Plus, Printer, QrCode as QrIcon } from 'lucide';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useCan, useRead } from '../../api/hooks.ts';
import { Empty, Facts, Section } from '../../components/blocks.tsx';
import { Button, Icon } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { Dialog, FormDialog, useClose, useDialog } from '../../components/form.tsx';
import { CopyField, LocalOnly, QrCode } from '../../components/hand-over.tsx';
import { ActOnMany } from '../../components/many.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { MetadataDialog } from '../../components/metadata.tsx';
import { Notice, toast, Unread } from '../../components/status.tsx';
import { listTab } from '../../components/tabbed-page.tsx';
import { format, say, useNow, words } from '../../text/index.ts';
import { DoorAlert, DoorBadge, helpOf, nameOf, servesUnattended, useDoors } from './door-alert.tsx';
import { DoorSheet } from './door-sheet.tsx';

export const DoorsTab = listTab(QrIcon, 'app.no-list', 'doors.no-list-help', Doors);

function Doors({ listId }: { readonly listId: string }) {
  const mayWrite = useCan()('devices:write');
  const { dialog, open } = useDialog();
  const [showsRevoked, setShowsRevoked] = useState(false);
  const { query, doors } = useDoors(listId);
  const revoked = useDoors(listId, { revoked: true, enabled: showsRevoked });
  const openAdd = () => open(<AddDoorDialog listId={listId} count={doors.length} />);
  const openSheet = () => open(<DoorSheet listId={listId} doors={doors} />);
  const add = mayWrite && <Button kind="primary" icon={Plus} onPress={openAdd} text={say('doors.add')} />;
  return (
    <div className="svcd-stack">
      <DoorAlert />
      <Section
        title={say('doors.tab')}
        lead={say('doors.lead')}
        actions={
          doors.length > 0 && (
            <>
              <Button icon={Printer} onPress={openSheet} text={say('sheet.title')} />
              {add}
            </>
          )
        }
      >
        {query.data === undefined ? (
          <Unread query={query} />
        ) : (
          <DoorTable
            label={say('doors.tab')}
            listId={listId}
            doors={doors}
            mayWrite={mayWrite}
            empty={<Empty title={say('doors.none')} icon={QrIcon} action={add} text={say('doors.none-help')} />}
          />
        )}
        <CheckField label={say('doors.show-revoked')} value={showsRevoked} onChange={setShowsRevoked} />
        {showsRevoked && revoked.query.data === undefined && <Unread query={revoked.query} />}
        {showsRevoked && revoked.query.data !== undefined && (
          <DoorTable
            label={say('doors.revoked')}
            listId={listId}
            doors={revoked.doors}
            mayWrite={false}
            empty={<p className="svcd-muted">{say('doors.none-revoked')}</p>}
          />
        )}
      </Section>
      {dialog}
    </div>
  );
}

const columns: readonly Column<DeviceResource>[] = [
  { header: 'doors.door', width: 'minmax(7rem, 1.4fr)', sortBy: nameOf },
  {
    header: 'app.state',
    width: 'minmax(11.5rem, 1fr)',
    sortBy: ({ state }) => say(`doors.state.${state}`),
    cell: ({ state }) => <DoorBadge state={state} />,
  },
  {
    header: 'doors.last-sync',
    width: 'minmax(8.5rem, 1.2fr)',
    sortBy: ({ lastSyncAt }) => lastSyncAt,
    cell: ({ lastSyncAt }) =>
      lastSyncAt === null ? <span className="svcd-muted">{say('doors.never')}</span> : <Ago at={lastSyncAt} />,
  },
  {
    header: 'people.tab',
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

function Ago({ at }: { readonly at: string }) {
  const nowMs = useNow();
  return (
    <span className="svcd-two-lines">
      <span>{format.relative(at, nowMs)}</span>
      <time className="svcd-small" dateTime={at}>
        {format.dateTime(at)}
      </time>
    </span>
  );
}

interface DoorTableProps {
  readonly label: string;
  readonly listId: string;
  readonly doors: readonly DeviceResource[];
  readonly mayWrite: boolean;
  readonly empty: ReactNode;
}

function DoorTable({ listId, doors, mayWrite, ...table }: DoorTableProps) {
  const { dialog, open } = useDialog();
  const revoke = (some: readonly DeviceResource[]) =>
    open(<RevokeDoors listId={listId} doors={some} all={doors.length} />);
  const menuOf = (door: DeviceResource) => {
    const entries: MenuEntry[] = [
      { label: say('doors.details'), icon: Info, onPress: () => open(<DetailsDialog door={door} />) },
    ];
    if (mayWrite) {
      const o = { operation: 'updateDevice', params: { listId, deviceId: door.id }, before: door.metadata } as const;
      entries.push(
        { label: say('metadata.title'), icon: NotebookPen, onPress: () => open(<MetadataDialog {...o} />) },
        { label: say('doors.rename'), icon: Pencil, onPress: () => open(<RenameDialog listId={listId} door={door} />) },
        {
          label: say('doors.revoke'),
          icon: Ban,
          kind: 'danger',
          onPress: () => revoke([door]),
        },
      );
    }
    return <Menu label={say('app.actions-for', { name: nameOf(door) })} entries={entries} />;
  };
  const bulkOf = (marked: readonly DeviceResource[]) => {
    const text = say('doors.revoke-do', { count: marked.length });
    return <Button size="small" kind="danger" icon={Ban} onPress={() => revoke(marked)} text={text} />;
  };
  return (
    <>
      <DataTable
        {...table}
        columns={columns}
        rows={doors}
        rowKey={({ id }) => id}
        actions={menuOf}
        bulk={mayWrite && bulkOf}
      />
      {dialog}
    </>
  );
}

interface DoorDialogProps {
  readonly listId: string;
  readonly door: DeviceResource;
}

function DetailsDialog({ door }: Pick<DoorDialogProps, 'door'>) {
  const at = (time: string | null) => (time === null ? '–' : format.dateTime(time));
  const { pack } = door;
  const packText =
    pack === null
      ? '–'
      : say(pack.isConfirmed ? 'doors.pack' : 'doors.pack-sent', { people: pack.people, version: pack.version });
  return (
    <Dialog title={nameOf(door)} cancelLabel={say('app.close')}>
      <div className="svcd-row">
        <DoorBadge state={door.state} />
      </div>
      <p>{helpOf(door)}</p>
      <Facts
        facts={{
          'doors.last-sync': at(door.lastSyncAt),
          'doors.lease': at(door.leaseEndsAt),
          'doors.copy': packText,
          'doors.sdk': door.sdkVersion ?? say('doors.not-told'),
          'doors.engines': door.engineIds.join(', ') || say('doors.not-told'),
          'doors.unattended': servesUnattended(door)
            ? say('doors.unattended-able')
            : say((door.attendances ?? []).length === 0 ? 'doors.not-told' : 'doors.unattended-unable'),
          'doors.added': at(door.createdAt),
          'doors.deadline': door.expiresAt === null ? say('doors.no-deadline') : at(door.expiresAt),
          'doors.revoked-at': door.revokedAt === null ? null : at(door.revokedAt),
        }}
      />
      <p className="svcd-small">{say('doors.known')}</p>
      <p className="svcd-small svcd-code">{door.id}</p>
    </Dialog>
  );
}

function RenameDialog({ listId, door }: DoorDialogProps) {
  const close = useClose();
  const [name, setName] = useState(door.name ?? '');
  const rename = useAct('updateDevice', {
    onSuccess: () => {
      toast({ text: say('app.saved') });
      close();
    },
  });
  return (
    <FormDialog
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

type RevokeDoorsProps = Pick<DoorTableProps, 'listId' | 'doors'> & { /** Doors of the list. */ readonly all: number };

function RevokeDoors({ listId, doors, all }: RevokeDoorsProps) {
  const count = doors.length;
  const paired = doors.filter(({ lastSyncAt }) => lastSyncAt !== null);
  const until = paired
    .flatMap(({ leaseEndsAt }) => leaseEndsAt ?? [])
    .sort()
    .at(-1);
  return (
    <ActOnMany
      title={say('doors.revoke-title', { count, name: doors.map(nameOf).join(', ') })}
      action={say('doors.revoke-do', { count })}
      rows={doors}
      nameOf={nameOf}
      act={({ id }) => api.call('revokeDevice', { params: { listId, deviceId: id } })}
      changes={['lists', 'events']}
    >
      <ul className="svcd-bullets">
        <li>{say(paired.length === 0 ? 'doors.revoke-unused' : 'doors.revoke-wipe')}</li>
        {until !== undefined && <li>{say('doors.revoke-lease', { until: format.dateTime(until) })}</li>}
        <li>{say(count === all ? 'doors.revoke-all' : 'doors.revoke-others')}</li>
      </ul>
      <p>{say('doors.revoke-final')}</p>
    </ActOnMany>
  );
}

/** Asked for besides the stream: somebody stands there with the device in hand. */
const WAIT_MS = 5_000;

export interface AddDoorDialogProps {
  readonly listId: string;
  readonly count: number;
}

/** Adds a door: its name, then its pairing code, shown once, until the device has synced. */
export function AddDoorDialog({ listId, count }: AddDoorDialogProps) {
  const [name, setName] = useState(say('doors.default-name', { number: count + 1 }));
  const [added, setAdded] = useState<AddedDevice | null>(null);
  const add = useAct('addDevice', { onSuccess: setAdded, alsoChanges: ['events'] });
  if (added !== null) return <PairStep listId={listId} added={added} />;
  const named = name.trim();
  return (
    <FormDialog
      holdsSecret
      title={say('doors.add')}
      act={add}
      action={say('doors.show-code')}
      onSubmit={() => add.mutate({ params: { listId }, body: named === '' ? {} : { name: named } })}
    >
      <TextField
        {...words('doors.name')}
        value={name}
        onChange={setName}
        maxLength={200}
        autoFocus
        autoComplete="off"
      />
    </FormDialog>
  );
}

function PairStep({ listId, added }: { readonly listId: string; readonly added: AddedDevice }) {
  const params = { listId, deviceId: added.id };
  const door = useRead('getDevice', { params }, { everyMs: WAIT_MS, staleMs: 0 });
  const name = added.name ?? added.id.slice(-6);
  if (door.data !== undefined && door.data.lastSyncAt !== null) {
    return (
      <Dialog title={say('doors.paired', { name })} cancelLabel={say('app.close')}>
        <p className="svcd-row svcd-paired" role="status">
          <Icon of={CircleCheck} />
          <span>{say('doors.paired-help', { people: door.data.pack?.people ?? 0 })}</span>
        </p>
      </Dialog>
    );
  }
  if (door.data?.state === 'unsuited') {
    return (
      <Dialog title={say('doors.pair', { name })} cancelLabel={say('app.close')}>
        <Notice tone="bad" title={say('doors.state.unsuited')} text={helpOf(door.data)} />
      </Dialog>
    );
  }
  return (
    <Dialog isKept title={say('doors.pair', { name })} cancelLabel={say('app.done')}>
      {added.pairingUrl === null ? (
        <Notice tone="warning" title={say('doors.no-kiosk')} text={say('doors.no-kiosk-help')} />
      ) : (
        <div className="svcd-columns">
          <QrCode text={added.pairingUrl} label={say('doors.code-label', { name })} />
          <ol className="svcd-bullets">
            <li>{say('doors.pair-1')}</li>
            <li>{say('doors.pair-2')}</li>
            <li>{say('doors.pair-3')}</li>
          </ol>
        </div>
      )}
      <p className="svcd-row" role="status">
        <span className="svcd-spinner" aria-hidden="true" />
        {say('doors.waiting')}
      </p>
      {added.pairingUrl !== null && <LocalOnly url={added.pairingUrl} />}
      <Notice tone="warning" text={say('doors.code-once')} />
      <details>
        <summary>{say('doors.by-hand')}</summary>
        <div className="svcd-stack">
          {added.pairingUrl !== null && <CopyField {...words('doors.link')} value={added.pairingUrl} />}
          <CopyField {...words('doors.token')} value={added.token} />
          {added.expiresAt !== null && (
            <p className="svcd-small">{say('doors.until', { until: format.dateTime(added.expiresAt) })}</p>
          )}
        </div>
      </details>
    </Dialog>
  );
}
