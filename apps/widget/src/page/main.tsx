import './styles/widget.css';
import { isSecret } from '@svc/protocol';
import { applyAppearance, readAppearance } from '@svc/ui/theme';
import { guardScripts } from '@svc/ui/trusted-types';
import { render } from 'preact';
import { readFragment } from '../embed/address.ts';
import { connectToParent, followHeight } from '../embed/parent.ts';
import { createWidgetApi } from './api/widget-api.ts';
import { App } from './app/app.tsx';
import type { Notice } from './flow/state.ts';
import { createGuestPage } from './guest-page.ts';
import { continueFetch } from './start/head-start.ts';

const address = new URL('.', document.baseURI);
guardScripts(address);

const { token, settings } = readFragment(location.hash);
const appearance = readAppearance(settings);
const parent = connectToParent();
const root = document.documentElement;
root.dataset.host = parent.isThere ? 'frame' : 'link';
applyAppearance(root, appearance);

function tell(notice: Notice): void {
  parent.tell(notice.type === 'error' ? { type: 'error', text: notice.message } : notice);
}

const video = document.createElement('video');
video.muted = true;
video.playsInline = true;

const page = createGuestPage({
  api: createWidgetApi({
    baseUrl: new URL(`${__API_URL__}/`, address),
    token: token ?? '',
    fetch: continueFetch(globalThis.svcHeadStart),
  }),
  loadCapture: () => import('../capture/index.ts').then(({ createCapture }) => createCapture()),
  video,
  tell,
  newKey: () => crypto.randomUUID(),
  later(afterMs, action) {
    const timer = setTimeout(action, afterMs);
    return () => clearTimeout(timer);
  },
});

/** The consent has been painted and reacts before anything else is fetched. */
const SETTLED_MS = 500;
const IDLE_WITHIN_MS = 5_000;

/** Fetches the photo code and the engine once the consent is usable and the page idle, unless data is to be saved. */
function warmUpWhenIdle(): void {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  if (connection?.saveData === true) return;
  const warmUp = () => page.warmUp();
  // Safari has no idle callbacks.
  const whenIdle = () =>
    'requestIdleCallback' in window ? requestIdleCallback(warmUp, { timeout: IDLE_WITHIN_MS }) : setTimeout(warmUp);
  setTimeout(whenIdle, SETTLED_MS);
}

const wantedLanguages = [...(appearance.language === null ? [] : [appearance.language]), ...navigator.languages];
let isFirstStep = true;
const app = document.getElementById('app');
if (app !== null) {
  render(
    <App
      page={page}
      video={video}
      newKey={page.newKey}
      link={parent.isThere ? null : location.href}
      wantedLanguages={wantedLanguages}
      onStep={(step, title) => {
        if (step === 'consent') warmUpWhenIdle();
        parent.tell({ type: 'title', text: title });
        if (!isFirstStep) parent.tell({ type: 'show-top' });
        isFirstStep = false;
      }}
    />,
    app,
  );
  if (parent.isThere) followHeight(app, parent);
}

addEventListener('online', () => page.dispatch({ type: 'online' }));
// Another link was opened in the same window: drop all state of the last one.
addEventListener('hashchange', () => location.reload());

const { language } = appearance;
page.dispatch(token !== null && isSecret('svce', token) ? { type: 'opened', language } : { type: 'token-missing' });
