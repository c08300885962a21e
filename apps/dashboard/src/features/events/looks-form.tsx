import { nameOfLanguage } from '@svc/page-kit';
import {
  MAX_BENEFIT_CODE_POINTS,
  MAX_HEADING_CODE_POINTS,
  MAX_LOGO_UPLOAD_BYTES,
  type SetWidgetSettingsRequest,
  type WidgetSettings,
} from '@svc/protocol';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { hasCode, messageOf } from '../../api/errors.ts';
import { useAct, useCan, useRead } from '../../api/hooks.ts';
import { inColumns, Section } from '../../components/blocks.tsx';
import { Button, OutsideLink } from '../../components/controls.tsx';
import { CheckField, Labelled, SelectField, TextField } from '../../components/field.tsx';
import { toBase64 } from '../../components/files.ts';
import { Form, useValues } from '../../components/form.tsx';
import { Loading, Problem, toast, Unread } from '../../components/status.tsx';
import { language as own, say, type TextKey, useSettled, words } from '../../text/index.ts';
import { OrganiserFields } from './event-fields.tsx';
import { organiserFaults } from './event-flow.ts';
import { useEvent } from './event-state.tsx';

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

export function LooksForm(o: LooksFormProps) {
  const settings = useRead('getWidgetSettings', { params: { eventId: o.eventId } }, { staleMs: 60_000 });
  if (hasCode(settings.error, 'not-found')) return <FilledForm {...o} settings={null} />;
  if (settings.error !== null || settings.data === undefined) return <Unread query={settings} />;
  return <FilledForm {...o} settings={settings.data} />;
}

function FilledForm({ settings, ...o }: LooksFormProps & { readonly settings: WidgetSettings | null }) {
  const { values: looks, change, bind } = useValues<Looks>(() => looksOf(settings));
  const [isTried, setTried] = useState(false);
  const mayWrite = useCan()('events:write');
  const save = useAct('setWidgetSettings');
  const faults = organiserFaults(looks);
  const isRight = Object.keys(faults).length === 0;
  const setLogo = settings?.brand?.logo?.imageBase64 ?? null;
  const body = useMemo(() => changeOf(looks, setLogo), [looks, setLogo]);
  const isSame = settings !== null && JSON.stringify(body) === JSON.stringify(changeOf(looksOf(settings), setLogo));
  const params = { eventId: o.eventId };
  const isLogoRefused = hasCode(save.error, 'logo-invalid');

  function submit(): void {
    setTried(true);
    if (isRight && isSame) o.onSaved?.();
    if (!isRight || isSame) return;
    const former = looksOf(settings);
    const onUndo = () => {
      change(former);
      save.mutate({ params, body: changeOf(former, looks.logo?.imageBase64 ?? null) });
    };
    save.mutate(
      { params, body },
      {
        onSuccess: () => {
          toast({ text: say('events.looks-saved'), ...(settings === null ? {} : { onUndo }) });
          o.onSaved?.();
        },
      },
    );
  }

  const common = { isDisabled: !mayWrite, onChange: change };
  return (
    <div className="svcd-columns" style={inColumns('19rem')}>
      <Form
        act={isLogoRefused ? { ...save, error: null } : save}
        action={o.action ?? say('app.save')}
        isReadOnly={!mayWrite}
        isDisabled={isSame && o.onSaved === undefined}
        onSubmit={submit}
      >
        {o.withOrganiser === true && <OrganiserFields fields={looks} faults={isTried ? faults : {}} {...common} />}
        <LogoField looks={looks} {...common} refused={isLogoRefused ? messageOf(save.error).title : undefined} />
        <AccentField looks={looks} {...common} />
        <Lines name="heading" looks={looks} {...common} />
        <Lines name="benefit" looks={looks} {...common} />
        <div className="svcd-columns">
          <SelectField<string>
            label={say('events.font')}
            {...bind('font')}
            isDisabled={!mayWrite}
            options={[...new Set<string>([...fonts, looks.font])].map((value) => ({
              value,
              label: value === '' ? say('events.font-system') : (value.split(',')[0] ?? value),
            }))}
          />
          <SelectField
            label={say('events.radius')}
            {...bind('radius')}
            isDisabled={!mayWrite}
            options={[...new Set([...radiusNames.keys(), looks.radius])].map((value) => ({
              value,
              label: say(radiusNames.get(value) ?? 'events.radius-px', { pixels: value }),
            }))}
          />
        </div>
        <SelectField
          label={say('events.theme')}
          {...bind('theme')}
          isDisabled={!mayWrite}
          options={(['auto', 'light', 'dark'] as const).map((value) => ({
            value,
            label: say(value === 'auto' ? 'events.theme-auto' : `me.theme-${value}`),
          }))}
        />
      </Form>
      {o.listId !== null && isRight && mayWrite && <WidgetPreview eventId={o.eventId} settings={body} />}
    </div>
  );
}

interface LooksProps {
  readonly looks: Looks;
  readonly isDisabled: boolean;
  readonly onChange: (changes: Partial<Looks>) => void;
}

function AccentField({ looks: { accent }, isDisabled, onChange }: LooksProps) {
  const id = useId();
  return (
    <div className="svcd-stack">
      <CheckField
        label={say('events.accent-own')}
        help={say('events.accent-help')}
        value={accent !== null}
        isDisabled={isDisabled}
        onChange={(isOwn) => onChange({ accent: isOwn ? OWN_ACCENT : null })}
      />
      {accent !== null && (
        <div className="svcd-row">
          <label htmlFor={id}>{say('events.accent')}</label>
          <input
            id={id}
            className="svcd-input svcd-color"
            type="color"
            value={accent}
            disabled={isDisabled}
            onChange={(event) => onChange({ accent: event.target.value })}
          />
          <span className="svcd-code">{accent}</span>
        </div>
      )}
    </div>
  );
}

const lengths = { heading: MAX_HEADING_CODE_POINTS, benefit: MAX_BENEFIT_CODE_POINTS };

/** A line of text in each language. */
function Lines({ name, looks, isDisabled, onChange }: LooksProps & { name: keyof typeof lengths }) {
  const lines = looks[name];
  // There are mails in every language of the widget.
  const mails = useRead('listMailTexts', {}, { staleMs: Number.POSITIVE_INFINITY });
  const shown = Object.keys(lines).length === 0 ? { [own]: '' } : lines;
  const others = (mails.data?.items ?? []).map(({ language }) => language).filter((tag) => shown[tag] === undefined);
  const add = (tag: string) => tag !== '' && onChange({ [name]: { ...shown, [tag]: '' } });
  return (
    <div className="svcd-stack">
      {Object.entries(shown).map(([tag, text], index) => (
        <TextField
          key={tag}
          label={say(`events.${name}`, { language: nameOfLanguage(tag) })}
          help={index === 0 ? say(`events.${name}-help`) : undefined}
          value={text}
          maxLength={lengths[name]}
          isDisabled={isDisabled}
          onChange={(changed) => onChange({ [name]: { ...lines, [tag]: changed } })}
        />
      ))}
      {!isDisabled && others.length > 0 && (
        <SelectField<string>
          label={say('events.heading-add')}
          value=""
          onChange={add}
          options={[
            { value: '', label: say('events.heading-choose') },
            ...others.map((value) => ({ value, label: nameOfLanguage(value) })),
          ]}
        />
      )}
    </div>
  );
}

function LogoField({ looks: { logo }, isDisabled, refused, onChange }: LooksProps & { refused: string | undefined }) {
  const [fault, setFault] = useState<string | undefined>();
  async function choose(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const found = logoFault(file);
    setFault(found === null ? undefined : say(`events.logo-${found}`));
    if (found === null) onChange({ logo: { imageBase64: await toBase64(file), type: file.type } });
  }
  return (
    <Labelled {...words('events.logo')} error={fault ?? refused} isAlert>
      {(wiring) => (
        <>
          {logo !== null && (
            <div className="svcd-row">
              <img
                className="svcd-panel svcd-logo"
                src={`data:${logo.type};base64,${logo.imageBase64}`}
                alt={say('events.logo-alt')}
              />
              {!isDisabled && (
                <Button size="small" onPress={() => onChange({ logo: null })} text={say('events.logo-remove')} />
              )}
            </div>
          )}
          <input
            {...wiring}
            className="svcd-file"
            type="file"
            accept="image/png,image/jpeg"
            disabled={isDisabled}
            onChange={(event) => void choose(event.target.files?.[0])}
          />
        </>
      )}
    </Labelled>
  );
}

const WAIT_MS = 700;

/** The widget as guests would see it with these settings; what they see stays as it is. */
function WidgetPreview({ eventId, settings }: { eventId: string; settings: SetWidgetSettingsRequest }) {
  const shown = useSettled(JSON.stringify(settings), WAIT_MS);
  const { data, error } = useQuery({
    queryKey: ['widget-preview', eventId, shown],
    queryFn: ({ signal }) => api.call('createWidgetPreview', { params: { eventId }, body: JSON.parse(shown), signal }),
    placeholderData: (former) => former,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    networkMode: 'always',
  });
  // A preview that fails leaves the one before.
  const last = useRef<string | null>(null);
  last.current = data?.url ?? last.current;
  const url = last.current;
  return (
    <aside className="svcd-preview" aria-label={say('app.preview')}>
      <p className="svcd-row svcd-between">
        <strong>{say('app.preview')}</strong>
        {url !== null && <OutsideLink href={url}>{say('events.preview-open')}</OutsideLink>}
      </p>
      <Problem error={error} />
      {url === null && error === null && <Loading />}
      {/* A new element for each address: one that differs in its fragment alone would not be loaded again. */}
      {url !== null && <iframe key={url} src={url} title={say('events.preview-frame')} allow="camera" />}
      <p className="svcd-small">{say('events.preview-help')}</p>
    </aside>
  );
}

/** Who the widget says the organiser is, and how it looks, as the form has it. */
export interface Looks {
  readonly organiserName: string;
  readonly privacyNoticeUrl: string;
  /** `#rrggbb`; null: the service's own. */
  readonly accent: string | null;
  readonly font: string;
  /** CSS pixels; empty: the service's own. */
  readonly radius: string;
  readonly theme: 'auto' | 'light' | 'dark';
  /** One line by language. */
  readonly heading: Readonly<Record<string, string>>;
  readonly benefit: Readonly<Record<string, string>>;
  readonly logo: { readonly imageBase64: string; readonly type: string } | null;
}

/** @param settings null: none yet */
export function looksOf(settings: WidgetSettings | null): Looks {
  const { organiserName = '', privacyNoticeUrl = '' } = settings ?? {};
  const brand = settings?.brand ?? null;
  const logo = brand?.logo ?? null;
  return {
    ...{ organiserName, privacyNoticeUrl },
    accent: brand?.accent ?? null,
    font: brand?.font ?? '',
    radius: String(brand?.radius ?? ''),
    theme: brand?.theme ?? 'auto',
    heading: { ...brand?.heading },
    benefit: { ...brand?.benefit },
    logo: logo === null ? null : { imageBase64: logo.imageBase64, type: 'image/png' },
  };
}

/** The change that makes a widget look so. @param setLogo the logo that it has, which is not sent again; base64 */
export function changeOf(looks: Looks, setLogo: string | null): SetWidgetSettingsRequest {
  const written = (lines: Looks['heading']) => {
    const filled = Object.entries(lines).flatMap(([tag, text]) => (text.trim() === '' ? [] : [[tag, text.trim()]]));
    return filled.length === 0 ? null : Object.fromEntries(filled);
  };
  const font = looks.font.trim();
  const { accent, theme, radius } = looks;
  const imageBase64 = looks.logo?.imageBase64 ?? null;
  return {
    organiserName: looks.organiserName.trim(),
    privacyNoticeUrl: looks.privacyNoticeUrl.trim(),
    brand: {
      ...{ accent, theme },
      font: font === '' ? null : font,
      radius: radius === '' ? null : Number(radius),
      heading: written(looks.heading),
      benefit: written(looks.benefit),
      ...(imageBase64 === setLogo ? {} : { logo: imageBase64 === null ? null : { imageBase64 } }),
    },
  };
}

/** Whether a file can be a logo, before it is sent; null if it can. */
export function logoFault({ type, size }: Pick<File, 'type' | 'size'>): 'type' | 'size' | null {
  if (type !== 'image/png' && type !== 'image/jpeg') return 'type';
  return size > MAX_LOGO_UPLOAD_BYTES ? 'size' : null;
}
