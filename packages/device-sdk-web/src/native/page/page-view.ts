import type { LightColour, Prompt } from '@svc/device-sdk';
import { createVideoCamera, screenCandela } from '../../camera/video-camera.ts';
import type { AttemptView, ViewSettings } from '../native-host.ts';

type TextKey =
  | Exclude<Prompt['key'], 'turn-head'>
  | NonNullable<Prompt['hint']>
  | 'turn-left'
  | 'turn-right'
  | 'light-next'
  | 'confirm'
  | 'cancel'
  | 'remaining'
  | 'remaining-label';
type Texts = Readonly<Record<TextKey, string>>;
/** By language; `scripts/prepare-sources.ts` puts the kiosk's here. */
declare const ATTEMPT_TEXTS: { readonly en: Texts } & Readonly<Record<string, Texts>>;

const SVG = 'http://www.w3.org/2000/svg';
/** Starts at the top, clockwise. */
const OVAL = 'M150 26A128 174 0 0 1 150 374A128 174 0 0 1 150 26';
const SIZE = { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 } };

/** The language itself, without its region, if there are texts; else English. */
function wordsOf(wanted: readonly string[]): { readonly language: string; readonly words: Texts } {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-', 1)[0] ?? '';
    const words = ATTEMPT_TEXTS[language];
    if (words !== undefined) return { language, words };
  }
  return { language: 'en', words: ATTEMPT_TEXTS.en };
}

function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className: string, parent: Element) {
  const made = document.createElement(tag);
  made.className = className;
  parent.append(made);
  return made;
}

function oval(className: string, parent: Element): SVGPathElement {
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('class', className);
  path.setAttribute('d', OVAL);
  path.setAttribute('pathLength', '1');
  parent.append(path);
  return path;
}

const promptWords = ({ key, direction }: Prompt, words: Texts): string =>
  key === 'turn-head' ? words[direction === 'left' ? 'turn-left' : 'turn-right'] : words[key];

function hintWords({ hint, next }: Prompt, words: Texts): string {
  if (hint !== undefined) return words[hint];
  return next === 'light' ? words['light-next'] : '';
}

/** The camera's picture and what to do, on a page of its own. */
export function createPageView(settings: ViewSettings): AttemptView {
  const { language, words } = wordsOf([
    ...(settings.language === undefined ? [] : [settings.language]),
    ...navigator.languages,
  ]);
  const root = document.documentElement;
  root.lang = language;
  root.dir = language === 'ar' ? 'rtl' : 'ltr';
  root.dataset.prompts = settings.prompts;
  const main = element('main', 'attempt', document.body);
  main.hidden = true;
  const picture = element('div', 'picture', main);
  const video = element('video', settings.camera === 'user' ? 'mirrored' : '', picture);
  // Without these two, phones go full screen.
  video.playsInline = true;
  video.muted = true;
  const ring = document.createElementNS(SVG, 'svg');
  ring.setAttribute('viewBox', '0 0 300 400');
  ring.setAttribute('class', 'outline');
  ring.setAttribute('aria-hidden', 'true');
  picture.append(ring);
  oval('outline-track', ring);
  const progress = oval('outline-progress', ring);
  const prompt = element('div', 'prompt', main);
  const arrow = element('span', 'prompt-arrow', prompt);
  arrow.setAttribute('aria-hidden', 'true');
  const sentence = element('h1', 'prompt-words', prompt);
  const hint = element('p', 'prompt-hint', prompt);
  const foot = element('div', 'foot', main);
  const seconds = element('p', 'seconds', foot);
  // Not announced: people who need the remaining time can go to it.
  seconds.setAttribute('role', 'timer');
  seconds.setAttribute('aria-live', 'off');
  seconds.setAttribute('aria-label', words['remaining-label']);
  const confirm = button(words.confirm, settings.onConfirm, foot);
  const cancel = button(words.cancel, settings.onCancel, foot);
  cancel.dataset.action = 'cancel';
  confirm.dataset.action = 'confirm';
  const spoken = element('p', 'spoken', main);
  spoken.setAttribute('aria-live', 'assertive');

  function say(shown: Prompt): void {
    const [text, more] = [promptWords(shown, words), hintWords(shown, words)];
    prompt.dataset.prompt = shown.key;
    setOrDelete(prompt, 'direction', shown.direction);
    setOrDelete(prompt, 'hint', shown.hint);
    setOrDelete(root, 'light', shown.light === true ? 'true' : undefined);
    sentence.textContent = text;
    hint.textContent = more;
    seconds.textContent = words.remaining.replace('{seconds}', String(Math.ceil(shown.remainingMs / 1000)));
    progress.setAttribute('stroke-dasharray', `${shown.progress} 1`);
    confirm.hidden = shown.key !== 'staff-confirms';
    const announced = more === '' ? text : `${text}. ${more}`;
    if (spoken.textContent !== announced) spoken.textContent = announced;
  }

  function showLight(colour: LightColour | null): void {
    setOrDelete(root, 'screenLight', colour === null ? undefined : 'on');
    if (colour === null) root.style.removeProperty('--screen-light');
    else root.style.setProperty('--screen-light', `rgb(${colour.red} ${colour.green} ${colour.blue})`);
  }

  return {
    show(shown) {
      main.hidden = shown === null;
      if (shown !== null) return say(shown);
      showLight(null);
      setOrDelete(root, 'light', undefined);
      spoken.textContent = '';
    },
    camera: (onPrompt) =>
      createVideoCamera(video, {
        onPrompt,
        constraints: { ...SIZE, facingMode: settings.camera },
        ...(settings.withLight ? { showLight, screenCandela: screenCandela(screen) } : {}),
      }),
  };
}

function setOrDelete({ dataset }: HTMLElement, name: string, value: string | undefined): void {
  if (value === undefined) delete dataset[name];
  else dataset[name] = value;
}

function button(text: string, onPress: () => void, parent: Element): HTMLButtonElement {
  const made = element('button', 'button', parent);
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', onPress);
  return made;
}
