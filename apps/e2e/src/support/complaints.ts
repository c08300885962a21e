import type { Page } from '@playwright/test';

/** Requests that a test lets fail are reported as errors by the browser. */
const PLANNED = /net::ERR_|the server responded with a status of/;

/** What a page may not do: errors, refused scripts and styles, requests to other origins. Grows while the page lives. */
export function complaintsOf(page: Page, ...origins: readonly string[]): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !PLANNED.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!origins.some((origin) => url.startsWith(`${origin}/`)) && !/^(data|blob):/.test(url))
      complaints.push(`a request to ${url}`);
  });
  return complaints;
}
