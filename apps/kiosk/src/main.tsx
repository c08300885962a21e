import '@svc/device-sdk-web/older-browsers';
import './no-eval.ts';
import './styles/kiosk.css';
import { guardScripts, mediaQuery, pageStorage } from '@svc/page-kit';
import { render } from 'preact';
import { App } from './app.tsx';
import { watchConnection } from './device/connection-watch.ts';
import { createScreenLight } from './device/screen-light.ts';
import { createSignals } from './device/signals.ts';
import { createWebDevices } from './device/web-devices.ts';
import { Kiosk } from './kiosk.ts';
import { keepCurrent, whenKept } from './offline/keep-current.ts';
import { readDeployment, takeFromAddress } from './pairing/pairing.ts';
import { createPairingStore } from './pairing/pairing-store.ts';
import { createStaffPin } from './pairing/staff-pin.ts';
import { type Preferences, readPreferences, writePreferences } from './preferences.ts';
import { createCameraScanner } from './scan/camera-scanner.ts';
import { isIdle } from './view-model/transition.ts';

const page = new URL('.', document.baseURI);
guardScripts(page);

let preferences: Preferences = readPreferences(pageStorage);
const light = createScreenLight({
  page: document,
  system: { matchMedia: mediaQuery },
  isWanted: () => preferences.light,
});
const faceVideo = document.createElement('video');
// Not in every browser: iOS has no vibration.
const vibrate = typeof navigator.vibrate === 'function' ? (pattern: number[]) => navigator.vibrate(pattern) : null;
const signals = createSignals({
  createAudio: () => ('AudioContext' in globalThis ? new AudioContext() : null),
  vibrate,
});

const later = (afterMs: number, action: () => void) => void setTimeout(action, afterMs);
const pairings = createPairingStore();

const kiosk = new Kiosk({
  devices: createWebDevices({
    assetsUrl: new URL(`${__ENGINE_FOLDER__}/`, page),
    faceCamera: () => (preferences.faceCamera === 'automatic' ? null : preferences.faceCamera),
    light,
    whenKept: () => whenKept(registered),
  }),
  pairings,
  pin: createStaffPin({ store: pairings, monotonicMs: () => performance.now(), later }),
  page: page.href,
  readDeployment: () => readDeployment(page),
  hasPassiveCheck: __HAS_PASSIVE_CHECK__,
  faceVideo,
  signal: (advice) => signals.play(advice, preferences),
  later,
});

const registered = keepCurrent(new URL('sw.js', page).href, {
  isIdle: () => isIdle(kiosk.machine.state),
  onChange: kiosk.machine.subscribe,
  reload: () => location.reload(),
});
registered.catch(() => undefined);

const root = document.getElementById('app');
if (root !== null) {
  render(
    <App
      machine={kiosk.machine}
      preferences={preferences}
      onPreferences={(next) => {
        preferences = next;
        writePreferences(pageStorage, next);
        light.changed();
      }}
      scanner={createCameraScanner(
        () => new Worker(new URL('./scan/code-worker.ts', import.meta.url), { type: 'module', name: 'svc-codes' }),
      )}
      faceVideo={faceVideo}
      codeVideo={document.createElement('video')}
      canVibrate={vibrate !== null}
      notInstalled={__MODELS_NOT_INSTALLED__}
    />,
    root,
  );
}
kiosk.start(takeFromAddress());
// A link that is opened in the same tab changes only the fragment.
addEventListener('hashchange', () => {
  const text = takeFromAddress();
  if (text !== null) kiosk.machine.dispatch({ type: 'token-offered', text });
});
watchConnection(kiosk.machine, (signal) => kiosk.reach(signal), window);
