import { useState } from 'react';
import { useAct } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Section } from '../../components/section.tsx';
import { isSendable, MailSettings, toMailRequest, useMailDraft } from './mail-settings.tsx';
import type { Guest } from './read-guests.ts';

export interface SendMailsProps {
  readonly eventId: string;
  readonly guests: readonly Guest[];
  readonly isReady: boolean;
  readonly onSent: () => void;
}

/** Mails guests their links: the texts, a question, then what the service left out. */
export function SendMails({ eventId, guests, isReady, onSent }: SendMailsProps) {
  const say = useSay();
  const format = useFormat();
  const [draft, setDraft] = useMailDraft();
  const [isAsking, setAsking] = useState(false);
  const send = useAct('createMailing', {
    onSuccess: ({ omitted }) => {
      setAsking(false);
      if (omitted.length === 0) onSent();
    },
  });
  const recipients = guests.map(({ ticketId, email, language }) => ({
    ...{ ticketId, email },
    ...(language === '' ? {} : { language }),
  }));
  if (send.data !== undefined && send.data.omitted.length > 0) {
    return (
      <Section
        title={say('guests.sending', { count: send.data.recipients.waiting })}
        actions={
          <Button kind="primary" onPress={onSent}>
            {say('guests.to-progress')}
          </Button>
        }
      >
        <Notice tone="warning" title={say('guests.faulty', { count: send.data.omitted.length })} />
        <DataTable
          label={say('guests.omitted')}
          rows={send.data.omitted}
          rowKey={({ index }) => String(index)}
          columns={[
            {
              id: 'line',
              header: say('guests.line'),
              width: '5rem',
              cell: ({ index }) => format.number(guests[index]?.line ?? 0),
            },
            {
              id: 'ticket',
              header: say('guests.field.ticket'),
              isTitle: true,
              cell: ({ index }) => guests[index]?.ticketId ?? '',
            },
            { id: 'reason', header: say('guests.reason'), cell: ({ reason }) => say(`guests.omission.${reason}`) },
          ]}
        />
      </Section>
    );
  }
  return (
    <Section title={say('guests.mail')} lead={say('guests.mail-lead')}>
      <MailSettings
        eventId={eventId}
        kind="invitation"
        languages={guests.map(({ language }) => language)}
        draft={draft}
        onChange={setDraft}
      />
      <div className="svcd-actions">
        <Button kind="primary" isDisabled={!isReady || !isSendable(draft)} onPress={() => setAsking(true)}>
          {say('guests.send-mails', { count: guests.length })}
        </Button>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say('guests.send-title', { count: guests.length })}
        action={say('guests.send')}
        kind="primary"
        isBusy={send.isPending}
        onConfirm={() => send.mutate({ params: { eventId }, body: { recipients, ...toMailRequest(draft) } })}
      >
        <p>{say('guests.send-help')}</p>
        {send.error !== null && <Problem error={send.error} />}
      </Confirm>
    </Section>
  );
}
