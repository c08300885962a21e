import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createFakeInference, startTestApi, type TestApi, type TestCustomer } from '../../testing/index.ts';

interface List {
  readonly listId: string;
  readonly headTurnAlternative: string;
}

let api: TestApi;
let customer: TestCustomer;
beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: () => createFakeInference() });
});
afterAll(() => api.close());
beforeEach(async () => {
  customer = await api.customer({ country: 'DE' });
});

const create = (request: object = {}) =>
  customer.request<List>('POST', '/v1/lists', { name: 'Members', ongoing: true, ...request });
const change = (listId: string, changes: object, owner = customer) =>
  owner.request<List>('PATCH', `/v1/lists/${listId}`, changes);
const read = async (listId: string) =>
  (await customer.request<List>('GET', `/v1/lists/${listId}`)).body.headTurnAlternative;

describe('what people who cannot turn their head do instead', () => {
  it('is nothing where a list says nothing', async () => {
    const { status, body } = await create();
    expect([status, body.headTurnAlternative]).toEqual([201, 'none']);
  });

  it.each(['none', 'staff', 'light'])('is %s where a list is made so, or changed to it', async (alternative) => {
    const made = await create({ headTurnAlternative: alternative });
    expect(made.body.headTurnAlternative).toBe(alternative);
    const { listId } = (await create({ headTurnAlternative: 'staff' })).body;
    const changed = await change(listId, { headTurnAlternative: alternative });
    expect([changed.status, changed.body.headTurnAlternative]).toEqual([200, alternative]);
    expect(await read(listId)).toBe(alternative);
  });

  it('stays where a change says nothing of it', async () => {
    const { listId } = (await create({ headTurnAlternative: 'light' })).body;
    expect((await change(listId, {})).body.headTurnAlternative).toBe('light');
  });

  it.each(['anything', '', null, true, ['staff']])('is not %s', async (headTurnAlternative) => {
    expect((await create({ headTurnAlternative })).status).toBe(400);
    const { listId } = (await create()).body;
    const refused = await change(listId, { headTurnAlternative });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/headTurnAlternative' }] });
    expect(await read(listId)).toBe('none');
  });

  it('is its owner’s to say', async () => {
    const { listId } = (await create()).body;
    const stranger = await api.customer({ country: 'DE' });
    expect((await change(listId, { headTurnAlternative: 'staff' }, stranger)).status).toBe(404);
    expect(await read(listId)).toBe('none');
  });

  it('is in the audit log when it changes, and not when it does not', async () => {
    const { listId } = (await create()).body;
    for (const headTurnAlternative of ['none', 'staff', 'staff']) await change(listId, { headTurnAlternative });
    const log = await customer.request<{ items: { action: string; target: string }[] }>('GET', '/v1/audit-log');
    expect(log.body.items.filter(({ action }) => action === 'list.update')).toMatchObject([{ target: listId }]);
  });
});
