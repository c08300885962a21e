import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';

/**
 * Vite plugin: compiles a page's messages (`text/*.json`, ICU MessageFormat) at build time, so that the page needs no
 * parser.
 * @throws SyntaxError at build time for a malformed message
 */
export const compileMessages = (): Plugin => ({
  name: 'svc-messages',
  enforce: 'pre',
  transform: {
    filter: { id: /\/text\/[\w-]+\.json$/ },
    handler(json) {
      const messages = Object.entries(JSON.parse(json) as Record<string, string>);
      return JSON.stringify(Object.fromEntries(messages.map(([key, message]) => [key, compile(message)])));
    },
  },
});
