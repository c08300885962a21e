import { QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cache } from './client.ts';
import { useAct } from './hooks.ts';
import type { InputOf, OperationId } from './operations.ts';

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

/** Answers once a test is over: what is never answered is looked at again and again by the query library. */
let answer: () => void;
const service = vi.fn();
/** How many requests were sent. */
const sent = () => new Promise((resolve) => setTimeout(() => resolve(service.mock.calls.length)));

beforeEach(() => {
  const over = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.mockReset().mockImplementation(() => over.then(() => Response.json({})));
  vi.stubGlobal('fetch', service);
});
afterEach(async () => {
  answer();
  await vi.waitFor(() => expect(cache.isMutating()).toBe(0));
  vi.unstubAllGlobals();
  cache.clear();
});

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
