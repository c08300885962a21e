import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations } from '@svc/protocol';
import express, { type Request, type Response, Router } from 'express';
import { expect, it } from 'vitest';
import type { Handlers, KnownCallers } from '../features/handlers.ts';
import { ServiceError } from '../platform/errors.ts';
import { createLogger } from '../platform/logger.ts';
import { systemRandom } from '../platform/ports.ts';
import type { Guards } from './guards.ts';
import { mountOperations } from './operations.ts';
import { problemHandler } from './problems.ts';
import { requestId } from './request-id.ts';

const guards = Object.fromEntries(
  ['apiKey', 'session', 'guestToken', 'deviceToken', 'visitor'].map((security) => [
    security,
    { admit: () => () => undefined },
  ]),
) as unknown as Guards<KnownCallers>;
const handlers = Object.fromEntries(operations.map(({ operationId }) => [operationId, () => undefined])) as unknown;

it('mounts each path once, in the order of the handlers, with every method of it', () => {
  const router = Router();
  mountOperations(router, guards, handlers as Handlers);
  const paths = operations.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  expect(router.stack.map(({ route }) => route?.path)).toEqual([...new Set(paths)]);
});

it('takes handlers of every operation and of no other', () => {
  const { addDevice: _left, ...others } = handlers as Handlers;
  // @ts-expect-error addDevice is missing
  mountOperations(Router(), guards, others);
  const more = { ...(handlers as Handlers), addDoor: () => undefined };
  expect(() => mountOperations(Router(), guards, more)).toThrow('addDoor');
});

it('announces a deprecated operation with each of its answers, and no other operation', async () => {
  const deprecated = { since: '2027-01-01', sunset: '2028-01-01', successor: null };
  const table = operations.map((one) => (one.operationId === 'getUsage' ? { ...one, deprecated } : one));
  const admit = () => (request: Request, response: Response) => {
    if (request.get('X-Api-Key') === undefined) throw new ServiceError('missing-credential');
    response.json({});
  };
  const router = Router();
  mountOperations(
    router,
    { ...guards, apiKey: { admit } } as unknown as Guards<KnownCallers>,
    handlers as Handlers,
    table,
  );
  const app = express();
  app.use(requestId(systemRandom), router, problemHandler(createLogger('silent')));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers });
    return [answer.status, ...['deprecation', 'sunset', 'link'].map((name) => answer.headers.get(name))];
  };
  const told = [
    '@1798761600',
    'Sat, 01 Jan 2028 00:00:00 GMT',
    '</docs#getUsage>; rel="deprecation"; type="text/html"',
  ];
  try {
    expect(await ask('/v1/usage', { 'X-Api-Key': 'svck_' })).toEqual([200, ...told]);
    expect(await ask('/v1/usage', {})).toEqual([401, ...told]);
    expect(await ask('/v1/events', { 'X-Api-Key': 'svck_' })).toEqual([200, null, null, null]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
