import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { systemRandom } from '../crypto/random.ts';
import { createLogger } from '../platform/logger.ts';
import { problemHandler } from './problems.ts';
import { requestId } from './request-id.ts';

/** The status that a request gets when this goes wrong. */
async function statusOf(error: unknown): Promise<number> {
  const app = express();
  app.use(requestId(systemRandom), () => Promise.reject(error), problemHandler(createLogger('silent')));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).status;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const withCode = (code: string, more: object = {}) => Object.assign(new Error('any'), { code, ...more });

it.each<[string, unknown, number]>([
  ['a statement whose connection was lost', new Error('select 1 - Connection terminated unexpectedly'), 503],
  [
    'a statement on a connection that was lost before',
    new Error('select 1 - Client was closed and is not queryable'),
    503,
  ],
  ['a statement that nobody answers', new Error('select 1 - Query read timeout'), 503],
  ['a socket that the database has closed', withCode('EPIPE', { syscall: 'write' }), 503],
  ['a database that is not there', withCode('ECONNREFUSED', { syscall: 'connect' }), 503],
  ['a database that recovers from a crash', withCode('57P03'), 503],
  ['a database that has no room', withCode('53100'), 503],
  ['a row that breaks a rule', withCode('23505'), 500],
  ['a fault of ours', new TypeError('Connection of nothing'), 500],
])('%s', async (_what, error, status) => {
  expect(await statusOf(error)).toBe(status);
});
