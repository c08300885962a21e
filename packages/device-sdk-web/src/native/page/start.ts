/**
 * Runs before the page's own script, built for WebViews that cannot parse that one: takes Android's port when it comes,
 * and tells the shell when the WebView is too old.
 */
interface Start {
  port: MessagePort | null;
  onPort: (() => void) | null;
  /** Set by the page's own script. */
  isRunning: boolean;
}

declare global {
  interface Window {
    svcDeviceStart: Start;
    svcDeviceReceive?: (text: string) => void;
    webkit?: { messageHandlers?: { svcDevice?: { postMessage(text: string): void } } };
  }
}

const OLDEST_CHROME = 91;
const start: Start = { port: null, onPort: null, isRunning: false };
window.svcDeviceStart = start;
let isTooOld = false;

window.addEventListener('message', (event) => {
  const port = event.ports[0];
  if (start.port !== null || event.data !== 'svc-device-port' || port === undefined) return;
  start.port = port;
  if (isTooOld) refuse();
  else if (start.onPort !== null) start.onPort();
});

function send(name: string, session: string, body: object): void {
  const text = JSON.stringify({ v: 1, session: session, kind: 'event', name: name, body: body });
  const ios = window.webkit?.messageHandlers?.svcDevice;
  if (ios !== undefined) ios.postMessage(text);
  else if (start.port !== null) start.port.postMessage(text);
}

function refuse(): void {
  isTooOld = true;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const session = btoa(String.fromCharCode.apply(null, bytes as unknown as number[]))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
  send('hello', session, { minor: 0, sdkVersion: '0', session: session });
  send('fault', session, { code: 'webview-too-old', message: 'this WebView is too old' });
}

const chrome = /Chrome\/([0-9]+)/.exec(navigator.userAgent);
if (chrome !== null && Number(chrome[1]) < OLDEST_CHROME) refuse();
// A script that does not parse ends with an error before it runs.
else
  window.addEventListener('error', () => {
    if (!start.isRunning && !isTooOld) refuse();
  });

export {};
