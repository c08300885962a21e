import '../styles/kiosk.css';
import { guardScripts, Machine, type Step } from '@svc/page-kit';
import { render } from 'preact';
import { App } from '../app.tsx';
import { standardPreferences } from '../preferences.ts';
import { texts } from '../text/index.ts';
import { type Effect, initialState, type State } from '../view-model/state.ts';
import { sampleStates } from './sample-states.ts';

/** Development page: shows the screen named in the URL hash, with `?theme=…&lang=…`; all data is fake. */

guardScripts(new URL('../../', document.baseURI));
const query = new URLSearchParams(location.search);
const theme = query.get('theme') === 'dark' ? 'dark' : 'light';
const language = texts.languages.find((known) => known === query.get('lang')) ?? 'en';
const root = document.getElementById('app');
const faceVideo = showStandingPerson();
const codeVideo = showStandingPerson();

const showOnly = (state: State): Step<State, Effect> => ({ state, effects: [] });

function show(): void {
  const name = location.hash.slice(1);
  const initial = sampleStates[name] ?? initialState;
  if (root === null) return;
  render(
    <App
      key={name}
      machine={new Machine({ initial, transition: showOnly, carryOut: () => undefined })}
      preferences={{ ...standardPreferences, language, theme }}
      onPreferences={() => undefined}
      scanner={{ start: () => () => undefined }}
      faceVideo={faceVideo}
      codeVideo={codeVideo}
      canVibrate
      notInstalled={['retail-0095-mirror/4', 'minifasnet']}
    />,
    root,
  );
  root.dataset.names = Object.keys(sampleStates).join(' ');
  root.dataset.shown = name;
}

await texts.load(language);
addEventListener('hashchange', show);
show();

/** A video of a drawn person: tall, 1.2 m from a tablet at chest height, so that the head is near the top edge. */
function showStandingPerson(): HTMLVideoElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [640, 480];
  const context = canvas.getContext('2d');
  const video = document.createElement('video');
  if (context === null) return video;
  context.fillStyle = '#768992';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#2f4a63';
  context.fillRect(199, 127, 242, 353);
  context.fillStyle = '#c99b7d';
  context.fillRect(300, 101, 40, 40);
  context.ellipse(320, 65, 45, 50, 0, 0, 2 * Math.PI);
  context.fill();
  video.muted = true;
  video.srcObject = canvas.captureStream();
  void video.play().catch(() => undefined);
  return video;
}
