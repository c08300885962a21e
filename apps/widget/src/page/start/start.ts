/**
 * Runs in the head of the page, whose file contains it: asks for the session and for the texts in the guest's language
 * while the page's scripts are being fetched, not after them. Without it the page works, only later.
 */

import { lookUpLanguage, readLanguage } from '@svc/page-kit';
import { isSecret } from '@svc/protocol';
import { heldFragment, readFragment } from '../../embed/address.ts';
import { startSession } from './head-start.ts';

/** Paths of the texts that are fetched on demand, by language. Set by the build. */
declare const __TEXTS__: Readonly<Record<string, string>>;

const texts = __TEXTS__;
const page = new URL('.', document.baseURI);
const { token, settings } = readFragment(heldFragment(window));
if (token !== null && isSecret('svce', token)) {
  const language = readLanguage(settings.language);
  globalThis.svcHeadStart = startSession({ baseUrl: new URL(`${__API_URL__}/`, page), token, language });
  const wanted = [...(language === null ? [] : [language]), ...navigator.languages];
  const path = texts[lookUpLanguage(wanted, ['en', ...Object.keys(texts)]) ?? 'en'];
  if (path !== undefined) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = new URL(path, page).href;
    document.head.append(link);
  }
}
