import type { GuestResource } from '@svc/protocol';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import { Button } from '../../components/controls.tsx';
import { SelectField } from '../../components/field.tsx';
import { Dialog } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { ActOnMany } from '../../components/many.tsx';
import { Notice, Problem } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';

const DAY_HOURS = 24;

interface LinkDialogProps {
  readonly eventId: string;
  readonly onDone: () => void;
}

export function RevokeLinks({
  eventId,
  guests,
  onDone,
}: LinkDialogProps & { readonly guests: readonly GuestResource[] }) {
  const nameOf = ({ ticketId, token }: GuestResource) => ticketId ?? token?.tokenId ?? '';
  const count = guests.length;
  return (
    <ActOnMany
      title={say('guests.revoke-title', { count })}
      action={say('guests.revoke-do', { count })}
      rows={guests}
      nameOf={nameOf}
      act={({ token }) => api.call('revokeEnrolmentToken', { params: { eventId, tokenId: token?.tokenId ?? '' } })}
      changes={['events', 'lists']}
      onDone={onDone}
    >
      <p>{say('guests.revoke-help', { count, ticket: guests.map(nameOf).join(', ') })}</p>
    </ActOnMany>
  );
}

export function RenewDialog({ eventId, ticketId, onDone }: LinkDialogProps & { readonly ticketId: string }) {
  const [hours, setHours] = useState('168');
  const renew = useAct('createEnrolmentTokenBatch', { onSuccess: onDone });
  const [link] = renew.data?.items ?? [];
  const make = () => {
    const body = { ticketIds: [ticketId], validForHours: Number(hours), ifLinked: 'replace' as const };
    renew.mutate({ params: { eventId }, body });
  };
  return (
    <Dialog
      isKept={link !== undefined}
      isWaiting={renew.isPending}
      title={say('guests.renew-title', { ticket: ticketId })}
      {...(link === undefined ? {} : { cancelLabel: say('app.close') })}
      actions={
        link === undefined && (
          <Button kind="primary" isBusy={renew.isPending} onPress={make} text={say('guests.renew')} />
        )
      }
    >
      {link === undefined ? (
        <>
          <p>{say('guests.renew-help')}</p>
          <ValiditySelect value={hours} onChange={setHours} />
        </>
      ) : (
        <>
          <Notice tone="warning" text={say('guests.shown-once')} />
          <CopyField
            label={say('guests.file.link')}
            value={link.url}
            help={say('guests.valid-until-at', { at: format.dateTime(link.expiresAt) })}
          />
        </>
      )}
      <Problem error={renew.error} />
    </Dialog>
  );
}

/** How long links are valid. @param o.value hours */
export function ValiditySelect(o: { readonly value: string; readonly onChange: (value: string) => void }) {
  const options = [1, 3, 7, 14].map((count) => ({
    value: String(count * DAY_HOURS),
    label: say('app.days', { count }),
  }));
  return <SelectField {...words('guests.validity')} {...o} options={options} />;
}
