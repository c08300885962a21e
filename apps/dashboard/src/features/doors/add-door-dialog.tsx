import type { AddedDevice } from '@svc/protocol';
import { CircleCheck } from 'lucide';
import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.ts';
import { Icon } from '../../components/controls.tsx';
import { TextField } from '../../components/field.tsx';
import { Dialog, FormDialog } from '../../components/form.tsx';
import { CopyField, QrCode } from '../../components/hand-over.tsx';
import { Notice } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';

/** Asked for besides the stream: somebody stands there with the device in hand. */
const WAIT_MS = 5_000;

export interface AddDoorDialogProps {
  readonly listId: string;
  /** How many there are, for a name. */
  readonly count: number;
  readonly onClose: () => void;
}

/** Adds a door: its name, then its pairing code, shown once, until the device has synced. */
export function AddDoorDialog({ listId, count, onClose }: AddDoorDialogProps) {
  const [name, setName] = useState(say('doors.default-name', { number: count + 1 }));
  const [added, setAdded] = useState<AddedDevice | null>(null);
  const add = useAct('addDevice', { onSuccess: setAdded, alsoChanges: ['events'] });
  if (added !== null) return <PairStep listId={listId} added={added} onClose={onClose} />;
  const named = name.trim();
  return (
    <FormDialog
      holdsSecret
      onClose={onClose}
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

interface PairStepProps extends Pick<AddDoorDialogProps, 'listId' | 'onClose'> {
  readonly added: AddedDevice;
}

function PairStep({ listId, added, onClose }: PairStepProps) {
  const params = { listId, deviceId: added.id };
  const door = useRead('getDevice', { params }, { everyMs: WAIT_MS, staleMs: 0 });
  const name = added.name ?? added.id.slice(-6);
  if (door.data !== undefined && door.data.lastSyncAt !== null) {
    return (
      <Dialog onClose={onClose} title={say('doors.paired', { name })} cancelLabel={say('app.close')}>
        <p className="svcd-paired" role="status">
          <Icon of={CircleCheck} />
          <span>{say('doors.paired-help', { people: door.data.pack?.people ?? 0 })}</span>
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog isKept onClose={onClose} title={say('doors.pair', { name })} cancelLabel={say('app.done')}>
      {added.pairingUrl === null ? (
        <Notice tone="warning" title={say('doors.no-kiosk')} text={say('doors.no-kiosk-help')} />
      ) : (
        <div className="svcd-pairing">
          <QrCode text={added.pairingUrl} label={say('doors.code-label', { name })} />
          <ol className="svcd-bullets">
            <li>{say('doors.pair-1')}</li>
            <li>{say('doors.pair-2')}</li>
            <li>{say('doors.pair-3')}</li>
          </ol>
        </div>
      )}
      <p className="svcd-waiting" role="status">
        <span className="svcd-spinner" aria-hidden="true" />
        {say('doors.waiting')}
      </p>
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
