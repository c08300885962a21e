import { operations } from '@svc/protocol';
import { Router } from 'express';
import { expect, it } from 'vitest';
import type { Handlers, KnownCallers } from '../features/handlers.ts';
import type { Guards } from './guards.ts';
import { mountOperations } from './operations.ts';

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
