import type { EnrolmentTokenResource } from '@svc/protocol';
import { useState } from 'react';
import { useAct } from '../../api/hooks.ts';
import { Button } from '../../components/controls.tsx';
import { SelectField } from '../../components/field.tsx';
import { ConfirmAct, Dialog } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Notice, Problem } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';

const DAY_HOURS = 24;

interface LinkDialogProps {
  readonly eventId: string;
  readonly onDone: () => void;
}

export function RevokeDialog({
  eventId,
  token,
  onDone,
}: LinkDialogProps & { readonly token: Pick<EnrolmentTokenResource, 'tokenId' | 'ticketId'> }) {
  return (
    <ConfirmAct
      operation="revokeEnrolmentToken"
      input={{ params: { eventId, tokenId: token.tokenId } }}
      title={say('guests.revoke-title')}
      text={say('guests.revoke-help', { ticket: token.ticketId ?? '' })}
      action={say('app.revoke')}
      told={say('guests.revoked')}
      onDone={onDone}
    />
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
