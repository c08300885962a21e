import { buildOpenApiDocument, ERROR_REFERENCE_PATH } from '@svc/protocol';
import type { Response, Router } from 'express';
import { encodedText } from '../../http/encoding.ts';
import { mount } from '../../http/routing.ts';
import type { Handlers } from '../handlers.ts';
import { STYLE_SOURCE } from './html.ts';
import { renderErrorPage, renderReferencePage } from './reference-page.ts';

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cache-Control': 'public, max-age=300',
} as const;

let document: Buffer | undefined;

function sendDocument(response: Response): void {
  // Shared bytes: a string would be copied for each answer and kept while a slow client reads.
  document ??= Buffer.from(JSON.stringify(buildOpenApiDocument()));
  response.set('Cache-Control', 'public, max-age=300').type('application/json; charset=utf-8').send(document);
}

/** Serves the OpenAPI document. */
export const openApiHandlers = {
  getOpenApiDocument({ response }) {
    sendDocument(response);
    return undefined;
  },
} satisfies Partial<Handlers>;

/** Mounts the document at its usual path, and the reference and error pages. */
export function mountOpenApi(router: Router): void {
  const pages = {
    '/docs': encodedText(renderReferencePage()),
    [ERROR_REFERENCE_PATH]: encodedText(renderErrorPage()),
  };
  mount(router, '/openapi.json', { get: (_request, response) => sendDocument(response) });
  for (const [path, send] of Object.entries(pages)) {
    mount(router, path, { get: (request, response) => send(request, response.set(PAGE_HEADERS)) });
  }
}
