import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const folder = dirname(createRequire(import.meta.url).resolve('@wasm-fmt/dart_fmt/package.json'));
const ORIGIN = 'https://dart.invalid';

/** Runs in the page. A text that Dart's parser refuses gives its complaint. */
const FORMAT = `async (texts) => {
  const { default: load, format } = await import('${ORIGIN}/dart_fmt_web.js');
  await load();
  return texts.map((text) => {
    try { return { text: format(text, 'source.dart', { line_width: 120 }) }; }
    catch (error) { return { error: String(error) }; }
  });
}`;

/**
 * Formats Dart sources by Dart's own formatter, whose WebAssembly needs a browser. @returns for each text the formatted
 * one, or why it is no Dart
 */
export async function formatDart(
  executablePath: string,
  texts: readonly string[],
): Promise<{ readonly text?: string; readonly error?: string }[]> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.route(`${ORIGIN}/**`, async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' });
      const contentType = name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
      await route.fulfill({ contentType, body: readFileSync(join(folder, name)) });
    });
    await page.goto(`${ORIGIN}/`);
    return await page.evaluate(`(${FORMAT})(${JSON.stringify(texts)})`);
  } finally {
    await browser.close();
  }
}
