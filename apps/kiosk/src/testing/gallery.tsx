/** Development page: shows the screen named in the URL hash, with `?theme=…&lang=…`; all data is fake. */
import '../styles/kiosk.css';
import { guardScripts } from '@svc/ui/trusted-types';
import { render } from 'preact';
import { App } from '../app/app.tsx';
import { standardPreferences } from '../app/preferences.ts';
import { texts } from '../text/index.ts';
import { initialState } from '../view-model/state.ts';
import { sampleStates } from './sample-states.ts';
import { showStandingPerson } from './standing-person.ts';

guardScripts(new URL('../../', document.baseURI));
const query = new URLSearchParams(location.search);
const theme = query.get('theme') === 'dark' ? 'dark' : 'light';
const language = texts.languages.find((known) => known === query.get('lang')) ?? 'en';
const root = document.getElementById('app');
const faceVideo = showStandingPerson();

function show(): void {
  const name = location.hash.slice(1);
  const state = sampleStates[name] ?? initialState;
  if (root === null) return;
  render(
    <App
      key={name}
      kiosk={{
        state: () => state,
        subscribe: () => () => undefined,
        dispatch: () => undefined,
        start: () => undefined,
        reach: () => Promise.resolve(null),
      }}
      preferences={{ ...standardPreferences, language, theme }}
      onPreferences={() => undefined}
      scanner={{ start: () => () => undefined }}
      faceVideo={faceVideo}
      codeVideo={document.createElement('video')}
      canVibrate
      listCameras={() => Promise.resolve([])}
      describeStorage={() => Promise.resolve({ persisted: false, usageBytes: null, quotaBytes: null })}
      notInstalled={['retail-0095-mirror/3', 'minifasnet']}
      serviceHost="faces.example"
    />,
    root,
  );
  root.dataset.names = Object.keys(sampleStates).join(' ');
  root.dataset.shown = name;
}

await texts.load(language);
addEventListener('hashchange', show);
show();
