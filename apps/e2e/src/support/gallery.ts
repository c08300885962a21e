import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import type { AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

let source: Promise<string> | undefined;

/**
 * Violations that axe finds in a page or frame: WCAG 2.2 AA, and its best practices.
 * @returns one line per violation
 */
export async function axeViolations(page: Page | Frame): Promise<readonly string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Through the debugger, which may evaluate code despite the page's policy.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    }),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

/** A file with the content type of its name. */
export const fileWithType = async (path: string) => ({
  body: await readFile(path),
  headers: { 'content-type': types[extname(path)] ?? 'application/octet-stream' },
});

/** Serves the files of a folder under a content security policy. */
export const serveFolder = (folder: string, policy: string): Promise<TestSite> =>
  startTestSite({
    parts: [
      async (path) => {
        const { body, headers } = await fileWithType(join(folder, path));
        return { body, headers: { ...headers, 'content-security-policy': policy } };
      },
    ],
  });

/** Names of everything that an open gallery can show. */
export async function galleryNames(page: Page): Promise<readonly string[]> {
  return ((await page.locator('#app[data-names]').getAttribute('data-names')) ?? '').split(' ');
}

/** Every name for each of the choices, or for one of them in turn. */
export function inTurn<T>(
  names: readonly string[],
  choices: readonly T[],
  everyName: boolean,
): readonly (readonly [T, readonly string[]])[] {
  return choices.map((choice, k) => [choice, names.filter((_, i) => everyName || i % choices.length === k)] as const);
}
