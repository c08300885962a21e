import { isTokenLike, type SettingTexts, writeFragment } from '../embed/address.ts';
import {
  type FrameMessage,
  type Hello,
  PROTOCOL_VERSION,
  readFrameMessage,
  type WindowMessage,
} from '../embed/messages.ts';
import type { MountOptions, WidgetErrorDetail } from './api.ts';

/** The widget's page answers the hello immediately after it has loaded. */
const ANSWER_MS = 10_000;
const FIRST_HEIGHT_PX = 480;

/** One widget in one container. */
export type Frame = ReturnType<typeof openFrame>;

/** The widget's page would not run in such a browser and could not say so. */
const isTooOld = () => typeof Object.hasOwn !== 'function';

function refusalOf(token: string): string | null {
  if (isTooOld()) return 'This browser is too old for face check-in.';
  if (token === '') return 'The enrolment token is missing.';
  return isTokenLike(token) ? null : 'This is not an enrolment token.';
}

/** Functions of the organiser's page besides its listeners. */
export type WidgetCalls = Pick<MountOptions, 'onReady' | 'onEnrolled' | 'onDeclined' | 'onError' | 'onExpired'>;

/** Calls a function of the page; what it throws is reported as by a listener, and stops nothing here. */
function call<A extends readonly unknown[]>(listener: ((...args: A) => void) | undefined, ...args: A): void {
  try {
    if (typeof listener === 'function') listener(...args);
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

/**
 * Puts the frame into the container and fires the page's messages there as events.
 * @param page address of the widget's page, with its slash
 */
export function openFrame(
  container: HTMLElement,
  page: URL,
  token: string,
  settings: SettingTexts,
  calls: WidgetCalls,
) {
  const frame = document.createElement('iframe');
  let port: MessagePort | null = null;
  let deadline = 0;
  let wasConnected = false;
  /** Closed, or reported as failed: at most one report. */
  let isOver = false;

  function fire(name: string, detail: WidgetErrorDetail | null = null): void {
    container.dispatchEvent(new CustomEvent(`svc:${name}`, { bubbles: true, detail }));
  }

  function reportError(message: string): void {
    fire('error', { message });
    call(calls.onError, { message });
  }

  function fail(message: string): void {
    clearTimeout(deadline);
    if (!isOver) reportError(message);
    isOver = true;
  }

  /** Scrolls the page so that the frame begins, from a height of its own on, at the top of the window. */
  function showFrom(px: number): void {
    const { top, bottom } = frame.getBoundingClientRect();
    if (top + px >= 0 && bottom <= innerHeight) return;
    frame.style.scrollMarginTop = `${-px}px`;
    frame.scrollIntoView();
  }

  function act(message: FrameMessage): void {
    switch (message.type) {
      case 'hello':
        clearTimeout(deadline);
        break;
      case 'height':
        frame.style.height = `${message.px}px`;
        break;
      case 'theme':
        frame.style.colorScheme = message.theme;
        break;
      case 'title':
        frame.title = message.text;
        break;
      case 'show-top':
        showFrom(message.px);
        break;
      case 'error':
        reportError(message.text);
        if (message.expired) call(calls.onExpired);
        break;
      case 'ready':
      case 'enrolled':
      case 'declined':
        fire(message.type);
        call({ ready: calls.onReady, enrolled: calls.onEnrolled, declined: calls.onDeclined }[message.type]);
        break;
    }
  }

  function tellHeight(): void {
    const message: WindowMessage = { type: 'window', px: innerHeight };
    port?.postMessage(message);
  }

  /** If something other than the widget's page is in the frame, the browser does not deliver the hello. */
  function greet(): void {
    const { port1, port2 } = new MessageChannel();
    port?.close();
    port = port1;
    port.onmessage = ({ data }) => {
      const message = readFrameMessage(data);
      if (message !== null) act(message);
    };
    clearTimeout(deadline);
    deadline = window.setTimeout(fail, ANSWER_MS, 'The widget could not be loaded.');
    const hello: Hello = { svc: 'hello', version: PROTOCOL_VERSION };
    frame.contentWindow?.postMessage(hello, page.origin, [port2]);
    tellHeight();
  }

  function onViolation({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent): void {
    if (effectiveDirective !== 'frame-src' || disposition !== 'enforce' || !blockedURI.startsWith(page.origin)) return;
    fail(`The page's Content-Security-Policy must allow frame-src ${page.origin}.`);
  }

  const refusal = refusalOf(token);
  if (refusal !== null) {
    // The caller adds its event listeners after mounting.
    setTimeout(fail, 0, refusal);
  } else {
    frame.allow = 'camera';
    frame.title = 'Face check-in';
    // The page's own address may contain a ticket number.
    frame.referrerPolicy = 'no-referrer';
    frame.src = page.href + writeFragment(token, settings);
    Object.assign(frame.style, { display: 'block', width: '100%', height: `${FIRST_HEIGHT_PX}px`, border: '0' });
    // Same colour scheme as the framed page, whatever the embedding page uses: otherwise browsers put an opaque
    // background below the frame, and some pass on their own scheme.
    frame.style.colorScheme = settings.theme === 'light' || settings.theme === 'dark' ? settings.theme : 'light dark';
    frame.onload = greet;
    addEventListener('resize', tellHeight);
    document.addEventListener('securitypolicyviolation', onViolation);
    container.textContent = '';
    container.appendChild(frame);
  }

  return {
    /** Whether other code removed the frame or its container from the page. */
    isGone(): boolean {
      wasConnected ||= container.isConnected;
      const isTaken = refusal === null && frame.parentNode !== container;
      return isTaken || (wasConnected && !container.isConnected);
    },
    close(): void {
      isOver = true;
      clearTimeout(deadline);
      document.removeEventListener('securitypolicyviolation', onViolation);
      removeEventListener('resize', tellHeight);
      port?.close();
      frame.remove();
    },
  };
}
