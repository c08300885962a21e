import type { ObservedAnswer } from './openapi-contract.ts';

/** What every answer says, whatever it is; see `SECURITY_HEADERS` of the service. */
const EVERYWHERE: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'strict-transport-security': /^max-age=31536000; includeSubDomains$/,
  'referrer-policy': /^no-referrer$/,
};
const POLICY: readonly RegExp[] = [/^default-src 'none';/, /; base-uri 'none'(;|$)/, /; frame-ancestors 'none'(;|$)/];

/** Built pages have the policies and lifetimes of their builds. */
const BUILT_PAGES = /^\/(kiosk|widget)(\/|$)/;
/** The same for everybody, and kept for minutes. */
const PUBLIC = /^\/(docs(\/|$)|(v1\/)?openapi\.json$|v1\/consent-wordings\/)/;
const TEXT = /^text\//;
const TEXT_OR_JSON = /^(text\/|application\/(problem\+)?json)/;

/** Says of an answer which of the headers it lacks that keep browsers from taking it for something else, or from keeping it. */
export function missingHeaders({ url, status, headers }: ObservedAnswer): string[] {
  const target = url.split(/[?#]/, 1)[0] ?? '';
  const said = (name: string) => headers[name] ?? '';
  const missing = Object.entries(EVERYWHERE).flatMap(([name, value]) => (value.test(said(name)) ? [] : [name]));
  const isBuilt = BUILT_PAGES.test(target) && status < 400;
  const type = said('content-type');
  if ((isBuilt ? TEXT : TEXT_OR_JSON).test(type) && !/; charset=utf-8$/i.test(type)) missing.push('charset');
  if (!isBuilt) {
    if (!POLICY.every((directive) => directive.test(said('content-security-policy')))) {
      missing.push('content-security-policy');
    }
    const isKept = PUBLIC.test(target) && status < 300;
    if (!isKept && said('cache-control') !== 'no-store') missing.push('cache-control');
  }
  return missing.map((name) => `${target.split('/', 3).join('/')} ${status}: lacks ${name}`);
}
