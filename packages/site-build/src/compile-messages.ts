import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';

/**
 * Compiles a page's messages, `text/*.json` in ICU MessageFormat, while it is bundled: the page carries no parser.
 * @throws SyntaxError in the build where a message is malformed
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
