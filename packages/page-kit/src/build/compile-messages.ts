import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';
import { splitTexts } from './split-texts.ts';

/**
 * A hyphen beside a part of three letters or fewer becomes one that ends no line (U+2011), so that “check-in”, “E-Mail”
 * and “QR-Code” stay whole. Addresses, identifiers and placeholders stay as they are.
 */
export const keepTogether = (message: string): string =>
  message.replace(/(?<![\p{L}\p{N}/._-])\p{L}+(?:-\p{L}+)+(?![\p{L}\p{N}/._-]*[\p{N}/_])/gu, (word) =>
    word.replace(/(?<=(?<!\p{L})\p{L}{1,3})-|-(?=\p{L}{1,3}(?!\p{L}))/gu, '\u2011'),
  );

/**
 * Vite plugin: compiles a page's messages (`texts.tsv`, ICU MessageFormat) at build time, so that the page needs no
 * parser.
 * @throws SyntaxError at build time for a malformed table or message
 */
export const compileMessages = (): Plugin => ({
  name: 'svc-messages',
  enforce: 'pre',
  configResolved({ root }) {
    splitTexts(root);
  },
  transform: {
    filter: { id: /\/text\/generated\/[\w-]+\.json$/ },
    handler(json) {
      const messages = Object.entries(JSON.parse(json) as Record<string, string>);
      return JSON.stringify(
        Object.fromEntries(messages.map(([key, message]) => [key, compile(keepTogether(message))])),
      );
    },
  },
});
