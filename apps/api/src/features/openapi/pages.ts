import {
  ERROR_REFERENCE_PATH,
  type ErrorCode,
  errorCodes,
  errorCodesOf,
  errorTable,
  type Operation,
  operations,
  problemType,
} from '@svc/protocol';
import { escapeHtml, inline, page } from './html.ts';

const CALLERS: Readonly<Record<Operation['security'], string>> = {
  apiKey: 'The organiser’s server: <code>X-Api-Key: svck_…</code>',
  guestToken: 'A guest in the widget: <code>Authorization: Bearer svce_…</code>',
  deviceToken: 'A check-in device: <code>Authorization: Bearer svcd_…</code>',
  none: 'Anybody.',
};

const errorLink = (code: ErrorCode) => `<a href="${problemType(code)}"><code>${code}</code></a>`;

function answers(operation: Operation): string {
  const { success } = operation;
  const what = success.schema === undefined ? '' : ` (${success.schema})`;
  const byStatus = new Map<number, string[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), errorLink(code)]);
  }
  const rows: [number, string][] = [[success.status, inline(success.description) + what]];
  for (const [status, links] of byStatus) rows.push([status, links.join(', ')]);
  return `<dl>${rows.map(([status, text]) => `<dt>${status}</dt><dd>${text}</dd>`).join('')}</dl>`;
}

function section(operation: Operation): string {
  const parameters = (operation.parameters ?? [])
    .map(({ name, in: where, description }) => `<li><code>${name}</code> (${where}): ${inline(description)}</li>`)
    .join('');
  const { request } = operation;
  const body =
    request === undefined
      ? ''
      : `<p>Body: ${request.schema}${request.required ? '' : ', may be left out'}.</p>${
          request.example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(request.example, null, 2))}</pre>`
        }`;
  return `<h3 id="${operation.operationId}">${inline(operation.summary)}</h3>
<p><code>${operation.method.toUpperCase()} ${operation.path}</code></p>
${operation.description === undefined ? '' : `<p>${inline(operation.description)}</p>`}
<p>${CALLERS[operation.security]}</p>
${parameters === '' ? '' : `<ul>${parameters}</ul>`}${body}${answers(operation)}`;
}

/** The readable reference of every operation. */
export function renderReferencePage(): string {
  const tags = [...new Set(operations.map((operation) => operation.tag))];
  const sections = tags.map((tag) => {
    const own = operations.filter((operation) => operation.tag === tag);
    return `<h2>${escapeHtml(tag)}</h2>\n${own.map(section).join('\n')}`;
  });
  return page(
    'API reference',
    `<h1>API reference</h1>
<p>The same as data: <a href="/v1/openapi.json">OpenAPI 3.1</a>, with every schema. <a href="${ERROR_REFERENCE_PATH}">Errors</a> have a page of their own.</p>
${sections.join('\n')}`,
  );
}

/** What every error code means; a problem's `type` leads to its paragraph. */
export function renderErrorPage(): string {
  const sections = errorCodes.map((code) => {
    const { status, title, meaning, retryable } = errorTable[code];
    const retry = retryable ? '<p>The same request may succeed later.</p>' : '';
    return `<h3 id="${code}"><code>${code}</code> · ${status}</h3>\n<p><strong>${inline(title)}.</strong> ${inline(meaning)}</p>${retry}`;
  });
  return page(
    'Errors',
    `<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code>; quote <code>requestId</code> when you ask.</p>
${sections.join('\n')}`,
  );
}
