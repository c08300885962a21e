const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags or in a quoted attribute; `code` in backticks becomes an element. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** One paragraph of the little Markdown that the tables of the protocol use: backticks alone. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 6rem }
h1 { font-size: 1.75rem } h2 { margin-top: 2.5rem } h3 { margin: 2rem 0 .25rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .4rem }
dt { float: left; clear: left; min-width: 4rem; font-weight: 600 } dd { margin: 0 0 .25rem 5rem }
a { color: inherit } :target { background: #fd06 }
`;

/** A whole page; `body` is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body>
${body}
</body>
</html>
`;
}
