import type { Page } from '@playwright/test';

/** Requests that a test lets fail are reported as errors by the browser. */
const PLANNED = /net::ERR_|the server responded with a status of/;

/** All WebAssembly that pages fetch; the core's is in their scripts. */
const FETCHED_WASM = /\/zxing_reader-[\w-]+\.wasm$/;

/**
 * What a page, its frames and workers may not do: errors, what a policy refuses, requests to other origins, policies that
 * let text run as code, a runtime beside the core. Grows while the page lives.
 */
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
  page.on('response', (response) => {
    const { 'content-security-policy': policy = '', 'content-type': type } = response.headers();
    if (policy.includes("'unsafe-eval'")) complaints.push(`unsafe-eval of ${response.url()}`);
    if (type === 'application/wasm' && !FETCHED_WASM.test(response.url())) complaints.push(`runs ${response.url()}`);
  });
  return complaints;
}
