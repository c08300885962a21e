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
import { useRead, useSession } from '../../api/hooks.ts';
import type { AnswerOf } from '../../api/operations.ts';
import { inColumns, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { binder, ConfirmAct, useDialog } from '../../components/form.tsx';
import { Loading, Notice, Unread } from '../../components/status.tsx';
import { format, language, say, words } from '../../text/index.ts';
import { type Guest, omittedOf } from './guest-table.ts';
import { ValiditySelect } from './link-dialogs.tsx';
import { OmittedTable } from './links-made.tsx';

const HOUR_MS = 3_600_000;

export interface MailDraft {
  readonly hours: string;
  readonly defaultLanguage: string;
  readonly replyTo: string;
  /** Changed texts alone, by language. */
  readonly texts: Readonly<Record<string, MailTemplate>>;
}

/** A hook: the draft, as `useState` has it. */
export function useMailDraft() {
  const { user } = useSession();
  return useState<MailDraft>({ hours: '168', defaultLanguage: language, replyTo: user.email, texts: {} });
}

const isReplyTo = (text: string): boolean => text.trim() === '' || isEmail(text.trim());

export const isSendable = ({ replyTo, texts }: MailDraft): boolean =>
  isReplyTo(replyTo) &&
  Object.values(texts).every((text) => templateFault(text) === null && text.subject.trim() !== '');

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

export function MailSettings({ eventId, kind, languages, draft, onChange }: MailSettingsProps) {
  const texts = useRead('listMailTexts', {}, { staleMs: Number.POSITIVE_INFINITY });
  const [chosen, setChosen] = useState<string | null>(null);
  if (texts.error !== null || texts.data === undefined) return <Unread query={texts} />;
  const offered = texts.data.items.map((each) => each.language);
  const names = new Intl.DisplayNames([format.locale], { type: 'language' });
  const nameOf = (tag: string) => names.of(tag) ?? tag;
  const bind = binder(draft, (changes) => onChange({ ...draft, ...changes }));
  /** How many guests are written to in a language. */
  const counts = new Map<string, number>();
  for (const wanted of languages) {
    const tag = mailLanguage(wanted === '' ? null : wanted, offered, draft.defaultLanguage);
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const countOf = (tag: string) => counts.get(tag) ?? 0;
  const byCount = offered.toSorted((one, other) => countOf(other) - countOf(one));
  const most = byCount.find((tag) => countOf(tag) > 0) ?? draft.defaultLanguage;
  const shown = chosen ?? most;
  const own = draft.texts[shown];
  const template = own ?? templateOf(texts.data, shown, kind);
  const set = (changed: MailTemplate | null) => {
    const { [shown]: _, ...others } = draft.texts;
    onChange({ ...draft, texts: changed === null ? others : { ...others, [shown]: changed } });
  };
  const bindText = binder(template, (changes) => set({ ...template, ...changes }));
  return (
    <>
      <div className="svcd-columns" style={inColumns('12rem', 'end')}>
        <ValiditySelect {...bind('hours')} />
        <SelectField
          {...words('guests.default-language')}
          {...bind('defaultLanguage')}
          options={offered.map((value) => ({ value, label: nameOf(value) }))}
        />
        <TextField
          {...words('guests.reply-to')}
          type="email"
          {...bind('replyTo')}
          error={isReplyTo(draft.replyTo) ? undefined : say('guests.reply-to-invalid')}
        />
      </div>
      <div className="svcd-columns" style={inColumns('20rem')}>
        <div className="svcd-stack">
          <SelectField
            label={say('guests.text-language')}
            value={shown}
            onChange={setChosen}
            options={byCount.map((value) => ({
              value,
              label:
                countOf(value) > 0
                  ? say('guests.language-of', { language: nameOf(value), count: countOf(value) })
                  : nameOf(value),
            }))}
          />
          <TextField label={say('guests.subject')} {...bindText('subject')} maxLength={200} />
          <TextField
            {...words('guests.text')}
            rows={14}
            {...bindText('text')}
            maxLength={5_000}
            error={faultIn(template)}
          />
          {own !== undefined && (
            <div>
              <Button kind="quiet" size="small" onPress={() => set(null)} text={say('guests.text-reset')} />
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
    <section className="svcd-section svcd-panel" aria-label={say('app.preview')} aria-live="polite">
      <p className="svcd-help">{say('app.preview')}</p>
      <div lang={language} dir="auto">
        <h3>{filled.subject}</h3>
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
  const { dialog, open } = useDialog();
  const [sent, setSent] = useState<AnswerOf<'createMailing'> | null>(null);
  const recipients = guests.map(({ ticketId, email, language: wanted }) => ({
    ...{ ticketId, email },
    ...(wanted === '' ? {} : { language: wanted }),
  }));
  if (sent !== null) {
    return (
      <Section
        title={say('guests.sending', { count: sent.recipients.waiting })}
        actions={<Button kind="primary" onPress={onSent} text={say('guests.to-progress')} />}
      >
        <Notice tone="warning" title={say('guests.faulty', { count: sent.omitted.length })} />
        <OmittedTable rows={omittedOf(guests, sent.omitted)} />
      </Section>
    );
  }
  const question = (
    <ConfirmAct
      operation="createMailing"
      input={{ params: { eventId }, body: { recipients, ...toMailRequest(draft) } }}
      title={say('guests.send-title', { count: guests.length })}
      text={say('guests.send-help')}
      action={say('guests.send')}
      kind="primary"
      onDone={(answer) => (answer.omitted.length === 0 ? onSent() : setSent(answer))}
    />
  );
  return (
    <Section title={say('guests.mail')} lead={say('guests.mail-lead')}>
      <MailSettings
        eventId={eventId}
        kind="invitation"
        languages={guests.map((guest) => guest.language)}
        draft={draft}
        onChange={setDraft}
      />
      <div className="svcd-row svcd-actions">
        <Button
          kind="primary"
          isDisabled={!isReady || !isSendable(draft)}
          onPress={() => open(question)}
          text={say('guests.send-mails', { count: guests.length })}
        />
      </div>
      {dialog}
    </Section>
  );
}
