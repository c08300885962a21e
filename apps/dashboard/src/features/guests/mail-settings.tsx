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
import { useRead } from '../../api/hooks.ts';
import { useFormat, useLanguage, useSay } from '../../app/language.tsx';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
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
  const language = useLanguage();
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
  const say = useSay();
  const format = useFormat();
  const texts = useRead('listMailTexts', {}, { staleMs: Number.POSITIVE_INFINITY });
  const [chosen, setChosen] = useState<string | null>(null);
  if (texts.error !== null) return <Problem error={texts.error} onRetry={() => void texts.refetch()} />;
  if (texts.data === undefined) return <Loading />;
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
      <div className="svcd-guests-fields">
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
      <div className="svcd-guests-mail">
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
            error={faultIn(template, say)}
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

function faultIn(template: MailTemplate, say: ReturnType<typeof useSay>): string | undefined {
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
  const say = useSay();
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
    <section className="svcd-guests-preview" aria-label={say('guests.preview')} aria-live="polite">
      <p className="svcd-help">{say('guests.preview')}</p>
      <div lang={language} dir="auto">
        <p className="svcd-guests-subject">{filled.subject}</p>
        <p className="svcd-guests-letter">{filled.text}</p>
      </div>
    </section>
  );
}
