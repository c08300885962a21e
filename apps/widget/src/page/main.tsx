import './styles/widget.css';
import { appearanceOver, applyAppearance, guardScripts, mediaQuery, newUuid, readAppearance } from '@svc/page-kit';
import { isSecret, type ShownBrand } from '@svc/protocol';
import { render } from 'preact';
import { keepFragment, readFragment, takeFragment } from '../embed/address.ts';
import { connectToParent, followHeight } from '../embed/parent.ts';
import { createWidgetApi } from './api/widget-api.ts';
import { App } from './app.tsx';
import { type Notice, outcomeOf, placeOf, type StepName } from './flow/state.ts';
import { GuestPage } from './guest-page.ts';
import { followViewHeight, watchPicture } from './picture-view.ts';
import { createPressGuard } from './press-guard.ts';
import { isUsed } from './screens/screen-parts.tsx';
import { continueFetch } from './start/head-start.ts';
import { createStepHistory } from './step-history.ts';

const address = new URL('.', document.baseURI);
guardScripts(address);

const fragment = takeFragment(window);
const { token, settings } = readFragment(fragment);
const root = document.documentElement;
const parent = connectToParent(window, followViewHeight(root, window.parent !== window));
/** A link's own looks, of an earlier version, are ignored: whoever forwards a link cannot change them. */
const appearance = readAppearance(parent.isThere ? settings : { language: settings.language });
root.dataset.host = parent.isThere ? 'frame' : 'link';
applyAppearance(root, appearance);

/** The brand's looks, where the page around sets none. */
function applyBrand(brand: ShownBrand | null): void {
  const looks = appearanceOver(appearance, readAppearance({ ...brand }));
  applyAppearance(root, looks);
  if (looks.theme !== 'system') parent.tell({ type: 'theme', theme: looks.theme });
}

function tell(notice: Notice): void {
  // What is done in a preview has happened to nobody.
  if (page.machine.state.session?.preview && (notice.type === 'enrolled' || notice.type === 'declined')) return;
  parent.tell(
    notice.type === 'error' ? { type: 'error', text: notice.message, expired: notice.expired } : { type: notice.type },
  );
}

const video = document.createElement('video');
video.muted = true;
video.playsInline = true;

/** Runs an action after a time. @returns a function that cancels it */
function later(afterMs: number, action: () => void): () => void {
  const timer = setTimeout(action, afterMs);
  return () => clearTimeout(timer);
}

/** Room above the picture when it is scrolled into view, CSS pixels. */
const ABOVE_PX = 8;

const page = new GuestPage({
  callService: createWidgetApi({
    baseUrl: new URL(`${__API_URL__}/`, address),
    token: token ?? '',
    fetch: continueFetch(globalThis.svcHeadStart),
  }),
  loadCapture: () => import('../capture/index.ts').then(({ createCapture }) => createCapture()),
  savesData: (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true,
  video,
  showShutter: () =>
    new Promise((resolve) => {
      setTimeout(resolve, mediaQuery('(prefers-reduced-motion: reduce)').matches ? 0 : SHUTTER_MS);
    }),
  tell,
  picture: watchPicture(video, () => {
    const { top } = video.getBoundingClientRect();
    if (parent.isThere) parent.tell({ type: 'show-top', px: Math.max(0, Math.floor(top - ABOVE_PX)) });
    else scrollBy({ top: top - ABOVE_PX, behavior: 'instant' });
  }),
  newKey: () => newUuid(),
  later,
});

/** Duration of the animation `shutter` in the styles. */
const SHUTTER_MS = 320;

const steps = createStepHistory(window, (place) => page.machine.dispatch({ type: 'went-to', place }));
page.machine.subscribe(({ step, session }) => {
  if (step.name === 'loading' || step.name === 'declining' || step.name === 'undoing') return;
  const boxes = 'boxes' in step ? step.boxes : null;
  const ticks = boxes === null || session === null ? null : { wordingSha256: session.wordingSha256, boxes };
  steps.show(placeOf[step.name] ?? null, ticks, outcomeOf({ session, step }));
});
// Every step begins at its own top.
history.scrollRestoration = 'manual';

let shownBrand: ShownBrand | null = null;
page.machine.subscribe(({ session, step }) => {
  const brand = (session ?? (step.name === 'ended' ? step.about : null))?.brand ?? null;
  if (brand === shownBrand) return;
  shownBrand = brand;
  applyBrand(brand);
});

const wantedLanguages = [...(appearance.language === null ? [] : [appearance.language]), ...navigator.languages];
let lastStep: StepName | null = null;
const app = document.getElementById('app');
if (app !== null) {
  const guard = createPressGuard(app);
  const height = parent.isThere ? followHeight(app, parent) : null;
  const onStep = (step: StepName, title: string): void => {
    parent.tell({ type: 'title', text: title });
    if (step === lastStep) return;
    keepFragment(window, outcomeOf(page.machine.state) === null ? fragment : null);
    // Before the guest has done anything there is nothing to scroll away from, and no press to be mistaken.
    if (isUsed() && lastStep !== null) {
      guard.begin();
      if (height === null) scrollTo({ top: 0, behavior: 'instant' });
      else {
        // The frame gets its new height first, so that the organiser's page can scroll as far as that.
        height.tell();
        parent.tell({ type: 'show-top', px: 0 });
      }
    }
    lastStep = step;
  };
  render(
    <App
      machine={page.machine}
      video={video}
      link={parent.isThere ? null : new URL(fragment, location.href).href}
      wantedLanguages={wantedLanguages}
      onStep={onStep}
      onSwap={guard.begin}
    />,
    app,
  );
}

addEventListener('online', () => page.machine.dispatch({ type: 'online' }));
// Restored as it was left, perhaps with a step that is over, a camera that has ended, or somebody else's photo.
addEventListener('pageshow', ({ persisted }: PageTransitionEvent) => {
  if (persisted) location.reload();
});
// Another link was opened in the same window: drop all state of the last one.
addEventListener('hashchange', () => location.reload());

const { language } = appearance;
const message = 'The enrolment token is missing or not complete';
page.machine.dispatch(
  token !== null && isSecret('svce', token)
    ? { type: 'opened', language, kept: steps.kept }
    : { type: 'ended', message, ...(steps.outcome ?? { why: 'incomplete', about: null }) },
);
