import { isTokenLike, type SettingTexts, writeFragment } from '../embed/address.ts';
import { type FrameMessage, type Hello, PROTOCOL_VERSION, readFrameMessage } from '../embed/messages.ts';

/** A page that has loaded answers the hello at once, unless it is not ours. */
const ANSWER_MS = 10_000;
const FIRST_HEIGHT_PX = 480;

/** One widget in one container. */
export interface Frame {
  /** Whether somebody else took the frame, or the container it was in, out of the page. */
  isGone(): boolean;
  close(): void;
}

/** The page cannot be asked: it would not run here. */
const isTooOld = () => typeof Object.hasOwn !== 'function';

function refusalOf(token: string): string | null {
  if (isTooOld()) return 'This browser is too old for face check-in.';
  if (token === '') return 'The enrolment token is missing.';
  return isTokenLike(token) ? null : 'This is not an enrolment token.';
}

function fire(container: Element, name: string, message?: string): void {
  const detail = message === undefined ? null : { message };
  container.dispatchEvent(new CustomEvent(`svc:${name}`, { bubbles: true, detail }));
}

/**
 * Puts the frame into the container, and tells there what the page in it tells.
 * @param page address of the widget's page, with its slash
 */
export function openFrame(container: HTMLElement, page: URL, token: string, settings: SettingTexts): Frame {
  const frame = document.createElement('iframe');
  let port: MessagePort | null = null;
  let deadline = 0;
  let wasConnected = false;
  /** Closed, or told of as failed: once is enough. */
  let isOver = false;

  function fail(message: string): void {
    clearTimeout(deadline);
    if (!isOver) fire(container, 'error', message);
    isOver = true;
  }

  function act(message: FrameMessage): void {
    switch (message.type) {
      case 'hello':
        clearTimeout(deadline);
        break;
      case 'height':
        frame.style.height = `${message.px}px`;
        break;
      case 'title':
        frame.title = message.text;
        break;
      case 'show-top':
        if (frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
        break;
      case 'error':
        fire(container, 'error', message.text);
        break;
      default:
        fire(container, message.type);
    }
  }

  /** Whatever is in the frame now; if it is not the widget's page, the browser keeps the hello to itself. */
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
  }

  function onViolation({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent): void {
    if (effectiveDirective !== 'frame-src' || disposition !== 'enforce' || !blockedURI.startsWith(page.origin)) return;
    fail(`The page's Content-Security-Policy must allow frame-src ${page.origin}.`);
  }

  const refusal = refusalOf(token);
  if (refusal !== null) {
    // Whoever mounts listens to the events only afterwards.
    setTimeout(fail, 0, refusal);
  } else {
    frame.allow = 'camera';
    frame.title = 'Face check-in';
    // The page's own address may name the ticket.
    frame.referrerPolicy = 'no-referrer';
    frame.src = page.href + writeFragment(token, settings);
    Object.assign(frame.style, { display: 'block', width: '100%', height: `${FIRST_HEIGHT_PX}px`, border: '0' });
    // As its page's own, whatever the page around has: a browser lays an opaque ground below a frame of another scheme,
    // and some tell it theirs.
    frame.style.colorScheme = settings.theme === 'light' || settings.theme === 'dark' ? settings.theme : 'light dark';
    frame.onload = greet;
    document.addEventListener('securitypolicyviolation', onViolation);
    container.textContent = '';
    container.appendChild(frame);
  }

  return {
    isGone() {
      wasConnected ||= container.isConnected;
      const isTaken = refusal === null && frame.parentNode !== container;
      return isTaken || (wasConnected && !container.isConnected);
    },
    close() {
      isOver = true;
      clearTimeout(deadline);
      document.removeEventListener('securitypolicyviolation', onViolation);
      port?.close();
      frame.remove();
    },
  };
}
