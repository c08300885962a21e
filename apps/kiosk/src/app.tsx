import type { DeviceStatus } from '@svc/device-sdk';
import { inRegion } from '@svc/page-kit';
import {
  Button,
  Icon,
  LanguageChoice,
  LiveRegion,
  LoadingBar,
  Notice,
  ScreenFrame,
  useDocument,
  useMachine,
  useTexts,
} from '@svc/ui';
import { Tablet, WifiOff } from 'lucide';
import type { FunctionComponent } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { languageOf, type Preferences } from './preferences.ts';
import { listenToWedge } from './scan/keyboard-wedge.ts';
import { AttemptScreen } from './screens/attempt-screen.tsx';
import { type KioskContext, KioskProvider, type Surroundings, useKiosk } from './screens/context.ts';
import { DeviceScreen } from './screens/device-screen.tsx';
import { ConfirmScreen, OfferScreen, PairScreen } from './screens/pair-screen.tsx';
import { PinScreen } from './screens/pin-screen.tsx';
import { ResultScreen } from './screens/result-screen.tsx';
import { CodeCamera, ScanScreen } from './screens/scan-screen.tsx';
import { NotReadyScreen, StoppedScreen } from './screens/stopped-screens.tsx';
import { texts, timeOf } from './text/index.ts';
import { connectionText } from './text/reasons.ts';
import { mayConfirm, placeOf, type Screen, type ScreenOf, screenOf } from './view-model/screen.ts';
import type { KioskMachine } from './view-model/state.ts';

function LoadingScreen() {
  const { say } = useKiosk();
  return (
    <ScreenFrame name="loading" title={say('app.loading')}>
      <LoadingBar />
    </ScreenFrame>
  );
}

/** After this time a guest's choice of language is reset for the next guest. */
const GUEST_LANGUAGE_MS = 60_000;

const screens: { readonly [N in Screen['name']]: FunctionComponent<ScreenOf<N>> } = {
  loading: LoadingScreen,
  pair: PairScreen,
  offer: OfferScreen,
  confirm: ConfirmScreen,
  pin: PinScreen,
  stopped: StoppedScreen,
  scan: ScanScreen,
  'not-ready': NotReadyScreen,
  device: DeviceScreen,
  attempt: AttemptScreen,
  result: ResultScreen,
};

function CurrentScreen({ screen }: { readonly screen: Screen }) {
  const Shown = screens[screen.name] as FunctionComponent<Screen>;
  return <Shown {...screen} />;
}

/** Event, list and door of this device. Each name is cut off on its own, so that the others stay readable. */
function Place({ names }: { readonly names: NonNullable<DeviceStatus['names']> }) {
  return (
    <p class="place">
      {placeOf(names).map((name) => (
        // Names come from outside and may run in another direction than the page.
        <span key={name} title={name}>
          <bdi>{name}</bdi>
        </span>
      ))}
    </p>
  );
}

function Header({
  screen,
  status,
  reachable,
  onLanguage,
}: {
  readonly screen: Screen;
  readonly status: DeviceStatus | null;
  readonly reachable: boolean | null;
  readonly onLanguage: (language: string) => void;
}) {
  const { say, language, locale, dispatch } = useKiosk();
  // An attempt and a result leave no time to choose.
  const hasLanguage = screen.name !== 'attempt' && screen.name !== 'result';
  const isAtDoor = screen.name === 'scan' || screen.name === 'not-ready';
  const connection = connectionText(status, reachable);
  const names = status?.names ?? null;
  const until = status?.leaseExpiresAtMs ?? null;
  return (
    <header class="top">
      {/* The same word in every language. */}
      {status?.mode === 'test' ? <strong class="test-mark">Test</strong> : null}
      {names?.logo === undefined || screen.name === 'attempt' ? null : (
        <img class="logo" src={`data:image/png;base64,${names.logo}`} alt={names.organiser ?? ''} />
      )}
      <div class="top-words">
        {names === null ? null : <Place names={names} />}
        <p class="connection" role="status">
          {connection === null ? null : (
            <>
              <Icon of={WifiOff} />
              <span>{say(connection, { time: until === null ? '' : timeOf(locale, until) })}</span>
            </>
          )}
        </p>
      </div>
      {hasLanguage ? (
        <LanguageChoice
          label={say('settings.language')}
          value={language}
          languages={texts.languages}
          onChoose={onLanguage}
        />
      ) : null}
      {isAtDoor ? (
        <Button kind="quiet" onPress={() => dispatch({ type: 'device-pressed' })}>
          <Icon of={Tablet} />
          <span>{say('device.open')}</span>
        </Button>
      ) : null}
    </header>
  );
}

const onEscape = { attempt: 'cancel-pressed', result: 'next-pressed', pin: 'pin-cancelled' } as const;

/** Keyboard control of a screen, besides its fields. */
function useDoorKeys(screen: Screen['name'], dispatch: KioskMachine['dispatch']): void {
  // With the screen, not after it is painted: a busy machine paints late.
  useLayoutEffect(() => {
    if (screen !== 'attempt' && screen !== 'result' && screen !== 'pin') return;
    const onKey = (event: KeyboardEvent) => {
      const onControl = event.target instanceof Element && event.target.closest('button, select') !== null;
      if (event.key === 'Escape') dispatch({ type: onEscape[screen] });
      else if (screen === 'result' && !onControl && (event.key === 'Enter' || event.key === ' ')) {
        event.preventDefault();
        dispatch({ type: 'next-pressed' });
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [screen, dispatch]);
}

/** After this time without a key or a touch, what the PIN has opened is closed. */
const STAFF_IDLE_MS = 120_000;

/** Staff's screens close by themselves, the question for the right list only once that has come. */
function useStaffIdle(screen: Screen, dispatch: KioskMachine['dispatch']): void {
  const isAsked = screen.name === 'confirm' && mayConfirm(screen.status);
  const isStaffs = isAsked || ['pin', 'device', 'pair', 'offer', 'stopped'].includes(screen.name);
  useEffect(() => {
    if (!isStaffs) return;
    let timer = 0;
    const wait = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => dispatch({ type: 'staff-idle' }), STAFF_IDLE_MS);
    };
    wait();
    const signs = ['keydown', 'pointerdown'] as const;
    for (const sign of signs) addEventListener(sign, wait, { capture: true });
    return () => {
      clearTimeout(timer);
      for (const sign of signs) removeEventListener(sign, wait, { capture: true });
    };
  }, [isStaffs, dispatch]);
}

export interface AppProps extends Surroundings {
  readonly machine: KioskMachine;
  readonly preferences: Preferences;
  readonly onPreferences: (preferences: Preferences) => void;
}

/** The page: one screen, below a line with the connection, the language and the link to the device screen. */
export function App({ machine, preferences: stored, onPreferences, ...surroundings }: AppProps) {
  const state = useMachine(machine);
  const [preferences, setPreferences] = useState(stored);
  const [guestLanguage, setGuestLanguage] = useState<string | null>(null);
  const { dispatch } = machine;
  useEffect(() => listenToWedge((code) => dispatch({ type: 'scanned', scannedId: code })), [dispatch]);

  const screen = screenOf(state);
  useDoorKeys(screen.name, dispatch);
  useStaffIdle(screen, dispatch);
  useEffect(() => {
    if (guestLanguage === null || screen.name === 'attempt') return;
    const timer = setTimeout(() => setGuestLanguage(null), GUEST_LANGUAGE_MS);
    return () => clearTimeout(timer);
  }, [guestLanguage, screen.name]);

  const language = guestLanguage ?? languageOf(preferences, navigator.languages);
  const found = useTexts(texts, language);
  const { say, language: spoken } = found ?? texts.english;
  useDocument(spoken, say('app.title'));
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (preferences.theme === 'system') delete dataset.theme;
    else dataset.theme = preferences.theme;
  }, [preferences.theme]);

  const prefer = useCallback(
    (change: Partial<Preferences>) => {
      const next = { ...preferences, ...change };
      setPreferences(next);
      setGuestLanguage(null);
      onPreferences(next);
    },
    [preferences, onPreferences],
  );
  const takesTickets = screen.name === 'scan' || screen.name === 'result';
  // Staff choose the device's language, guests their own.
  const isStaffs = state.status === null || screen.name === 'device' || screen.name === 'confirm';
  const locale = inRegion(spoken, navigator.languages);
  const context: KioskContext = { ...surroundings, say, language, locale, dispatch, preferences, prefer };
  return (
    <KioskProvider value={context}>
      <Header
        screen={screen}
        status={state.status}
        reachable={state.reachable}
        onLanguage={isStaffs ? (chosen) => prefer({ language: chosen }) : setGuestLanguage}
      />
      <div class="waits" role="status">
        {state.waitsFor === null ? null : <Notice title={say('app.slow', { part: state.waitsFor })} />}
      </div>
      {takesTickets && preferences.codeCamera !== 'none' ? (
        // Mounted here, so that the camera stays on from a result to the next scan.
        <CodeCamera onCode={(scannedId) => dispatch({ type: 'scanned', scannedId })} />
      ) : null}
      <CurrentScreen screen={found === null ? { name: 'loading' } : screen} />
      <LiveRegion text={screen.name === 'scan' ? say('scan.title') : ''} />
    </KioskProvider>
  );
}
