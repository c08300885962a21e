import {
  buildOpenApiDocument,
  componentName,
  ERROR_REFERENCE_PATH,
  type ErrorCode,
  errorCodes,
  errorCodesOf,
  errorTable,
  type Operation,
  operations,
  problemType,
  webhookNotifications,
} from '@svc/protocol';
import { escapeHtml, inline, jsonBlock, page, table } from './html.ts';
import { type Schema, schemaLink, schemaTable, typeOf } from './schema-table.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly description: string; readonly parameters?: readonly Parameter[] }>>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const CALLERS: Readonly<Record<Operation['security'], string>> = {
  apiKey:
    'Your server, with <code>X-Api-Key: svck_…</code> (<code>svct_…</code> for a test account), or a person in the dashboard, with the session’s cookie and, to change something, <code>X-Csrf-Token</code>',
  session: 'A person in the dashboard, with the cookie <code>__Host-svc-session</code>',
  guestToken: 'A guest in the widget, with <code>Authorization: Bearer svce_…</code>',
  deviceToken: 'A check-in device, with <code>Authorization: Bearer svcd_…</code>',
  none: 'Anyone',
};
const CREDENTIALS: Readonly<Record<Operation['security'], readonly string[]>> = {
  apiKey: ['-H "X-Api-Key: $SVC_API_KEY"'],
  session: ['-H "Cookie: __Host-svc-session=$SVC_SESSION"'],
  guestToken: ['-H "Authorization: Bearer $SVC_ENROLMENT_TOKEN"'],
  deviceToken: ['-H "Authorization: Bearer $SVC_DEVICE_TOKEN"'],
  none: [],
};

const slug = (tag: string) => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
const errorLink = (code: ErrorCode) => `<a href="${problemType(code)}"><code>${code}</code></a>`;

function curl({ method, path, security, request }: Operation): string {
  const body =
    request?.example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(request.example).replaceAll("'", "'\\''")}'`];
  const verb = method === 'get' || (method === 'post' && body.length > 0) ? [] : [`-X ${method.toUpperCase()}`];
  const parts = [`curl "$SVC_URL${path}"`, ...verb, ...CREDENTIALS[security], ...body];
  return `<details><summary>Example request</summary><pre><code>${escapeHtml(parts.join(' \\\n  '))}</code></pre></details>`;
}

function parametersOf(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: where, required, description, schema }) => [
    `<code>${escapeHtml(name)}</code>${required === true ? ' <span class="required">required</span>' : ''}`,
    `<span class="kind">${where}, ${typeOf(schema)}</span>`,
    inline(description ?? ''),
  ]);
  return rows.length === 0 ? '' : `<h4>Parameters</h4>\n${table(['Name', 'Place, type', 'Description'], rows)}`;
}

function bodyOf({ request }: Operation, document: Document): string {
  if (request === undefined) return '';
  const optional = request.required === false ? ' You can leave the body out.' : '';
  const name = componentName(request.schema);
  const fields = schemaTable(document.components.schemas[name] ?? {}, 'required');
  return `<h4>Body</h4>\n<p>JSON: ${schemaLink(name)}.${optional}</p>\n${fields}`;
}

function answersOf(operation: Operation): string {
  const { success } = operation;
  const what = success.schema === undefined ? (success.mediaType ?? '') : schemaLink(componentName(success.schema));
  const others = (success.alternatives ?? []).map(({ mediaType }) => `<code>${mediaType}</code>`);
  const headers = Object.entries(success.headers ?? {}).map(([name, said]) => `<code>${name}</code>: ${inline(said)}`);
  const told = [inline(success.description), what, ...others, ...headers].filter((text) => text !== '').join(' · ');
  const byStatus = new Map<number, string[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), errorLink(code)]);
  }
  const rows = [
    [String(success.status), told],
    ...[...byStatus].map(([status, links]) => [String(status), links.join(' ')]),
  ];
  const example =
    success.example === undefined
      ? ''
      : `<details><summary>Example of ${success.status}</summary>${jsonBlock(success.example)}</details>`;
  return `<h4>Responses</h4>\n${table(['Status', 'Response'], rows)}\n${example}`;
}

function sectionOf(operation: Operation, document: Document): string {
  const { method, path, operationId } = operation;
  const { description = '', parameters = [] } = document.paths[path]?.[method] ?? {};
  const sdk = operation.security === 'apiKey' ? ` SDK: <code>client.${operationId}()</code>` : '';
  return `<section>
<h3 id="${operationId}">${inline(operation.summary)}</h3>
<p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
<p>${inline(description)}</p>
<p class="caller">${CALLERS[operation.security]}.${sdk}</p>
${parametersOf(parameters)}
${bodyOf(operation, document)}
${curl(operation)}
${answersOf(operation)}
</section>`;
}

/** Whether a schema belongs to requests; shared ones look the same either way. */
const isSent = (name: string) => name.endsWith('Request') || name.endsWith('Consent');

function navigation(document: Document): string {
  const groups = document.tags.map(({ name }) => {
    const own = operations.filter((operation) => operation.tag === name);
    const items = own.map(({ operationId, summary }) => `<li><a href="#${operationId}">${inline(summary)}</a></li>`);
    return `<h2><a href="#${slug(name)}">${escapeHtml(name)}</a></h2>\n<ul>${items.join('\n')}</ul>`;
  });
  return `<nav aria-label="Reference">\n${groups.join('\n')}\n<h2><a href="#schemas">Schemas</a></h2>\n<h2><a href="${ERROR_REFERENCE_PATH}">Errors</a></h2>\n</nav>`;
}

/** Webhook notifications by type. */
function notifications(): string {
  const rows = Object.entries(webhookNotifications).map(([type, when]) => [`<code>${type}</code>`, inline(when)]);
  return `<h3>Notifications</h3>\n<p>${schemaLink('WebhookNotification')}</p>\n${table(['Type', 'When'], rows)}`;
}

/** Renders the reference of all operations and schemas from the document. */
export function renderReferencePage(): string {
  const document = buildOpenApiDocument() as Document;
  const { title, version, description } = document.info;
  const chapters = document.tags.map(({ name, description: about }) => {
    const own = operations.filter((operation) => operation.tag === name);
    const sections = own.map((operation) => sectionOf(operation, document));
    if (name === 'Webhooks') sections.push(notifications());
    return `<h2 id="${slug(name)}">${escapeHtml(name)}</h2>\n<p>${inline(about)}</p>\n${sections.join('\n')}`;
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<h3 id="schema-${name}">${name}</h3>\n<p>${inline(schema.description ?? '')}</p>\n${schemaTable(schema, isSent(name) ? 'required' : 'optional')}`,
  );
  return page(
    `${title}: API reference`,
    `<h1>${escapeHtml(title)}: API reference</h1>
<p>Version ${escapeHtml(version)}. ${inline(description)}</p>
<p>This reference is also available as <a href="/docs/openapi.json">OpenAPI 3.1</a> and as <a href="/docs/collection.json">a collection</a> for API clients. Every response has an <code>X-Request-Id</code>; quote it when you ask for help. Every POST of a server, guest or device accepts an <code>Idempotency-Key</code>. <a href="${ERROR_REFERENCE_PATH}">Errors</a> have their own page.</p>
${chapters.join('\n')}
<h2 id="schemas">Schemas</h2>
${schemas.join('\n')}`,
    navigation(document),
  );
}

/** The meaning of every error code; a problem's `type` links to its paragraph. */
export function renderErrorPage(): string {
  const sections = errorCodes.map((code) => {
    const { status, title, meaning, retryable } = errorTable[code];
    const retry = retryable ? '<p>The same request can succeed later.</p>' : '';
    return `<h3 id="${code}"><code>${code}</code> · ${status}</h3>\n<p><strong>${inline(title)}.</strong> ${inline(meaning)}</p>${retry}`;
  });
  return page(
    'Errors',
    `<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code> in your program, and quote <code>requestId</code> when you ask for help. The <a href="/docs">reference</a> lists the responses of each operation.</p>
${sections.join('\n')}`,
  );
}
