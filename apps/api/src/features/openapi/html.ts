import { createHash } from 'node:crypto';

/** The only style sheet of the pages; {@link STYLE_SOURCE} permits it in the Content-Security-Policy. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --accent: light-dark(#0b57d0, #8ab4f8); font: 16px/1.55 system-ui, sans-serif }
* { box-sizing: border-box }
body { margin: 0 }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .15em }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem }
nav { padding: 1.5rem 1rem; font-size: .9rem; border-bottom: 1px solid var(--line) }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0 } nav li { padding: .1rem 0 }
nav h2 { margin: 1rem 0 .25rem; font-size: .78rem; letter-spacing: .05em; text-transform: uppercase; opacity: .7 }
nav a { color: inherit; text-decoration: none } nav a:hover { text-decoration: underline }
main { padding: 1.5rem 1rem 6rem; max-width: 58rem; min-width: 0 }
@media (min-width: 60rem) {
  body.with-nav { display: grid; grid-template-columns: 17rem minmax(0, 1fr) }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line) }
  main { padding: 2rem 3rem 6rem }
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem }
main h2 { margin: 4rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { margin: 3rem 0 .5rem; font-size: 1.2rem } h4 { margin: 1.5rem 0 .4rem; font-size: .95rem }
code, pre { font: .875em/1.5 ui-monospace, monospace }
code { background: var(--soft); padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere } pre code { background: none; padding: 0; overflow-wrap: normal }
pre { overflow-x: auto; margin: .4rem 0 1rem; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft) }
.address { display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; margin: .4rem 0 }
.method { font: 600 .8rem/1.6 ui-monospace, monospace; padding: 0 .5em; border-radius: .3em; color: #fff; background: #555 }
.get { background: #1f6f43 } .post { background: #0b57d0 } .patch { background: #8a5a00 } .delete { background: #b3261e }
.caller { font-size: .9rem; opacity: .85 }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: .25rem 0 1rem }
th { text-align: left; font-weight: 600 } th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td:first-child { white-space: nowrap } td .required, td .optional { font-size: .8rem; opacity: .8 } td .required { opacity: 1; color: light-dark(#b3261e, #f2b8b5) } .kind { opacity: .75 }
details { margin: .3rem 0 } summary { cursor: pointer; width: max-content; max-width: 100% }
:target { scroll-margin-top: 1rem; background: light-dark(#fff3bf, #4a4000) }
`;

/** The style sheet's source expression for the Content-Security-Policy. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** Renders the only Markdown in the protocol's tables: backticks. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** A table of HTML cells; empty without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => line(cells, 'td')).join('\n');
  return `<div class="scroll"><table><thead>${line(head, 'th')}</thead><tbody>\n${body}\n</tbody></table></div>`;
}

/** Formatted JSON. */
export function jsonBlock(value: unknown): string {
  return `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}

/** A complete page. `body` and `nav` are HTML. */
export function page(title: string, body: string, nav = ''): string {
  const withNav = nav === '' ? '' : ' class="with-nav"';
  const skip = nav === '' ? '' : '<a class="skip" href="#content">Skip to content</a>\n';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body${withNav}>
${skip}${nav}
<main id="content">
${body}
</main>
</body>
</html>
`;
}
