import { expect, it } from 'vitest';
import { SECURITY_HEADERS } from '../http/security-headers.ts';
import { missingHeaders } from './answer-headers.ts';

const own = Object.fromEntries(Object.entries(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), value]));

const missing = (url: string, changed: Record<string, string>, status = 200) => {
  const headers = { ...own, 'content-type': 'application/json; charset=utf-8', ...changed };
  return missingHeaders({ method: 'GET', url, status, headers, body: Buffer.alloc(0) });
};

it('finds nothing to say of an answer with all of them', () => {
  expect(missing('/v1/lists?limit=1', {})).toEqual([]);
  expect(missing('/v1/openapi.json', { 'cache-control': 'public, max-age=300' })).toEqual([]);
  expect(missing('/kiosk/app.js', { 'content-security-policy': "script-src 'self'", 'cache-control': '' })).toEqual([]);
});

it.each([
  ['x-content-type-options', ''],
  ['strict-transport-security', 'max-age=3600; includeSubDomains'],
  ['strict-transport-security', 'max-age=31536000'],
  ['referrer-policy', 'unsafe-url'],
  ['cache-control', 'private'],
  ['content-security-policy', "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['content-security-policy', "default-src 'none'; base-uri 'none'"],
])('names %s where it is %j', (name, value) => {
  expect(missing('/v1/lists/lst_1', { [name]: value })).toEqual([`/v1/lists 200: lacks ${name}`]);
});

it('names a text of no charset, and a refusal that would be kept', () => {
  expect(missing('/v1/lists', { 'content-type': 'application/json' })).toEqual(['/v1/lists 200: lacks charset']);
  expect(missing('/widget/a.json', { 'content-type': 'application/json' })).toEqual([]);
  expect(missing('/widget/a.css', { 'content-type': 'text/css' })).toEqual(['/widget/a.css 200: lacks charset']);
  const kept = { 'cache-control': 'public, max-age=300' };
  expect(missing('/v1/openapi.json', kept, 503)).toEqual(['/v1/openapi.json 503: lacks cache-control']);
});
