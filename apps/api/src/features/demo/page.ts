import { escapeHtml, page } from '../openapi/html.ts';
import type { DemoVisit } from './service.ts';

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
<p>This is a page of an organiser who is not there: it shows the widget as a ticket page does. It is served only where the service runs for this machine
alone. Each visit has a ticket of its own; a photo that is enrolled here is deleted when its event is over.</p>
<script src="demo/demo.js"></script>
${markup(token)}
<h2>What the page was told</h2>
<ol id="events" aria-live="polite"></ol>
<h2>What the page says</h2>
<pre><code>${escapeHtml(markup('svce_…'))}</code></pre>
<p>Without a page around it: <a href="${escapeHtml(guestLink)}">a guest link</a>.</p>`,
  );
}
