import type { Request, Router } from 'express';
import { isLoopbackHost } from '../../config/settings.ts';
import { mount } from '../../http/routing.ts';
import { found } from '../../platform/errors.ts';
import { escapeHtml, page, STYLE_SOURCE } from '../openapi/html.ts';
import type { Demo, DemoVisit } from './service.ts';

/** Shows the widget's events, as an organiser's own page would handle them. */
export const DEMO_SCRIPT = `
for (const name of ['ready', 'enrolled', 'declined', 'error']) {
  document.addEventListener('svc:' + name, ({ type, detail }) => {
    const item = document.createElement('li');
    item.textContent = type + (detail ? ': ' + detail.message : '');
    document.querySelector('#events').append(item);
  });
}
`;

/** A sample organiser's ticket page. @param widgetUrl folder of the widget's page */
export function renderDemoPage({ token, guestLink }: DemoVisit, widgetUrl: string): string {
  const markup = (shown: string) =>
    [
      `<div data-svc-token="${escapeHtml(shown)}"></div>`,
      `<script src="${escapeHtml(new URL('widget.js', widgetUrl).href)}" async></script>`,
    ].join('\n');
  return page(
    'Your ticket',
    `<h1>Your ticket for the open rehearsal</h1>
<p>This is a page of an imaginary organiser: it shows the widget like a ticket page. It is only served where the service runs for this machine
only. Each visit has its own ticket; a photo that is enrolled here is deleted when its event is over.</p>
<script src="demo/demo.js"></script>
${markup(token)}
<h2>What the page was notified of</h2>
<ol id="events" aria-live="polite"></ol>
<h2>What the page contains</h2>
<pre><code>${escapeHtml(markup('svce_…'))}</code></pre>
<p>The same without a page around it: <a href="${escapeHtml(guestLink)}">a guest link</a>.</p>`,
  );
}

const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** The URL with which a client on this machine reached the service; null for remote clients and through proxies. */
function localAddress(request: Request): URL | null {
  const address = `http://${request.headers.host ?? ''}`;
  const peer = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isOwn = URL.canParse(address) && isLoopbackHost(new URL(address).hostname) && isLoopbackHost(peer);
  return isOwn && PROXY_HEADERS.every((name) => request.headers[name] === undefined) ? new URL(address) : null;
}

/** Whether the demo is reachable for a client. */
export const isOnThisMachine = (request: Request): boolean => localAddress(request) !== null;

/** Swaps localhost and 127.0.0.1, so that page and widget are cross-origin, as in production. */
function widgetUrlFrom(address: URL): string {
  const url = new URL('/widget/', address);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.href;
}

/** A sample organiser's page with the widget, at `/demo`, reachable from this machine only. */
export function mountDemo(router: Router, o: { readonly demo: Demo }): void {
  mount(router, '/demo', {
    async get(request, response) {
      const widgetUrl = widgetUrlFrom(found(localAddress(request), 'address'));
      const { origin } = new URL(widgetUrl);
      const policy = [
        "default-src 'none'",
        `script-src 'self' ${origin}`,
        `frame-src ${origin}`,
        `style-src ${STYLE_SOURCE}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; ');
      response.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
      response.send(renderDemoPage(await o.demo.visit(), widgetUrl));
    },
  });
  mount(router, '/demo/demo.js', {
    get(request, response) {
      found(localAddress(request), 'address');
      response.type('text/javascript').send(DEMO_SCRIPT);
    },
  });
}
