/**
 * Shows the step named in the URL hash, with `?lang=…&theme=…&accent=…&host=frame`, with `brand` a logo and a heading, and
 * with `preview` as one; all data is fake. The guest's picture is `face.jpg` beside the page, if present.
 */
import '../page/styles/widget.css';
import { applyAppearance, guardScripts, Machine, readAppearance, type Step } from '@svc/page-kit';
import type { WidgetSession } from '@svc/protocol';
import { render } from 'preact';
import { App } from '../page/app.tsx';
import { type Effect, type HeldPhoto, initialState, type State } from '../page/flow/state.ts';
import { followViewHeight } from '../page/picture-view.ts';
import { sampleSession, sampleSteps, stateAt } from './sample-states.ts';

guardScripts(new URL('../../', document.baseURI));
const query = new URLSearchParams(location.search);
const language = query.get('lang') ?? 'en';
const host = query.get('host') === 'frame' ? 'frame' : 'link';
document.documentElement.dataset.host = host;
applyAppearance(document.documentElement, readAppearance(Object.fromEntries(query)));
const app = document.getElementById('app');
const windowIs = followViewHeight(document.documentElement, host === 'frame');
if (host === 'frame') windowIs(innerHeight);

/** In two colours, with transparent corners. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="80"><ellipse fill="#c02060" cx="60" cy="40" rx="60" ry="40"/><ellipse fill="#1a1a80" cx="180" cy="40" rx="60" ry="40"/></svg>';

/** The session of the sample, with what the address asks for. */
function sessionAsked(): WidgetSession {
  const session = { ...sampleSession(language), preview: query.has('preview') };
  if (!query.has('brand')) return session;
  const looks = { accent: null, font: null, radius: null, theme: 'auto' } as const;
  const logo = { url: `data:image/svg+xml,${encodeURIComponent(LOGO)}`, width: 240, height: 80 };
  const benefit =
    'Your own lane at the north gate: no queue, and nobody searches for a ticket in the rain or asks for an ID';
  const heading = 'Walk in with a smile: no ticket in your hand, no queue, and both hands free for a drink';
  return { ...session, brand: { ...looks, logo, heading: heading.slice(0, 80), benefit } };
}

/** A camera that films the picture. */
function filmOf(picture: ImageBitmap): HTMLVideoElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = canvas.captureStream();
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  void video.play().catch(() => undefined);
  return video;
}

const jpeg = await (await fetch(new URL('face.jpg', document.baseURI))).blob();
const picture = await createImageBitmap(jpeg);
const photo: HeldPhoto = {
  jpeg,
  width: picture.width,
  height: picture.height,
  key: 'key',
  source: 'camera',
  mirrored: true,
};
const steps = sampleSteps(photo);

const showOnly = (state: State): Step<State, Effect> => ({ state, effects: [] });

function show(): void {
  const name = location.hash.slice(1);
  const step = steps[name];
  if (app === null) return;
  const initial = step === undefined ? initialState : stateAt(step, sessionAsked());
  render(
    <App
      key={name}
      machine={new Machine({ initial, transition: showOnly, carryOut: () => undefined })}
      video={filmOf(picture)}
      link={host === 'frame' ? null : 'https://widget.example/#svce_'.padEnd(80, '0')}
      wantedLanguages={[language]}
      onStep={() => undefined}
      onSwap={() => undefined}
    />,
    app,
  );
  app.dataset.names = Object.keys(steps).join(' ');
  app.dataset.shown = name;
}

addEventListener('hashchange', show);
show();
