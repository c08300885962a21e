import { attempt, inRegion, mediaQuery, newUuid } from '@svc/page-kit';
import { fillWording, MAX_PHOTO_ATTEMPTS } from '@svc/protocol';
import { Button, Icon, LoadingBar, Notice, ScreenFrame } from '@svc/ui';
import { type IconNode, Image as Picture, Smartphone } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { StepName, Trouble } from '../flow/state.ts';
import { usePage, useSession } from './context.ts';

/** How many more photos may turn out unusable. Not mentioned before the first one did. */
export function AttemptsLeft() {
  const { say } = usePage();
  const { attemptsLeft } = useSession();
  if (attemptsLeft >= MAX_PHOTO_ATTEMPTS) return null;
  return <p class="muted">{say('camera.attempts', { count: attemptsLeft })}</p>;
}

/** Chooses the standard entrance, in the wording's own words; one press, on every screen. */
export function DeclineButton({ kind = 'quiet' }: { readonly kind?: 'quiet' | 'choice' }) {
  const { dispatch } = usePage();
  const { wording } = useSession();
  return (
    <Button kind={kind} onPress={() => dispatch({ type: 'decline-pressed', key: newUuid() })}>
      {wording.decline}
    </Button>
  );
}

/**
 * Uploads a file instead of using the camera, unless the list accepts only camera photos. Choosing a file sends
 * nothing.
 */
export function FileButton() {
  const { say, dispatch } = usePage();
  const { photoSource } = useSession();
  const input = useRef<HTMLInputElement>(null);
  if (photoSource === 'camera') return null;
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) dispatch({ type: 'file-chosen', file });
          // Allows choosing the same file again.
          currentTarget.value = '';
        }}
      />
      <Button onPress={() => input.current?.click()}>
        <Icon of={Picture} />
        <span>{say('camera.upload')}</span>
      </Button>
    </>
  );
}

/**
 * Waits for the service; if it is unavailable: what that means, and what the guest can do besides waiting. Announced by
 * screen readers.
 */
export function Waiting({
  trouble,
  explain,
  children,
}: {
  readonly trouble: Trouble | null;
  readonly explain?: string | null;
  /** Other actions. */
  readonly children?: ComponentChildren;
}) {
  const { say, dispatch } = usePage();
  return (
    <div class="trouble" role="status">
      {trouble === null ? (
        <LoadingBar />
      ) : (
        <Notice tone="other" title={say(`trouble.${trouble.kind}`)}>
          {explain ? <p>{explain}</p> : null}
          <p>{say('trouble.again')}</p>
          <div class="svc-actions">
            <Button onPress={() => dispatch({ type: 'retry-pressed' })}>{say('trouble.retry')}</Button>
            {children}
          </div>
        </Notice>
      )}
    </div>
  );
}

/** The language in the guest's region, for dates. */
const localeOf = (language: string): string => inRegion(language, navigator.languages);

/** Day and time at a place, null: where the guest is. Null where the browser does not know the zone. */
export function momentOf(timestamp: string, language: string, timeZone: string | null): string | null {
  const options: Intl.DateTimeFormatOptions = {
    ...{ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...(timeZone === null ? {} : { timeZone, timeZoneName: 'short' }),
  };
  return attempt(() => new Intl.DateTimeFormat(localeOf(language), options).format(new Date(timestamp)), null);
}

/** Every text of the wording asks for one, and making it takes long. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** The day, written out. */
export function dayOf(timestamp: string, language: string): string {
  const locale = localeOf(language);
  const format = dayFormats.get(locale) ?? new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
  dayFormats.set(locale, format);
  return format.format(new Date(timestamp));
}

/**
 * A text of the wording with its placeholders filled in; the privacy notice is a link. Values are inserted as text,
 * never as markup.
 */
export function WordingText({ text }: { readonly text: string }) {
  const { organiserName: organiser, privacyNoticeUrl: privacyUrl, deleteAfter, language } = useSession();
  const deletionDate = dayOf(deleteAfter, language);
  const pieces = text.split('{privacyUrl}').map((piece) => fillWording(piece, { organiser, privacyUrl, deletionDate }));
  return (
    <>
      {pieces.flatMap((piece, i) =>
        i === 0
          ? [piece]
          : [
              <a key={i} href={privacyUrl} target="_blank" rel="noopener noreferrer">
                {privacyUrl}
              </a>,
              piece,
            ],
      )}
    </>
  );
}

/** Whether the guest has interacted with this page: in an organiser's, the focus is taken only then. */
export const isUsed = () => (navigator as Partial<Navigator>).userActivation?.hasBeenActive ?? true;

/** The guest may choose on, by the next key: the text in another language must not take the focus. */
const isChoosingLanguage = () => document.activeElement?.closest('.language') != null;

/** One step of the flow. */
export function Screen({
  name,
  title,
  children,
}: {
  readonly name: StepName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <ScreenFrame name={name} title={title} takesFocus={isUsed() && !isChoosingLanguage()}>
      {children}
    </ScreenFrame>
  );
}

/** A list of lines with their icons; without those that have no text. */
export function Lines({ lines }: { readonly lines: readonly (readonly [icon: IconNode, text: string | null])[] }) {
  return (
    <ul class="summary">
      {lines.map(
        ([icon, text]) =>
          text && (
            <li key={text}>
              <Icon of={icon} />
              <span>{text}</span>
            </li>
          ),
      )}
    </ul>
  );
}

interface Code {
  /** An SVG path in modules, the quiet zone included. */
  readonly path: string;
  /** Modules along each side. */
  readonly size: number;
}

/** Modules around the code (ISO/IEC 18004 section 9.1). */
const QUIET_ZONE = 4;

/** Loads the QR code generator and draws a text. */
async function drawCode(text: string): Promise<Code> {
  const { default: encodeQR } = await import('qr');
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { path, size: rows.length };
}

/** Shorter side of a screen, CSS pixels: phones have up to 480, tablets from 600. */
const PHONE_SIDE_PX = 540;

/** Whether the page is on a phone, upright or turned. A laptop with a touch screen has a pointer that hovers. */
export function isPhone(
  { navigator, screen }: Pick<Window, 'navigator' | 'screen'>,
  isTouched = mediaQuery('(pointer: coarse) and (hover: none)').matches,
): boolean {
  const { userAgentData, userAgent, maxTouchPoints } = navigator as Navigator & { userAgentData?: { mobile: boolean } };
  if (userAgentData?.mobile || /iPhone|Android.* Mobile|Mobile;/.test(userAgent)) return true;
  return isTouched && maxTouchPoints > 0 && Math.min(screen.width, screen.height) < PHONE_SIDE_PX;
}

/**
 * The guest link as a QR code, for guests at a computer without a camera. The link is a secret, so it is shown only on
 * request.
 */
export function ContinueOnPhone() {
  const { say, link } = usePage();
  const [shown, setShown] = useState<Code | 'failed' | null>(null);
  if (link === null || isPhone(window)) return null;
  const draw = () => drawCode(link).then(setShown, () => setShown('failed'));
  const isOpen = shown !== null && shown !== 'failed';
  return (
    <div class="phone">
      <Button kind="quiet" pressed={isOpen} onPress={() => (isOpen ? setShown(null) : void draw())}>
        <Icon of={Smartphone} />
        <span>{say('phone.open')}</span>
      </Button>
      <div role="status">
        {shown === 'failed' ? <p>{say('trouble.not-loaded')}</p> : null}
        {isOpen ? (
          <div class="phone-code">
            <svg viewBox={`0 0 ${shown.size} ${shown.size}`} role="img" aria-label={say('phone.code')}>
              <path d={shown.path} />
            </svg>
            <p class="phone-explain">{say('phone.explain')}</p>
          </div>
        ) : null}
      </div>
    </div>
  );
}
