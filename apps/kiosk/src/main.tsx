import './no-eval.ts';
import './styles/kiosk.css';
import { describeWebStorage, listWebCameras } from '@svc/device-sdk-web';
import { guardScripts } from '@svc/ui/trusted-types';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { chime } from './app/chime.ts';
import { type Preferences, readPreferences, writePreferences } from './app/preferences.ts';
import { createScreenLight } from './device/screen-light.ts';
import { createWebDevices } from './device/web-devices.ts';
import { createKiosk } from './kiosk.ts';
import { keepCurrent } from './offline/keep-current.ts';
import { readDeployment } from './pairing/deployment.ts';
import { createPairingStore } from './pairing/pairing-store.ts';
import { createCameraScanner } from './scan/camera-scanner.ts';
import { isIdle } from './view-model/update.ts';

const page = new URL('.', document.baseURI);
guardScripts(page);

let preferences: Preferences = readPreferences(localStorage);
const light = createScreenLight({ page: document, system: window, isWanted: () => preferences.light });
const faceVideo = document.createElement('video');

const kiosk = createKiosk({
  devices: createWebDevices({
    assetsUrl: new URL(`${__ENGINE_FOLDER__}/`, page),
    faceCamera: () => (preferences.faceCamera === 'automatic' ? null : preferences.faceCamera),
    light,
  }),
  pairings: createPairingStore(),
  readDeployment: () => readDeployment(page),
  faceVideo,
  chime(tone) {
    if (preferences.sound) chime(tone);
  },
  later: (afterMs, action) => void setTimeout(action, afterMs),
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
kiosk.start();
void keepCurrent(new URL('sw.js', page).href, {
  isIdle: () => isIdle(kiosk.state()),
  onChange: (check) => kiosk.subscribe(check),
  reload: () => location.reload(),
});
