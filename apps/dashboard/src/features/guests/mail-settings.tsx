import {
  fillMail,
  formatDeadline,
  isEmail,
  type MailTemplate,
  type MailTexts,
  mailLanguage,
  templateFault,
} from '@svc/protocol';
import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.ts';
import { useSession } from '../../api/session.tsx';
import { inColumns, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Loading, Notice, Unread } from '../../components/status.tsx';
import { format, language, say } from '../../text/index.ts';
import type { Guest } from './guest-table.ts';
import { OmittedTable } from './links-made.tsx';
import { ValiditySelect } from './links-section.tsx';

const HOUR_MS = 3_600_000;

/** What the organiser chooses for a mailing. */
export interface MailDraft {
  readonly hours: string;
  readonly defaultLanguage: string;
  readonly replyTo: string;
  /** Changed texts alone, by language. */
  readonly texts: Readonly<Record<string, MailTemplate>>;
}

export function useMailDraft(): readonly [MailDraft, (draft: MailDraft) => void] {
  const { user } = useSession();
  const [draft, setDraft] = useState<MailDraft>({
    ...{ hours: '168', defaultLanguage: language, replyTo: user.email, texts: {} },
  });
  return [draft, setDraft];
}

/** Whether a draft can be sent. */
export const isSendable = ({ replyTo, texts }: MailDraft): boolean =>
  (replyTo.trim() === '' || isEmail(replyTo.trim())) &&
  Object.values(texts).every((text) => templateFault(text) === null && text.subject.trim() !== '');

/** A draft as the service takes it. */
export const toMailRequest = ({ hours, defaultLanguage, replyTo, texts }: MailDraft) => ({
  validForHours: Number(hours),
  defaultLanguage,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  replyTo: replyTo.trim() === '' ? null : replyTo.trim(),
  texts: Object.entries(texts).map(([language, template]) => ({ language, ...template })),
});

export interface MailSettingsProps {
  readonly eventId: string;
  readonly kind: 'invitation' | 'reminder';
  /** Languages of the guests, empty for those without one. */
  readonly languages: readonly string[];
  readonly draft: MailDraft;
  readonly onChange: (draft: MailDraft) => void;
}

/** Languages of the texts in which these guests are written, by number of guests. */
export function writtenLanguages(
  languages: readonly string[],
  offered: readonly string[],
  fallback: string,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const wanted of languages) {
    const language = mailLanguage(wanted === '' ? null : wanted, offered, fallback);
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** How a mail is written: validity, languages, answers, texts with a preview. */
export function MailSettings({ eventId, kind, languages, draft, onChange }: MailSettingsProps) {
  const texts = useRead('listMailTexts', {}, { staleMs: Number.POSITIVE_INFINITY });
  const [chosen, setChosen] = useState<string | null>(null);
  if (texts.error !== null || texts.data === undefined) return <Unread query={texts} />;
  const offered = texts.data.items.map(({ language }) => language);
  const names = new Intl.DisplayNames([format.locale], { type: 'language' });
  const nameOf = (language: string) => names.of(language) ?? language;
  const counts = new Map(writtenLanguages(languages, offered, draft.defaultLanguage));
  const shown = chosen ?? [...counts.keys()][0] ?? draft.defaultLanguage;
  const own = draft.texts[shown];
  const template = own ?? templateOf(texts.data, shown, kind);
  const set = (changed: MailTemplate | null) => {
    const { [shown]: _, ...others } = draft.texts;
    onChange({ ...draft, texts: changed === null ? others : { ...others, [shown]: changed } });
  };
  return (
    <>
      <div className="svcd-columns" style={inColumns('12rem', 'end')}>
        <ValiditySelect value={draft.hours} onChange={(hours) => onChange({ ...draft, hours })} />
        <SelectField
          label={say('guests.default-language')}
          help={say('guests.default-language-help')}
          value={draft.defaultLanguage}
          onChange={(defaultLanguage) => onChange({ ...draft, defaultLanguage })}
          options={offered.map((value) => ({ value, label: nameOf(value) }))}
        />
        <TextField
          label={say('guests.reply-to')}
          help={say('guests.reply-to-help')}
          type="email"
          value={draft.replyTo}
          onChange={(replyTo) => onChange({ ...draft, replyTo })}
          error={
            draft.replyTo.trim() === '' || isEmail(draft.replyTo.trim()) ? undefined : say('guests.reply-to-invalid')
          }
        />
      </div>
      <div className="svcd-columns" style={inColumns('20rem')}>
        <div className="svcd-stack">
          <SelectField
            label={say('guests.text-language')}
            value={shown}
            onChange={setChosen}
            options={[...offered]
              .sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0))
              .map((value) => ({
                value,
                label: counts.has(value)
                  ? say('guests.language-of', { language: nameOf(value), count: counts.get(value) ?? 0 })
                  : nameOf(value),
              }))}
          />
          <TextField
            label={say('guests.subject')}
            value={template.subject}
            onChange={(subject) => set({ ...template, subject })}
            maxLength={200}
          />
          <TextField
            label={say('guests.text')}
            help={say('guests.text-help')}
            rows={14}
            value={template.text}
            onChange={(text) => set({ ...template, text })}
            maxLength={5_000}
            error={faultIn(template)}
          />
          {own !== undefined && (
            <div>
              <Button kind="quiet" size="small" onPress={() => set(null)}>
                {say('guests.text-reset')}
              </Button>
            </div>
          )}
        </div>
        <MailPreview eventId={eventId} language={shown} template={template} hours={Number(draft.hours)} />
      </div>
    </>
  );
}

const templateOf = ({ items }: MailTexts, language: string, kind: 'invitation' | 'reminder'): MailTemplate =>
  items.find((one) => one.language === language)?.[kind] ?? { subject: '', text: '' };

function faultIn(template: MailTemplate): string | undefined {
  if (template.subject.trim() === '') return say('guests.text.no-subject');
  const fault = templateFault(template);
  return fault === null ? undefined : say(`guests.text.${fault}`);
}

interface MailPreviewProps {
  readonly eventId: string;
  readonly language: string;
  readonly template: MailTemplate;
  readonly hours: number;
}

/** A mail as a guest gets it, with a link that does not work. */
function MailPreview({ eventId, language, template, hours }: MailPreviewProps) {
  const { deployment } = useSession();
  const event = useRead('getEvent', { params: { eventId } });
  if (event.data === undefined) return <Loading />;
  const { name, endsAt, widget } = event.data;
  const until = new Date(Math.min(Date.now() + hours * HOUR_MS, Date.parse(endsAt)));
  const link = `${deployment.widgetUrl}#svce_…`;
  const filled = fillMail(template, {
    event: name,
    organiser: widget?.organiserName ?? '',
    link,
    deadline: formatDeadline(until, language, Intl.DateTimeFormat().resolvedOptions().timeZone),
    privacy: widget?.privacyNoticeUrl ?? '',
  });
  return (
    <section className="svcd-guests-preview" aria-label={say('app.preview')} aria-live="polite">
      <p className="svcd-help">{say('app.preview')}</p>
      <div lang={language} dir="auto">
        <p className="svcd-guests-subject">{filled.subject}</p>
        <p className="svcd-guests-letter">{filled.text}</p>
      </div>
    </section>
  );
}

export interface SendMailsProps {
  readonly eventId: string;
  readonly guests: readonly Guest[];
  readonly isReady: boolean;
  readonly onSent: () => void;
}

/** Mails guests their links: the texts, a question, then what the service left out. */
export function SendMails({ eventId, guests, isReady, onSent }: SendMailsProps) {
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
        <OmittedTable
          rows={send.data.omitted.map(({ index, reason }) => ({
            line: guests[index]?.line ?? 0,
            ticketId: guests[index]?.ticketId ?? '',
            reason: say(`guests.omission.${reason}`),
          }))}
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
        act={send}
        onConfirm={() => send.mutate({ params: { eventId }, body: { recipients, ...toMailRequest(draft) } })}
      >
        <p>{say('guests.send-help')}</p>
      </Confirm>
    </Section>
  );
}
