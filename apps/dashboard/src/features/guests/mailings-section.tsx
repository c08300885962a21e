import type { MailingRecipientResource, MailingResource } from '@svc/protocol';
import { useState } from 'react';
import { useAct, usePages } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { SelectField } from '../../components/field.tsx';
import { ConfirmAct, Dialog, useClose, useDialog } from '../../components/form.tsx';
import { Badge, Problem, Progress, type Tone, toast } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';
import { ForgottenTicket } from './guest-list.tsx';
import { isSendable, MailSettings, toMailRequest, useMailDraft } from './mail-settings.tsx';

type RecipientState = MailingRecipientResource['state'];
const recipientStates: readonly RecipientState[] = ['waiting', 'sent', 'bounced', 'failed', 'skipped', 'cancelled'];
const tones: Readonly<Record<RecipientState, Tone>> = {
  waiting: 'accent',
  sent: 'good',
  bounced: 'bad',
  failed: 'bad',
  skipped: 'neutral',
  cancelled: 'neutral',
};

const totalOf = ({ recipients }: MailingResource) => Object.values(recipients).reduce((sum, count) => sum + count, 0);

export function MailingsSection({ eventId, canRemind }: { readonly eventId: string; readonly canRemind: boolean }) {
  const pages = usePages('listMailings', { params: { eventId } });
  const { dialog, open } = useDialog();
  if (pages.query.error !== null && pages.items.length === 0) return <Problem error={pages.query.error} />;
  if (pages.items.length === 0) return null;
  return (
    <Section title={say('guests.mailings')} lead={say('guests.mailings-lead')}>
      <ul className="svcd-plain svcd-lines">
        {pages.items.map((each) => {
          const { recipients, remindsMailingId, state } = each;
          const total = totalOf(each);
          const ask = (Asked: typeof CancelDialog) => open(<Asked eventId={eventId} mailing={each} />);
          const lost = recipients.bounced + recipients.failed;
          return (
            <li key={each.mailingId} className="svcd-stack">
              <div className="svcd-row">
                <p>
                  <b>{say(remindsMailingId === null ? 'guests.invitation' : 'guests.reminder')}</b>{' '}
                  <span className="svcd-muted">{format.dateTime(each.createdAt)}</span>{' '}
                  <Badge tone={state === 'sending' ? 'accent' : state === 'done' ? 'good' : 'neutral'}>
                    {say(`guests.mailing.${state}`)}
                  </Badge>
                </p>
                <div className="svcd-row svcd-actions">
                  <Button size="small" onPress={() => ask(RecipientsDialog)} text={say('guests.recipients')} />
                  {canRemind && state !== 'sending' && recipients.sent > 0 && (
                    <Button size="small" onPress={() => ask(ReminderDialog)} text={say('guests.remind')} />
                  )}
                  {canRemind && state === 'sending' && (
                    <Button size="small" kind="danger" onPress={() => ask(CancelDialog)} text={say('guests.cancel')} />
                  )}
                </div>
              </div>
              {state === 'sending' && (
                <Progress
                  label={say('guests.progress', { done: total - recipients.waiting, count: total })}
                  value={total === 0 ? 1 : (total - recipients.waiting) / total}
                />
              )}
              <p className="svcd-row">
                {recipientStates
                  .filter((is) => recipients[is] > 0)
                  .map((is) => (
                    <Badge key={is} tone={tones[is]}>
                      {say(`guests.recipient.${is}`)} {format.number(recipients[is])}
                    </Badge>
                  ))}
              </p>
              {lost > 0 && <p className="svcd-help">{say('guests.bounced-help', { count: lost })}</p>}
            </li>
          );
        })}
      </ul>
      {pages.query.hasNextPage && (
        <Button
          isBusy={pages.query.isFetchingNextPage}
          onPress={() => void pages.query.fetchNextPage()}
          text={say('guests.more')}
        />
      )}
      {dialog}
    </Section>
  );
}

interface DialogOfMailing {
  readonly eventId: string;
  readonly mailing: MailingResource;
}

const columns: readonly Column<MailingRecipientResource>[] = [
  { header: 'guests.row', width: '5rem', cell: ({ index }) => format.number(index + 1) },
  {
    header: 'guests.field.ticket',
    isTitle: true,
    cell: ({ ticketId }) => ticketId ?? <ForgottenTicket why="mailing" />,
  },
  { header: 'app.state', cell: ({ state }) => <Badge tone={tones[state]}>{say(`guests.recipient.${state}`)}</Badge> },
  {
    header: 'app.reason',
    width: 'minmax(10rem, 2fr)',
    cell: ({ reason, smtpStatus, sentAt }) => {
      if (reason !== null) return say(`guests.skip.${reason}`);
      if (smtpStatus !== null) return say('guests.smtp', { status: smtpStatus });
      return sentAt === null ? '' : format.dateTime(sentAt);
    },
  },
];

/** What became of each recipient; without addresses, which the service does not give back. */
function RecipientsDialog({ eventId, mailing }: DialogOfMailing) {
  const [state, setState] = useState<RecipientState | 'all'>(mailing.recipients.bounced > 0 ? 'bounced' : 'all');
  const params = { eventId, mailingId: mailing.mailingId };
  const query = { limit: 100, ...(state === 'all' ? {} : { state }) };
  const pages = usePages('listMailingRecipients', { params, query });
  return (
    <Dialog
      size="wide"
      title={say('guests.recipients-title', { at: format.dateTime(mailing.createdAt) })}
      cancelLabel={say('app.close')}
    >
      <p className="svcd-muted">{say('guests.recipients-help')}</p>
      <SelectField
        label={say('app.state')}
        value={state}
        onChange={setState}
        options={[
          { value: 'all', label: say('guests.state.all') },
          ...recipientStates.map((value) => ({
            value,
            label: `${say(`guests.recipient.${value}`)} (${format.number(mailing.recipients[value])})`,
          })),
        ]}
      />
      <DataTable
        label={say('guests.recipients')}
        pages={pages}
        rowKey={({ index }) => String(index)}
        empty={<Empty title={say('guests.none-found')} />}
        columns={columns}
      />
    </Dialog>
  );
}

function ReminderDialog({ eventId, mailing }: DialogOfMailing) {
  const close = useClose();
  const [draft, setDraft] = useMailDraft();
  const remind = useAct('createMailingReminder', {
    onSuccess: ({ recipients }) => {
      toast({ text: say('guests.reminding', { count: recipients.waiting }) });
      close();
    },
  });
  const params = { eventId, mailingId: mailing.mailingId };
  return (
    <Dialog
      isKept
      size="wide"
      title={say('guests.remind-title')}
      actions={
        <Button
          kind="primary"
          isBusy={remind.isPending}
          isDisabled={!isSendable(draft)}
          onPress={() => remind.mutate({ params, body: toMailRequest(draft) })}
          text={say('guests.remind')}
        />
      }
    >
      <p>{say('guests.remind-help')}</p>
      <MailSettings eventId={eventId} kind="reminder" languages={[]} draft={draft} onChange={setDraft} />
      <Problem error={remind.error} />
    </Dialog>
  );
}

function CancelDialog({ eventId, mailing }: DialogOfMailing) {
  return (
    <ConfirmAct
      operation="cancelMailing"
      input={{ params: { eventId, mailingId: mailing.mailingId } }}
      title={say('guests.cancel-title')}
      text={say('guests.cancel-help', { count: mailing.recipients.waiting })}
      action={say('guests.cancel')}
    />
  );
}
