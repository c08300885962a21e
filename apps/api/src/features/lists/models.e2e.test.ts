import { type CountedListResource, DAY_MS } from '@svc/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createLogSink, requestJson, startTestApi, type TestApi, type TestCustomer } from '../../testing/index.ts';
import { findPartialWrites } from '../../testing/robustness/partial-writes.ts';
import { testEngines, testModels } from '../../testing/test-api.ts';
import { addDevice, syncOf } from '../../testing/test-device.ts';
import { useApi, useServices } from '../../testing/use-api.ts';
import { createEvent, createGuestPage, createToken, widgetSettings } from '../../testing/widget-fixture.ts';

const { base, addOn } = testModels;
const { api, clock, customer, inference } = useApi({ engines: testEngines() });
const services = useServices(api, { clock, engines: testEngines() });
const recommended = useServices(api, { clock, engines: testEngines({ standard: 'addOn' }) });
/** Nodes on the same database: one without the add-on, and one whose default engine is the add-on's, without a check of photos. */
let without: TestApi;
let newer: TestApi;
let withoutLog: ReturnType<typeof createLogSink>;

beforeAll(async () => {
  const parts = { clock, createInference: () => inference };
  const { databaseUrl, dataDirectory } = api.config;
  const shared = { DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
  const unchecked = testEngines({ standard: 'addOn', checksPhotos: false });
  newer = await startTestApi(inject('postgres'), { ...parts, engines: unchecked }, shared);
  const { apiKey } = await api.customer({ country: 'DE' });
  await createList(on(newer, apiKey));
  withoutLog = createLogSink();
  const engines = testEngines({ hasAddOn: false });
  without = await startTestApi(inject('postgres'), { ...parts, engines, logDestination: withoutLog }, shared);
});
afterAll(async () => {
  for (const node of [without, newer]) await node.close();
});

/** The same customer on another node. */
const on = (node: TestApi, apiKey = customer.apiKey): TestCustomer => ({
  ...customer,
  request: (method, path, body, init = {}) =>
    requestJson(`${node.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
      headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json', ...(init.headers as object) },
    }),
});
const enrol = (listId: string, personId: string, owner = customer) =>
  enrolPerson(listId, enrolBody(clock, { personId }), owner);
const read = async (listId: string) => (await customer.request<CountedListResource>('GET', `/v1/lists/${listId}`)).body;
const change = (listId: string, modelId?: string, owner = customer) =>
  owner.request('POST', `/v1/lists/${listId}/change-model`, modelId === undefined ? undefined : { modelId });
const peopleOf = async (listId: string, modelId: string) => {
  const path = `/v1/lists/${listId}/people?modelId=${modelId}`;
  const { body } = await customer.request<{ items: { personId: string; modelId: string }[] }>('GET', path);
  expect(body.items.filter((person) => person.modelId !== modelId)).toEqual([]);
  return body.items.map(({ personId }) => personId);
};
const models = (listId: string) =>
  read(listId).then((list) => list.models.map(({ engineId, people }) => [engineId, people]));
const dropEmpty = () => services.epochs.dropEmpty();

/** Records in an epoch of another engine do not open; `findPartialWrites` opens each. */
async function expectWhole(listId: string): Promise<void> {
  expect(await findPartialWrites(services, customer.accountId)).toEqual([]);
  const strays = await inDatabase(
    api,
    `SELECT 1 FROM faces f JOIN list_epochs e USING (account_id, list_id, epoch)
     WHERE list_id = $1 AND octet_length(f.record) <> 64 + 2 * e.dimension`,
    [listId],
  );
  expect(strays).toEqual([]);
}

async function newDevice(listId: string) {
  const device = await addDevice(customer, listId);
  return async (since = 0) => (await syncOf(api, device, since)).manifest;
}

describe('a list that began with the built-in engine', () => {
  it('gets the recommended one once it is installed, unless somebody could notice', async () => {
    const create = () => createList(customer);
    const [unused, enrolled, chosen, synced] = await Promise.all([create(), create(), create(), create()]);
    const other = await create();
    await enrol(enrolled, 'p');
    for (const to of [addOn, base]) await change(chosen, to.modelId);
    await (await newDevice(synced))();
    const seen = 'SELECT FROM devices WHERE list_id = $1 AND last_sync_at IS NOT NULL';
    await expect.poll(() => inDatabase(api, seen, [synced])).toHaveLength(1);
    expect(await services.lists.leaveBuiltIn()).toBe(0);
    const one = { accountId: customer.accountId, listId: unused };
    expect(await services.listStore.unused([base.engineId], new Date(clock.now()), one)).toEqual([one]);
    expect(await recommended.lists.leaveBuiltIn()).toBe(2);
    expect(await recommended.lists.leaveBuiltIn()).toBe(0);
    const now = await Promise.all([unused, enrolled, chosen, synced, other].map((listId) => read(listId)));
    expect(now.map(({ modelId }) => modelId === addOn.modelId)).toEqual([true, false, false, false, true]);
    expect((await enrol(unused, 'p')).body.modelId).toBe(addOn.modelId);
    await expectWhole(unused);
  });
});

describe('a list’s model', () => {
  it('is the deployment’s standard one when it is created, and stays when that is another', async () => {
    const older = await createList(customer);
    clock.advance(1);
    const younger = await createList(on(newer));
    expect([(await read(older)).modelId, (await read(younger)).modelId]).toEqual([base.modelId, addOn.modelId]);
    for (const node of [api, newer]) {
      expect((await enrol(older, `p-${node.url}`, on(node))).body.modelId).toBe(base.modelId);
      expect((await enrol(younger, `p-${node.url}`, on(node))).body.modelId).toBe(addOn.modelId);
    }
    const { body } = await customer.request<{ items: { listId: string; modelId: string }[] }>('GET', '/v1/lists');
    expect(body.items.map(({ listId, modelId }) => [listId, modelId])).toEqual([
      [younger, addOn.modelId],
      [older, base.modelId],
    ]);
  });

  it('of a list from before engines could be chosen is that of its newest epoch', async () => {
    const listId = await createList(customer);
    await inDatabase(api, "UPDATE list_epochs SET engine_id = 'of-another-edition/9' WHERE list_id = $1", [listId]);
    await inDatabase(api, "UPDATE lists SET engine_id = 'of-another-edition/9' WHERE list_id = $1", [listId]);
    const { modelId, models: counted } = await read(listId);
    expect(modelId).toMatch(/^mdl_[0-9a-z]{26}$/);
    expect(counted).toEqual([{ modelId, engineId: 'of-another-edition/9', people: 0 }]);
    expect(await enrol(listId, 'p')).toMatchObject({ status: 503, body: { code: 'model-missing' } });
    expect((await change(listId)).body).toMatchObject({ modelId: base.modelId });
    expect((await enrol(listId, 'p')).status).toBe(201);
  });

  it('that a node has not is a 503 before the photo is looked at, and after all that the caller can put right', async () => {
    const listId = await createList(on(newer));
    const sealed = inference.sealed;
    const answer = await enrol(listId, 'p', on(without));
    expect(answer).toMatchObject({ status: 503, body: { code: 'model-missing' } });
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(inference.sealed).toBe(sealed);
    const wrong = enrolBody(clock, { personId: 'p', consent: { consentVersion: 'us-v2' } });
    expect(await enrolPerson(listId, wrong, on(without))).toMatchObject({ body: { code: 'consent-version-mismatch' } });
    expect((await enrol(listId, 'p', on(newer))).status).toBe(201);
  });

  it('that a node lacks is reported at its start, with the install command', () => {
    expect(withoutLog.text).toContain(
      'retail-0095-mirror/4: npm run svc -- models add face-reidentification-retail-0095',
    );
  });
});

describe('changing the model', () => {
  it('leaves people what they have until they enrol again, and counts both', async () => {
    const listId = await createList(customer);
    const { body: before } = await customer.request('GET', `/v1/lists/${listId}`);
    for (const personId of ['stays', 'moves']) await enrol(listId, personId);
    const changed = await change(listId, addOn.modelId);
    const { models: _models, people: _people, ...list } = before;
    expect(changed).toMatchObject({ status: 200, body: { ...list, modelId: addOn.modelId } });
    expect(await models(listId)).toEqual([
      [addOn.engineId, 0],
      [base.engineId, 2],
    ]);
    expect((await enrol(listId, 'moves')).body.modelId).toBe(addOn.modelId);
    clock.advance(1);
    expect((await enrol(listId, 'new')).body.modelId).toBe(addOn.modelId);
    expect(await models(listId)).toEqual([
      [addOn.engineId, 2],
      [base.engineId, 1],
    ]);
    expect([await peopleOf(listId, base.modelId), await peopleOf(listId, addOn.modelId)]).toEqual([
      ['stays'],
      ['moves', 'new'],
    ]);
    const faces = await inDatabase(api, 'SELECT epoch FROM faces WHERE list_id = $1 ORDER BY epoch', [listId]);
    expect(faces).toEqual([{ epoch: 1 }, { epoch: 2 }, { epoch: 2 }]);
    const named = (modelId: string) =>
      customer.request<{ items: object[] }>('GET', `/v1/lists/${listId}/people?personId=stays&modelId=${modelId}`);
    expect((await named(base.modelId)).body.items).toHaveLength(1);
    expect((await named(addOn.modelId)).body.items).toEqual([]);
    await expectWhole(listId);
  });

  it('leads from a former version of an engine to its present one, and back', async () => {
    const [former] = base.former;
    const listId = await createList(customer);
    expect((await change(listId, former.modelId)).body).toMatchObject({ modelId: former.modelId });
    await dropEmpty();
    expect((await enrol(listId, 'early')).body.modelId).toBe(former.modelId);
    expect((await change(listId)).body).toMatchObject({ modelId: base.modelId });
    expect((await enrol(listId, 'late')).body.modelId).toBe(base.modelId);
    expect(await peopleOf(listId, former.modelId)).toEqual(['early']);
    const { engineId, matchThreshold } = former;
    const { epochs } = await (await newDevice(listId))();
    expect(epochs).toMatchObject([{ engineId: base.engineId }, { engineId, matchThreshold }]);
    await change(listId, former.modelId);
    expect((await enrol(listId, 'late')).body.modelId).toBe(former.modelId);
    await dropEmpty();
    expect(await models(listId)).toEqual([[former.engineId, 2]]);
    await expectWhole(listId);
  });

  it('takes a version, is in the audit log, and does nothing the second time', async () => {
    const listId = await createList(customer);
    const version = async () =>
      (await inDatabase(api, 'SELECT list_version::int AS v FROM lists WHERE list_id = $1', [listId]))[0];
    const first = await change(listId, addOn.modelId);
    expect(await version()).toEqual({ v: 2 });
    expect((await change(listId, addOn.modelId)).body).toEqual(first.body);
    expect(await version()).toEqual({ v: 2 });
    const log = await customer.request<{ items: { action: string; target: string }[] }>('GET', '/v1/audit-log');
    expect(log.body.items.filter(({ action }) => action === 'list.change-model')).toMatchObject([{ target: listId }]);
  });

  it('defaults to the deployment’s standard model', async () => {
    const listId = await createList(customer);
    expect((await change(listId, undefined, on(newer))).body).toMatchObject({ modelId: addOn.modelId });
    expect((await change(listId)).body).toMatchObject({ modelId: base.modelId });
  });

  it('is refused for an unknown model, one that is not installed, and a list that is closed', async () => {
    const listId = await createList(customer);
    for (const unknown of ['mdl_01jwnafy00e2rbg3vfk4s6q9tz', 'engine']) {
      const body = { code: 'invalid-request', errors: [{ pointer: '/modelId' }] };
      expect(await change(listId, unknown)).toMatchObject({ status: 400, body });
    }
    const unavailable = { status: 409, body: { code: 'model-unavailable' } };
    expect(await change(listId, addOn.modelId, on(without))).toMatchObject(unavailable);
    const stranger = await api.customer();
    expect((await change(listId, addOn.modelId, stranger)).status).toBe(404);
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    expect(await change(listId, addOn.modelId)).toMatchObject({ status: 409, body: { code: 'enrolment-closed' } });
    await customer.request('POST', `/v1/lists/${listId}/end`);
    expect(await change(listId, addOn.modelId)).toMatchObject({ status: 409, body: { code: 'list-ended' } });
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect((await change(listId, addOn.modelId)).status).toBe(404);
  });

  it('counts no expired people', async () => {
    const listId = await createList(customer, { name: 'Short', ongoing: true, retainDays: 2 });
    await enrol(listId, 'early');
    clock.advance(DAY_MS);
    await enrol(listId, 'late');
    expect(await models(listId)).toEqual([[base.engineId, 2]]);
    clock.advance(DAY_MS);
    expect(await models(listId)).toEqual([[base.engineId, 1]]);
    const sync = await newDevice(listId);
    clock.advance(1);
    // Due within a day: withheld from devices and no longer counted.
    expect((await sync()).recordCount).toBe(0);
    expect(await models(listId)).toEqual([[base.engineId, 0]]);
  });
});

describe('devices of a list whose model was changed', () => {
  it('are served both models, and the former one only while it has people', async () => {
    const listId = await createList(customer);
    await enrol(listId, 'p');
    const sync = await newDevice(listId);
    const first = await sync();
    expect(first.epochs.map(({ engineId }) => engineId)).toEqual([base.engineId]);
    await change(listId, addOn.modelId);
    const second = await sync(first.toVersion);
    expect(second.epochs.map(({ engineId }) => engineId)).toEqual([addOn.engineId, base.engineId]);
    await dropEmpty();
    expect((await sync(second.toVersion)).epochs).toHaveLength(2);
    await enrol(listId, 'p');
    await dropEmpty();
    const third = await sync(second.toVersion);
    expect(third.epochs.map(({ epoch, engineId }) => [epoch, engineId])).toEqual([[2, addOn.engineId]]);
    expect([third.recordCount, third.toVersion > second.toVersion]).toEqual([1, true]);
    const unchanged = await sync(third.toVersion);
    expect([unchanged.fromVersion, unchanged.stateHash]).toEqual([third.toVersion, third.stateHash]);
  });

  it('are served an epoch of a number that was never used when the list goes back', async () => {
    const listId = await createList(customer);
    const sync = await newDevice(listId);
    for (const modelId of [addOn.modelId, base.modelId, addOn.modelId]) {
      await change(listId, modelId);
      await enrol(listId, 'p');
      await dropEmpty();
    }
    const { epochs, recordCount } = await sync();
    expect([epochs.map(({ epoch, engineId }) => [epoch, engineId]), recordCount]).toEqual([[[4, addOn.engineId]], 1]);
    // While it still has people, the former epoch accepts records again.
    await enrol(listId, 'q');
    await change(listId, base.modelId);
    await change(listId, addOn.modelId);
    await enrol(listId, 'r');
    await dropEmpty();
    expect((await sync()).epochs.map(({ epoch }) => epoch)).toEqual([4]);
    await expectWhole(listId);
  });
});

describe('whatever the order of changes, enrolments and nodes', () => {
  it('no record lies in an epoch of another engine', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('enrol' as const), who: fc.nat({ max: 3 }) }) },
      fc.record({ kind: fc.constant('change' as const), to: fc.constantFrom(base, addOn) }),
      fc.record({ kind: fc.constant('drop' as const) }),
      fc.record({ kind: fc.constant('erase' as const), who: fc.nat({ max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const listId = await createList(customer);
        const told = new Map<string, string>();
        let current: string = base.modelId;
        for (const each of steps) {
          if (each.kind === 'enrol') {
            const answer = await enrol(listId, `p-${each.who}`);
            expect([answer.status, answer.body.modelId]).toEqual([201, current]);
            told.set(`p-${each.who}`, current);
          } else if (each.kind === 'change') {
            expect((await change(listId, each.to.modelId)).status).toBe(200);
            current = each.to.modelId;
          } else if (each.kind === 'drop') await dropEmpty();
          else {
            const erased = await customer.request('DELETE', `/v1/lists/${listId}/people/p-${each.who}`);
            expect(erased.status).toBe(told.delete(`p-${each.who}`) ? 204 : 404);
          }
        }
        for (const { modelId } of [base, addOn]) {
          const expected = [...told].filter(([, of]) => of === modelId).map(([personId]) => personId);
          expect((await peopleOf(listId, modelId)).sort()).toEqual(expected.sort());
        }
        await expectWhole(listId);
      }),
      { numRuns: 8 },
    );
  });

  it('nor where it is changed during enrolments: a 201 names the model of the record', async () => {
    const listId = await createList(customer);
    for (let round = 0; round < 4; round += 1) {
      const to = round % 2 === 0 ? addOn : base;
      const enrolments = Array.from({ length: 12 }, (_, i) =>
        enrol(listId, `p-${i % 6}-${round}`, on(i % 2 === 0 ? api : newer)),
      );
      const changes = [change(listId, to.modelId), change(listId, to.modelId, on(newer)), dropEmpty()];
      const [answers] = await Promise.all([Promise.all(enrolments), Promise.all(changes)]);
      for (const { status, body } of answers) expect(status === 201 || body.code === 'not-ready').toBe(true);
      const { body: late } = await enrol(listId, `late-${round}`);
      expect(late.modelId).toBe(to.modelId);
    }
    await dropEmpty();
    await expectWhole(listId);
  });

  it('a photo that was worked on while the model was changed is asked for again', async () => {
    const listId = await createList(customer);
    let release = () => {};
    inference.hold = new Promise((resolve) => {
      release = resolve;
    });
    const sealed = inference.sealed;
    const waiting = enrol(listId, 'p');
    await expect.poll(() => inference.sealed).toBe(sealed + 1);
    await change(listId, addOn.modelId);
    await dropEmpty();
    release();
    inference.hold = null;
    expect(await waiting).toMatchObject({ status: 503, body: { code: 'not-ready' } });
    expect((await waiting).headers.get('retry-after')).toBe('1');
    expect((await enrol(listId, 'p')).body.modelId).toBe(addOn.modelId);
  });

  it('two changes to two models at once: one is the last, and the list has an epoch of it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const listId = await createList(customer);
      const answers = await Promise.all([
        ...[change(listId, addOn.modelId), change(listId, base.modelId, on(newer))],
        ...[change(listId, addOn.modelId, on(newer)), change(listId, base.modelId)],
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const { modelId } = await read(listId);
      expect((await enrol(listId, 'p')).body.modelId).toBe(modelId);
      await expectWhole(listId);
    }
  });
});

describe('photos', () => {
  const members = { name: 'Members', ongoing: true };

  describe('a list that takes photos of the camera alone', () => {
    it('wants the sender to say that the photo is of one, before it is looked at', async () => {
      const listId = await createList(customer, { ...members, photoSource: 'camera' });
      expect(await read(listId)).toMatchObject({ photoSource: 'camera', photoCheck: 'none' });
      const before = inference.sealed;
      for (const said of [{}, { photoSource: 'file' }]) {
        const answer = await enrolPerson(listId, enrolBody(clock, said), customer);
        expect(answer).toMatchObject({ status: 409, body: { code: 'camera-required' } });
      }
      expect(inference.sealed).toBe(before);
      expect((await enrolPerson(listId, enrolBody(clock, { photoSource: 'camera' }), customer)).status).toBe(201);
      const any = await createList(customer);
      expect(await read(any)).toMatchObject({ photoSource: 'any', photoCheck: 'none' });
      expect((await enrolPerson(any, enrolBody(clock, { photoSource: 'file' }), customer)).status).toBe(201);
    });

    it('tells guests’ pages, and costs them no attempt', async () => {
      const eventId = await createEvent(customer, clock);
      expect((await customer.request('POST', `/v1/events/${eventId}/widget`, widgetSettings)).status).toBe(200);
      await createList(customer, { name: 'Concert', eventId, photoSource: 'camera' });
      const { token } = await createToken(customer, eventId);
      const page = createGuestPage(api, token);
      expect((await page.session()).body).toMatchObject({ photoSource: 'camera', attemptsLeft: 5 });
      const enrol = (photoSource?: string) => page.enrol({ body: { photoSource } });
      for (const said of [undefined, 'file']) {
        expect(await enrol(said)).toMatchObject({ status: 409, body: { code: 'camera-required' } });
      }
      expect((await page.session()).body).toMatchObject({ attemptsLeft: 5 });
      expect((await enrol('camera')).status).toBe(201);
    });
  });

  describe('a list whose photos are checked', () => {
    it('refuses a picture of a picture, which others take; nothing is stored and the answer has no figure', async () => {
      const listId = await createList(customer, { ...members, photoCheck: 'passive' });
      const refused = await enrolPerson(listId, enrolBody(clock, { image: 'a print' }), customer);
      expect(refused).toMatchObject({ status: 422, body: { code: 'photo-not-live' } });
      expect(refused.body).not.toHaveProperty('measured');
      expect((await customer.request('GET', `/v1/lists/${listId}/people`)).body).toMatchObject({ items: [] });
      expect((await enrolPerson(listId, enrolBody(clock), customer)).status).toBe(201);
      const unchecked = await createList(customer);
      expect((await enrolPerson(unchecked, enrolBody(clock, { image: 'a print' }), customer)).status).toBe(201);
    });

    it('cannot be had where no check is installed, nor be enrolled into there', async () => {
      const asked = { ...members, photoCheck: 'passive' };
      const answer = await on(newer).request('POST', '/v1/lists', asked);
      expect(answer).toMatchObject({ status: 409, body: { code: 'model-unavailable' } });
      const listId = await createList(customer, asked);
      const before = inference.sealed;
      const missing = await enrolPerson(listId, enrolBody(clock), on(newer));
      expect(missing).toMatchObject({ status: 503, body: { code: 'model-missing' } });
      expect(inference.sealed).toBe(before);
    });
  });
});
