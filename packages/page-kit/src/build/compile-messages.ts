import { basename } from 'node:path';
import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';
import { directionOfLanguage } from '../text/say.ts';
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
 * Values that are put in keep a direction of their own (U+2068, U+2069), so that in a language from the right to the left
 * “1017-A” does not become “A-1017”.
 * @param compiled messages as JSON, in which an array of a name alone is a value
 */
export const isolateValues = (compiled: string): string => compiled.replace(/\["(\w+)"\]/g, '"\u2068",["$1"],"\u2069"');

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
    handler(json, id) {
      const messages = Object.entries(JSON.parse(json) as Record<string, string>);
      const compiled = JSON.stringify(
        Object.fromEntries(messages.map(([key, message]) => [key, compile(keepTogether(message))])),
      );
      return directionOfLanguage(basename(id, '.json')) === 'rtl' ? isolateValues(compiled) : compiled;
    },
  },
});
