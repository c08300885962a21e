import { errorCodes, errorTable } from '@svc/protocol';
import { inline, page } from './html.ts';

/** The meaning of every error code; a problem's `type` links to its paragraph. */
export function renderErrorPage(): string {
  const sections = errorCodes.map((code) => {
    const { status, title, meaning, retryable } = errorTable[code];
    const retry = retryable ? '<p>The same request may succeed later.</p>' : '';
    return `<h3 id="${code}"><code>${code}</code> · ${status}</h3>\n<p><strong>${inline(title)}.</strong> ${inline(meaning)}</p>${retry}`;
  });
  return page(
    'Errors',
    `<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code>; quote <code>requestId</code> when you ask. What each operation may answer is in the <a href="/docs">reference</a>.</p>
${sections.join('\n')}`,
  );
}
