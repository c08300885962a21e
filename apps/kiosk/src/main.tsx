import './no-eval.ts';
import './styles/kiosk.css';
import { describeWebStorage, listWebCameras } from '@svc/device-sdk-web';
import { guardScripts } from '@svc/ui/trusted-types';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { type Preferences, readPreferences, writePreferences } from './app/preferences.ts';
import { createScreenLight } from './device/screen-light.ts';
import { createWebDevices } from './device/web-devices.ts';
import { createKiosk } from './kiosk.ts';
import { keepCurrent } from './offline/keep-current.ts';
import { readDeployment, takeFromAddress } from './pairing/pairing.ts';
import { createPairingStore } from './pairing/pairing-store.ts';
import { createStaffPin } from './pairing/staff-pin.ts';
import { createCameraScanner } from './scan/camera-scanner.ts';
import { isIdle } from './view-model/update.ts';

/** Two quiet notes: rising for «come in», level for everything else. Synthesised, so no file has to be loaded. */
function chime(tone: 'let-in' | 'other'): void {
  const context = new AudioContext();
  const notes = tone === 'let-in' ? [659.25, 987.77] : [440, 440];
  for (const [i, frequency] of notes.entries()) {
    const at = context.currentTime + i * 0.16;
    const oscillator = new OscillatorNode(context, { frequency });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.linearRampToValueAtTime(0.12, at + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, at + 0.32);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(at);
    oscillator.stop(at + 0.34);
    if (i === notes.length - 1) oscillator.addEventListener('ended', () => void context.close());
  }
}

const page = new URL('.', document.baseURI);
guardScripts(page);

let preferences: Preferences = readPreferences(localStorage);
const light = createScreenLight({ page: document, system: window, isWanted: () => preferences.light });
const faceVideo = document.createElement('video');

const later = (afterMs: number, action: () => void) => void setTimeout(action, afterMs);
const pairings = createPairingStore();

const kiosk = createKiosk({
  devices: createWebDevices({
    assetsUrl: new URL(`${__ENGINE_FOLDER__}/`, page),
    faceCamera: () => (preferences.faceCamera === 'automatic' ? null : preferences.faceCamera),
    light,
  }),
  pairings,
  pin: createStaffPin({ store: pairings, monotonicMs: () => performance.now(), later }),
  page: page.href,
  readDeployment: () => readDeployment(page),
  faceVideo,
  chime(tone) {
    if (preferences.sound) chime(tone);
  },
  later,
});

const root = document.getElementById('app');
if (root !== null) {
  render(
    <App
      kiosk={kiosk}
      preferences={preferences}
      onPreferences={(next) => {
        preferences = next;
        writePreferences(localStorage, next);
        light.changed();
      }}
      scanner={createCameraScanner(
        () => new Worker(new URL('./scan/code-worker.ts', import.meta.url), { type: 'module', name: 'svc-codes' }),
      )}
      faceVideo={faceVideo}
      listCameras={listWebCameras}
      describeStorage={describeWebStorage}
      notInstalled={__MODELS_NOT_INSTALLED__}
      serviceHost={page.host}
    />,
    root,
  );
}
kiosk.start(takeFromAddress());
// A link that is opened in the same tab changes only the fragment.
addEventListener('hashchange', () => {
  const text = takeFromAddress();
  if (text !== null) kiosk.dispatch({ type: 'token-offered', text });
});
void keepCurrent(new URL('sw.js', page).href, {
  isIdle: () => isIdle(kiosk.state()),
  onChange: (check) => kiosk.subscribe(check),
  reload: () => location.reload(),
});
