import '../styles/kiosk.css';
import { guardScripts, Machine, type Step } from '@svc/page-kit';
import { render } from 'preact';
import { App } from '../app.tsx';
import { standardPreferences } from '../preferences.ts';
import { texts } from '../text/index.ts';
import { type Effect, initialState, type State } from '../view-model/state.ts';
import { sampleStates } from './sample-states.ts';

/** Development page: shows the screen named in the URL hash, with `?theme=…&lang=…`; all data is fake. */

// Of the camera's picture, in px.
const WIDTH = 640;
const HEIGHT = 480;
/** The head of a tall person 1.2 m from a tablet at chest height, near the top edge. Shares of the picture. */
const HEAD = { top: 0.03, bottom: 0.24, left: 0.43, right: 0.57 };

guardScripts(new URL('../../', document.baseURI));
const query = new URLSearchParams(location.search);
const theme = query.get('theme') === 'dark' ? 'dark' : 'light';
const language = texts.languages.find((known) => known === query.get('lang')) ?? 'en';
const root = document.getElementById('app');
const faceVideo = showStandingPerson();

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

/** @returns a video that plays a drawn person, as the camera would show them */
export function showStandingPerson(): HTMLVideoElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const context = canvas.getContext('2d');
  const video = document.createElement('video');
  if (context === null) return video;
  const wall = context.createLinearGradient(0, 0, 0, HEIGHT);
  wall.addColorStop(0, '#8fa3ad');
  wall.addColorStop(1, '#5c6d76');
  context.fillStyle = wall;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const middle = ((HEAD.left + HEAD.right) / 2) * WIDTH;
  const headHeight = (HEAD.bottom - HEAD.top) * HEIGHT;
  const headWidth = (HEAD.right - HEAD.left) * WIDTH;
  context.fillStyle = '#2f4a63';
  context.beginPath();
  context.roundRect(middle - 1.35 * headWidth, HEAD.bottom * HEIGHT + 12, 2.7 * headWidth, HEIGHT, 50);
  context.fill();
  context.fillStyle = '#c99b7d';
  context.fillRect(middle - 0.22 * headWidth, HEAD.bottom * HEIGHT - 14, 0.44 * headWidth, 40);
  context.beginPath();
  context.ellipse(middle, HEAD.top * HEIGHT + headHeight / 2, headWidth / 2, headHeight / 2, 0, 0, 2 * Math.PI);
  context.fill();
  video.muted = true;
  video.srcObject = canvas.captureStream();
  void video.play().catch(() => undefined);
  return video;
}
