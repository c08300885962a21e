import { buildOpenApiDocument, ERROR_REFERENCE_PATH } from '@svc/protocol';
import type { Request, Response, Router } from 'express';
import { encodedText } from '../../http/encoding.ts';
import { mount } from '../../http/routing.ts';
import { missing } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import { buildCollection } from './collection.ts';
import { escapeHtml, page, STYLE_SOURCE } from './html.ts';
import { renderErrorPage, renderReferencePage } from './reference-page.ts';

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cache-Control': 'public, max-age=300',
} as const;

/** Sends what is built once. */
function sender(build: () => object): (response: Response) => void {
  let built: Buffer | undefined;
  return (response) => {
    // Shared bytes: a string would be copied for each answer and kept while a slow client reads.
    built ??= Buffer.from(JSON.stringify(build()));
    response.set('Cache-Control', 'public, max-age=300').type('application/json; charset=utf-8').send(built);
  };
}
const sendDocument = sender(buildOpenApiDocument);
const sendCollection = sender(buildCollection);

/** Serves the OpenAPI document. */
export const openApiHandlers = {
  getOpenApiDocument({ response }) {
    sendDocument(response);
    return undefined;
  },
} satisfies Partial<Handlers>;

/** Mounts the document at its usual paths, a collection for API clients, and the reference and error pages. */
export function mountOpenApi(router: Router): void {
  const pages = {
    '/docs': encodedText(renderReferencePage()),
    [ERROR_REFERENCE_PATH]: encodedText(renderErrorPage()),
  };
  for (const path of ['/openapi.json', '/docs/openapi.json'])
    mount(router, path, { get: (_request, response) => sendDocument(response) });
  mount(router, '/docs/collection.json', { get: (_request, response) => sendCollection(response) });
  for (const [path, send] of Object.entries(pages)) {
    mount(router, path, { get: (request, response) => send(request, response.set(PAGE_HEADERS)) });
  }
}

/** A page of this service: its address, and what it is for. */
export type PageLink = readonly [href: string, name: string, purpose: string];

/** Mounts the page at `/`, for browsers, with links. @param links those that this client can open */
export function mountIndex(router: Router, links: (request: Request) => readonly PageLink[]): void {
  const { 'Cache-Control': _shared, ...headers } = PAGE_HEADERS;
  const item = ([href, name, purpose]: PageLink) => `<li><a href="${escapeHtml(href)}">${name}</a>: ${purpose}</li>`;
  mount(router, '/', {
    get(request, response) {
      response.vary('Accept');
      if (request.accepts(['json', 'html']) !== 'html') throw missing('address');
      const items = links(request).map(item).join('\n');
      const lead = '<p>Guests opt in to be recognised at a door, and the door recognises them offline.</p>';
      response.set(headers).send(page('Face check-in', `<h1>Face check-in</h1>\n${lead}\n<ul>\n${items}\n</ul>`));
    },
  });
}
