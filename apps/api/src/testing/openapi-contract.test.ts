import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProblem, PROBLEM_MEDIA_TYPE } from '@svc/protocol';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { SECURITY_HEADERS } from '../http/answer.ts';
import { missingHeaders, type ObservedAnswer, OpenApiContract, observeAnswers } from './openapi-contract.ts';

describe('openapi contract', () => {
  const contract = new OpenApiContract();
  const json = { 'x-request-id': 'req_1', 'content-type': 'application/json; charset=utf-8' };
  const problem = { 'x-request-id': 'req_1', 'content-type': PROBLEM_MEDIA_TYPE };
  const notFound = JSON.stringify(createProblem('not-found', { requestId: 'req_1' }));

  function check(o: Partial<Omit<ObservedAnswer, 'body'>> & { readonly body?: string }): string[] {
    const answer = { method: 'GET', url: '/healthz', status: 200, headers: json, ...o };
    return contract.check({ ...answer, body: Buffer.from(o.body ?? '{"status":"ok"}') });
  }

  describe('an answer that the document has', () => {
    it.each([
      ['a success', {}],
      ['with a query', { url: '/healthz?x=1' }],
      ['to HEAD', { method: 'HEAD', body: '' }],
      ['a problem', { url: '/v1/lists/lst_1', status: 404, headers: problem, body: notFound }],
      ['a problem on an unknown path', { url: '/nowhere', status: 404, headers: problem, body: notFound }],
      [
        'without a body',
        { method: 'DELETE', url: '/v1/lists/1', status: 204, headers: { 'x-request-id': 'req_1' }, body: '' },
      ],
    ])('passes: %s', (_what, answer) => {
      expect(check(answer)).toEqual([]);
    });
  });

  describe('an answer that the document does not have', () => {
    it.each<[string, Parameters<typeof check>[0], RegExp]>([
      ['a status', { status: 202 }, /^getHealth 202: the status is not in the document$/],
      ['a value', { body: '{"status":"bad"}' }, /^getHealth 200: body\/status: must be equal to one of/],
      ['a field', { body: '{"status":"ok","load":1}' }, /^getHealth 200: body: must NOT have additional.*"load"$/],
      ['no JSON', { body: '{' }, /is not JSON$/],
      ['no request id', { headers: { 'content-type': 'application/json' } }, /the header X-Request-Id is missing$/],
      ['a bad header', { headers: { ...json, 'x-request-id': 'r' } }, /header X-Request-Id: must match pattern/],
      ['an unknown header', { headers: { ...json, 'x-powered-by': 'x' } }, /the header x-powered-by is not in/],
      ['a media type', { headers: { ...json, 'content-type': 'text/html' } }, /the media type is not in the document/],
      [
        'a success on a path of nobody',
        { url: '/v1/secret' },
        /^GET on a path that the document does not have: answered 200/,
      ],
      ['a success of an unknown method', { method: 'PUT' }, /^PUT \/healthz: is not in the document, answered 200$/],
      ['a body where none is', { method: 'DELETE', url: '/v1/lists/1', status: 204 }, /^deleteList 204: has a body/],
      [
        'a code of another status',
        { url: '/v1/lists/1', status: 404, headers: problem, body: notFound.replaceAll('not-found', 'list-ended') },
        /body\/code: must be equal to one of/,
      ],
      [
        '405 without Allow',
        { method: 'PUT', status: 405, headers: problem, body: notFound },
        /Allow does not name get$/,
      ],
    ])('is named: %s', (_what, answer, sentence) => {
      expect(check(answer)[0]).toMatch(sentence);
    });

    it('is seen as it leaves the application, in one piece or in many', async () => {
      const violations = new Set<string>();
      const app = express();
      app.use(observeAnswers(contract, violations));
      app.get('/healthz', (_request, response) => {
        response.set({ 'X-Request-Id': 'req_1', 'Content-Type': 'application/json' });
        response.write(Buffer.from('{"status":'));
        response.end('"asleep"}');
      });
      app.get('/readyz', (_request, response) => void response.set('X-Request-Id', 'req_1').json({ status: 'ready' }));
      app.disable('x-powered-by').disable('etag');
      const server = createServer(app).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      try {
        expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' });
        expect([...violations]).toEqual([]);
        expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'asleep' });
        expect([...violations]).toEqual([expect.stringMatching(/^getHealth 200: body\/status: must be equal/)]);
      } finally {
        server.close();
        server.closeAllConnections();
      }
    });
  });
});

describe('answer headers', () => {
  const own = Object.fromEntries(Object.entries(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), value]));

  const missing = (url: string, changed: Record<string, string>, status = 200) => {
    const headers = { ...own, 'content-type': 'application/json; charset=utf-8', ...changed };
    return missingHeaders({ method: 'GET', url, status, headers, body: Buffer.alloc(0) });
  };

  it('finds nothing to say of an answer with all of them', () => {
    expect(missing('/v1/lists?limit=1', {})).toEqual([]);
    expect(missing('/v1/openapi.json', { 'cache-control': 'public, max-age=300' })).toEqual([]);
    expect(missing('/kiosk/app.js', { 'content-security-policy': "script-src 'self'", 'cache-control': '' })).toEqual(
      [],
    );
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
});
