import { STYLE } from './style.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** One paragraph of the little Markdown that the tables of the protocol use: backticks alone. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** A table; cells are HTML. Nothing where there is no row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => line(cells, 'td')).join('\n');
  return `<div class="scroll"><table><thead>${line(head, 'th')}</thead><tbody>\n${body}\n</tbody></table></div>`;
}

/** JSON as it is read best. */
export function jsonBlock(value: unknown): string {
  return `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}

/** A whole page. `body` and `nav` are HTML. */
export function page(title: string, body: string, nav = ''): string {
  const withNav = nav === '' ? '' : ' class="with-nav"';
  const skip = nav === '' ? '' : '<a class="skip" href="#content">To the content</a>\n';
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
