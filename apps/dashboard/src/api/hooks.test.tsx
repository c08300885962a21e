import { QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useAct } from './hooks.ts';
import type { InputOf, OperationId } from './operations.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('./client.ts', async (original) => ({ ...(await original<object>()), api: { call } }));
const { cache } = await import('./client.ts');

/** What each of two forms asks an operation with. */
function twoOf<Id extends OperationId>(id: Id) {
  const asks: ((input: InputOf<Id>) => void)[] = [];
  function Form() {
    asks.push(useAct(id).mutate);
    return null;
  }
  renderToStaticMarkup(
    <QueryClientProvider client={cache}>
      <Form />
      <Form />
    </QueryClientProvider>,
  );
  const [one, other] = asks;
  if (one === undefined || other === undefined) throw new Error('two forms are drawn');
  return { one, other };
}

/** How many calls were made. */
const sent = () => new Promise((resolve) => setTimeout(() => resolve(call.mock.calls.length)));

beforeEach(() => void call.mockReset().mockReturnValue(new Promise(() => undefined)));
afterEach(() => cache.clear());

it('a second press sends nothing while the first is under way', async () => {
  const { one } = twoOf('deletePersonByQuery');
  const input = { params: { listId: 'lst_1' }, query: { personId: 'p-1' } };
  one(input);
  one({ ...input });
  expect(await sent()).toBe(1);
});

it('of one list two people can be erased at the same time', async () => {
  const { one } = twoOf('deletePersonByQuery');
  for (const personId of ['p-1', 'p-2']) one({ params: { listId: 'lst_1' }, query: { personId } });
  expect(await sent()).toBe(2);
});

it('a form that is opened again, and filled in otherwise or alike, is sent', async () => {
  const { one, other } = twoOf('createApiKey');
  one({ body: { name: 'Door' } });
  one({ body: { name: 'Door', scopes: ['people:read'] } });
  other({ body: { name: 'Door' } });
  expect(await sent()).toBe(3);
});
