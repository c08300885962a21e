import { nameOfLanguage } from '@svc/page-kit';
import type { SetWidgetSettingsRequest, WidgetSettings } from '@svc/protocol';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState } from 'react';
import { hasCode } from '../../api/errors.ts';
import { useAct, useRead } from '../../api/hooks.ts';
import { api } from '../../api/page.ts';
import { useCan } from '../../api/session.tsx';
import { inColumns, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { toBase64 } from '../../components/files.ts';
import { Form } from '../../components/form.tsx';
import { OutsideLink } from '../../components/link.tsx';
import { Loading, Problem, Unread } from '../../components/status.tsx';
import { toast } from '../../components/toast.tsx';
import { language, say, type TextKey, useSettled } from '../../text/index.ts';
import { OrganiserFields } from './event-fields.tsx';
import { type OrganiserFields as Organiser, organiserFaults } from './event-flow.ts';
import { useEvent } from './event-state.tsx';
import { changeOf, type Looks, logoFault, looksOf, type Theme } from './looks.ts';

/** Who the widget says the organiser is, and how it looks. */
export function LooksTab() {
  const event = useEvent();
  if (event.data === undefined) return <Loading />;
  const { eventId, listId } = event.data;
  return (
    <Section title={say('events.looks')} lead={say('events.looks-lead')}>
      <LooksForm eventId={eventId} listId={listId} withOrganiser />
    </Section>
  );
}

const OWN_ACCENT = '#0b5f73';
const radiusNames: ReadonlyMap<string, TextKey> = new Map([
  ['', 'events.radius-own'],
  ['0', 'events.radius-none'],
  ['6', 'events.radius-little'],
  ['16', 'events.radius-much'],
]);
const fonts = ['', 'Georgia, serif', 'Verdana, sans-serif', 'Trebuchet MS, sans-serif'] as const;

export interface LooksFormProps {
  readonly eventId: string;
  /** Null: the event has no list, so there is nothing to preview. */
  readonly listId: string | null;
  /** Also organiser and privacy notice; the way to a new event asks for them before. */
  readonly withOrganiser?: boolean;
  readonly onSaved?: () => void;
  readonly action?: string;
}

/** The widget's looks beside a preview of them. */
export function LooksForm(o: LooksFormProps) {
  const settings = useRead('getWidgetSettings', { params: { eventId: o.eventId } }, { staleMs: 60_000 });
  if (hasCode(settings.error, 'not-found')) return <FilledForm {...o} settings={null} />;
  if (settings.error !== null || settings.data === undefined) return <Unread query={settings} />;
  return <FilledForm {...o} settings={settings.data} />;
}

function FilledForm({
  eventId,
  listId,
  settings,
  withOrganiser = false,
  onSaved,
  action,
}: LooksFormProps & { readonly settings: WidgetSettings | null }) {
  const can = useCan();
  const [organiser, setOrganiser] = useState<Organiser>({
    organiserName: settings?.organiserName ?? '',
    privacyNoticeUrl: settings?.privacyNoticeUrl ?? '',
  });
  const [looks, setLooks] = useState<Looks>(() => looksOf(settings?.brand ?? null));
  const [isTried, setTried] = useState(false);
  const isReadOnly = !can('events:write');
  const hadLogo = settings?.brand?.logo !== null && settings?.brand?.logo !== undefined;
  const save = useAct('setWidgetSettings');
  const faults = organiserFaults(organiser);
  const isRight = Object.keys(faults).length === 0;
  const body = useMemo(() => {
    const { organiserName, privacyNoticeUrl } = organiser;
    const trimmed = { organiserName: organiserName.trim(), privacyNoticeUrl: privacyNoticeUrl.trim() };
    return { ...trimmed, brand: changeOf(looks, hadLogo) };
  }, [organiser, looks, hadLogo]);
  const change = (changes: Partial<Looks>) => setLooks({ ...looks, ...changes });

  function submit(): void {
    setTried(true);
    if (!isRight) return;
    const params = { eventId };
    const before = settings;
    save.mutate(
      { params, body },
      {
        onSuccess: () => {
          // Something else may have been changed since.
          const sent = looks.logo;
          if (sent !== null) setLooks((now) => (now.logo === sent ? { ...now, logo: 'kept' } : now));
          toast({
            text: say('events.looks-saved'),
            ...(before === null
              ? {}
              : {
                  onUndo: () => {
                    const former = looksOf(before.brand);
                    const logo = before.brand?.logo;
                    const again: Looks = {
                      ...former,
                      logo:
                        logo === null || logo === undefined
                          ? null
                          : { imageBase64: logo.imageBase64, type: 'image/png' },
                    };
                    setLooks(former);
                    setOrganiser(before);
                    const { organiserName, privacyNoticeUrl } = before;
                    save.mutate({ params, body: { organiserName, privacyNoticeUrl, brand: changeOf(again, true) } });
                  },
                }),
          });
          onSaved?.();
        },
      },
    );
  }

  return (
    <div className="svcd-columns" style={inColumns('19rem')}>
      <Form
        act={hasCode(save.error, 'logo-invalid') ? { ...save, error: null } : save}
        action={action ?? say('app.save')}
        isReadOnly={isReadOnly}
        onSubmit={submit}
      >
        {withOrganiser && (
          <OrganiserFields
            fields={organiser}
            faults={isTried ? faults : {}}
            isDisabled={isReadOnly}
            onChange={(changes) => setOrganiser({ ...organiser, ...changes })}
          />
        )}
        <LogoField
          looks={looks}
          kept={settings?.brand?.logo?.imageBase64 ?? null}
          isDisabled={isReadOnly}
          error={hasCode(save.error, 'logo-invalid') ? say('events.logo-invalid') : undefined}
          onChange={(logo) => change({ logo })}
        />
        <AccentField accent={looks.accent} isDisabled={isReadOnly} onChange={(accent) => change({ accent })} />
        <Headings looks={looks} isDisabled={isReadOnly} onChange={(heading) => change({ heading })} />
        <div className="svcd-columns">
          <SelectField<string>
            label={say('events.font')}
            value={looks.font}
            isDisabled={isReadOnly}
            onChange={(font) => change({ font })}
            options={[...new Set<string>([...fonts, looks.font])].map((value) => ({
              value,
              label: value === '' ? say('events.font-system') : (value.split(',')[0] ?? value),
            }))}
          />
          <SelectField<string>
            label={say('events.radius')}
            value={looks.radius === null ? '' : String(looks.radius)}
            isDisabled={isReadOnly}
            onChange={(value) => change({ radius: value === '' ? null : Number(value) })}
            options={[
              ...new Set<string>([...radiusNames.keys(), looks.radius === null ? '' : String(looks.radius)]),
            ].map((value) => ({
              value,
              label: say(radiusNames.get(value) ?? 'events.radius-px', { pixels: value }),
            }))}
          />
        </div>
        <SelectField<Theme>
          label={say('events.theme')}
          value={looks.theme}
          isDisabled={isReadOnly}
          onChange={(theme) => change({ theme })}
          options={(['auto', 'light', 'dark'] as const).map((value) => ({
            value,
            label: say(`events.theme-${value}`),
          }))}
        />
      </Form>
      {listId !== null && isRight && can('events:write') && <WidgetPreview eventId={eventId} settings={body} />}
    </div>
  );
}

function AccentField(o: {
  readonly accent: string | null;
  readonly isDisabled: boolean;
  readonly onChange: (accent: string | null) => void;
}) {
  const id = useId();
  return (
    <div className="svcd-stack">
      <CheckField
        label={say('events.accent-own')}
        help={say('events.accent-help')}
        value={o.accent !== null}
        isDisabled={o.isDisabled}
        onChange={(isOwn) => o.onChange(isOwn ? OWN_ACCENT : null)}
      />
      {o.accent !== null && (
        <div className="svcd-row">
          <label htmlFor={id}>{say('events.accent')}</label>
          <input
            id={id}
            className="svcd-color"
            type="color"
            value={o.accent}
            disabled={o.isDisabled}
            onChange={(event) => o.onChange(event.target.value)}
          />
          <span className="svcd-code">{o.accent}</span>
        </div>
      )}
    </div>
  );
}

function Headings(o: {
  readonly looks: Looks;
  readonly isDisabled: boolean;
  readonly onChange: (heading: Looks['heading']) => void;
}) {
  // There are mails in every language of the widget.
  const mails = useRead('listMailTexts', {}, { staleMs: Number.POSITIVE_INFINITY });
  const { heading } = o.looks;
  const languages = Object.keys(heading).length === 0 ? [language] : Object.keys(heading);
  const offered = mails.data?.items.map(({ language }) => language) ?? [];
  const others = offered.filter((language) => !languages.includes(language));
  return (
    <div className="svcd-stack">
      {languages.map((language, index) => (
        <TextField
          key={language}
          label={say('events.heading', { language: nameOfLanguage(language) })}
          {...(index === 0 ? { help: say('events.heading-help') } : {})}
          value={heading[language] ?? ''}
          maxLength={80}
          isDisabled={o.isDisabled}
          onChange={(text) => o.onChange({ ...heading, [language]: text })}
        />
      ))}
      {!o.isDisabled && others.length > 0 && (
        <SelectField<string>
          label={say('events.heading-add')}
          value=""
          onChange={(language) => {
            const first = languages.length === 1 && Object.keys(heading).length === 0 ? { [language]: '' } : {};
            if (language !== '') o.onChange({ ...first, ...heading, [language]: '' });
          }}
          options={[
            { value: '', label: say('events.heading-choose') },
            ...others.map((value) => ({ value, label: nameOfLanguage(value) })),
          ]}
        />
      )}
    </div>
  );
}

function LogoField(o: {
  readonly looks: Looks;
  /** Base64 PNG that is set. */
  readonly kept: string | null;
  readonly isDisabled: boolean;
  readonly error: string | undefined;
  readonly onChange: (logo: Looks['logo']) => void;
}) {
  const id = useId();
  const [fault, setFault] = useState<string | undefined>();
  const { logo } = o.looks;
  const source =
    logo === null
      ? null
      : logo === 'kept'
        ? o.kept === null
          ? null
          : `data:image/png;base64,${o.kept}`
        : `data:${logo.type};base64,${logo.imageBase64}`;
  async function choose(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const found = logoFault(file);
    setFault(found === null ? undefined : say(`events.logo-${found}`));
    if (found === null) o.onChange({ imageBase64: await toBase64(file), type: file.type });
  }
  const error = fault ?? o.error;
  return (
    <div className="svcd-field">
      <label htmlFor={id}>{say('events.logo')}</label>
      <span id={`${id}-help`} className="svcd-help">
        {say('events.logo-help')}
      </span>
      {source !== null && (
        <div className="svcd-row">
          <img className="svcd-logo" src={source} alt={say('events.logo-alt')} />
          {!o.isDisabled && <Button size="small" onPress={() => o.onChange(null)} text={say('events.logo-remove')} />}
        </div>
      )}
      <input
        id={id}
        className="svcd-file"
        type="file"
        accept="image/png,image/jpeg"
        disabled={o.isDisabled}
        aria-describedby={`${id}-help ${id}-error`}
        aria-invalid={error !== undefined}
        onChange={(event) => void choose(event.target.files?.[0])}
      />
      {error !== undefined && (
        <span id={`${id}-error`} className="svcd-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

const WAIT_MS = 700;

/** The widget as guests would see it with these settings; what they see stays as it is. */
function WidgetPreview(o: { readonly eventId: string; readonly settings: SetWidgetSettingsRequest }) {
  const shown = useSettled(JSON.stringify(o.settings), WAIT_MS);
  const preview = useQuery({
    queryKey: ['widget-preview', o.eventId, shown],
    queryFn: ({ signal }) =>
      api.call('createWidgetPreview', { params: { eventId: o.eventId }, body: JSON.parse(shown), signal }),
    placeholderData: (former) => former,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    networkMode: 'always',
  });
  const { error } = preview;
  // A preview that fails leaves the one before.
  const last = useRef<string | null>(null);
  last.current = preview.data?.url ?? last.current;
  const url = last.current;
  return (
    <aside className="svcd-preview" aria-label={say('app.preview')}>
      <p className="svcd-preview-title">
        <strong>{say('app.preview')}</strong>
        {url !== null && <OutsideLink href={url}>{say('events.preview-open')}</OutsideLink>}
      </p>
      {error !== null && <Problem error={error} />}
      {url === null && error === null && <Loading />}
      {/* A new element for each address: one that differs in its fragment alone would not be loaded again. */}
      {url !== null && <iframe key={url} src={url} title={say('events.preview-frame')} allow="camera" />}
      <p className="svcd-small">{say('events.preview-help')}</p>
    </aside>
  );
}
