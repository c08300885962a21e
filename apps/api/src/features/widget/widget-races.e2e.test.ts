import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '@svc/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startApi } from '../../compose.ts';
import { inDatabase } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createLogSink,
  createManualClock,
  type FakeInference,
  type ManualClock,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';
import { createGuestPage, createStage, onStage, outcome, type WidgetStage } from '../../testing/widget-fixture.ts';

let api: TestApi;
let customer: TestCustomer;
let inference: FakeInference;
let clock: ManualClock;
let stage: WidgetStage;

beforeAll(async () => {
  inference = createFakeInference();
  clock = createManualClock();
  api = await startTestApi(inject('postgres'), { createInference: () => inference, clock });
});
afterAll(() => api.close());
beforeEach(async () => {
  inference.hold = null;
  inference.places = 1_000;
  customer = await api.customer({ country: 'DE' });
  stage = await createStage(customer, clock);
});

const { open, stateOf, people } = onStage(() => ({ api, customer, stage }));

/** Makes the photos wait until they are let go. */
function holdPhotos(): { release: () => void; begun: (photos: number) => Promise<void> } {
  let release = () => {};
  const before = inference.sealed;
  inference.hold = new Promise((resolve) => {
    release = resolve;
  });
  return {
    release: () => release(),
    async begun(photos) {
      while (inference.sealed < before + photos) await sleep(5);
    },
  };
}

describe('unusable photos', () => {
  it('are told with what is left, and the fifth exhausts the token', async () => {
    const { page, tokenId } = await open();
    const images = ['no-face', 'several-faces', 'face-too-small', 'broken', 'blurred'];
    for (const [i, image] of images.entries()) {
      const answer = await page.enrol({ image });
      expect(answer.status).toBe(image === 'broken' ? 400 : 422);
      expect(answer.body).toMatchObject({ code: image === 'broken' ? 'image-invalid' : image, attemptsLeft: 4 - i });
    }
    const before = inference.sealed;
    expect(outcome(await page.enrol())).toEqual([401, 'token-exhausted']);
    expect(outcome(await page.session())).toEqual([401, 'token-exhausted']);
    expect(outcome(await page.decline())).toEqual([401, 'token-exhausted']);
    expect(inference.sealed).toBe(before);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'exhausted', attemptsLeft: 0, ticketId: null });
    expect(await people()).toEqual([]);
  });

  it('leave the fifth attempt for a good one', async () => {
    const { page } = await open();
    for (let i = 0; i < 4; i += 1) await page.enrol({ image: 'no-face' });
    expect((await page.session()).body).toMatchObject({ attemptsLeft: 1 });
    expect((await page.enrol()).status).toBe(201);
  });

  it('are looked at one at a time, five in all, however many come at once', async () => {
    const { page, tokenId } = await open();
    await page.open();
    const before = inference.sealed;
    let answers = 0;
    while ((await stateOf(tokenId)).state === 'valid' && answers < 200) {
      const wave = await Promise.all(Array.from({ length: 10 }, () => page.enrol({ image: 'no-face' })));
      for (const answer of wave) {
        expect([409, 422, 401]).toContain(answer.status);
        if (answer.status === 409) expect(answer.body.code).toBe('photo-in-progress');
      }
      answers += wave.length;
    }
    expect(inference.sealed - before).toBe(5);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'exhausted', attemptsLeft: 0 });
  });

  it('a photo that a dead node took with it is an attempt, and the next one waits until that must be over', async () => {
    const { page, tokenId } = await open({ validForHours: 1 });
    await page.open();
    await inDatabase(
      api,
      'UPDATE enrolment_tokens SET attempts = 4, examination = gen_random_uuid(), examination_until = $1 WHERE token_id = $2',
      [new Date(clock.now() + 90_000), tokenId],
    );
    const waiting = await page.enrol();
    expect(outcome(waiting)).toEqual([409, 'photo-in-progress']);
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0);
    clock.advance(90_000);
    expect(outcome(await page.enrol({ image: 'no-face' }))).toEqual([422, 'no-face']);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'exhausted' });
  });
});

describe('a lost answer', () => {
  it('is given again to the same request, and to no other', async () => {
    const { page } = await open();
    const first = await page.enrol({ key: 'page-1' });
    const before = inference.sealed;
    const again = await page.enrol({ key: 'page-1' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(outcome(await page.enrol({ key: 'page-2' }))).toEqual([401, 'token-used']);
    expect(outcome(await page.enrol())).toEqual([401, 'token-used']);
    expect(outcome(await page.decline('page-1'))).toEqual([401, 'token-used']);
    expect(inference.sealed).toBe(before);
    clock.advance(DAY_MS);
    expect(outcome(await page.enrol({ key: 'page-1' }))).toEqual([401, 'token-used']);
  });

  it('is not given again once the person was erased', async () => {
    const { page } = await open();
    await page.enrol({ key: 'page-1' });
    await customer.request('DELETE', `/v1/lists/${stage.listId}/people/ticket-1`);
    expect(outcome(await page.enrol({ key: 'page-1' }))).toEqual([401, 'token-used']);
  });

  it('of an unusable photo costs one attempt', async () => {
    const { page, tokenId } = await open();
    for (let i = 0; i < 3; i += 1) {
      const answer = await page.enrol({ key: 'photo-1', image: 'no-face' });
      expect(answer.body).toMatchObject({ code: 'no-face', attemptsLeft: 4 });
    }
    expect(await stateOf(tokenId)).toMatchObject({ attemptsLeft: 4 });
    expect((await page.enrol({ key: 'photo-2' })).status).toBe(201);
  });

  it('of a decline is given again', async () => {
    const { page } = await open();
    expect((await page.decline('page-1')).status).toBe(204);
    expect((await page.decline('page-1')).status).toBe(204);
    expect(outcome(await page.decline('page-2'))).toEqual([401, 'token-used']);
    expect(outcome(await page.enrol({ body: {}, key: 'page-1' }).catch(() => page.session()))).toEqual([
      401,
      'token-used',
    ]);
  });
});

describe('races', () => {
  it('200 uses of one token at once are one enrolment', async () => {
    const { page, tokenId } = await open();
    await page.open();
    const before = inference.sealed;
    const answers = await Promise.all(Array.from({ length: 200 }, () => page.enrol()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(['401 token-used', '409 photo-in-progress']).toContain(`${answer.status} ${answer.body.code}`);
    }
    expect(inference.sealed - before).toBe(1);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'used' });
    const [counted] = await inDatabase<Record<string, number>>(
      api,
      `SELECT (SELECT count(*)::int FROM consents WHERE list_id = $1) AS consents,
              (SELECT count(*)::int FROM people WHERE list_id = $1) AS people,
              (SELECT people_billed FROM accounts WHERE account_id = $2) AS billed`,
      [stage.listId, customer.accountId],
    );
    expect(counted).toEqual({ consents: 1, people: 1, billed: 1 });
  });

  it('over two nodes, too', async () => {
    const second = await startApi(api.config, {
      createInference: () => inference,
      clock,
      logDestination: createLogSink(),
    });
    try {
      const { token, tokenId } = await open();
      const pages = [api.url, second.url].map((url) => createGuestPage({ url }, token));
      await Promise.all(pages.map((page) => page.open()));
      const uses = Array.from({ length: 20 }, () => pages.map((page) => page.enrol()));
      const answers = await Promise.all(uses.flat());
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(await stateOf(tokenId)).toMatchObject({ state: 'used' });
    } finally {
      await second.close();
    }
  });

  it('many tokens of one ticket at once are one enrolment', async () => {
    const pages = await Promise.all(Array.from({ length: 12 }, () => open()));
    await Promise.all(pages.map(({ page }) => page.open()));
    const photos = holdPhotos();
    const pending = Promise.all(pages.map(({ page }) => page.enrol()));
    await photos.begun(12);
    photos.release();
    const answers = await pending;
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.code === 'token-used')).toHaveLength(11);
    const consents = await inDatabase(api, 'SELECT 1 FROM consents WHERE list_id = $1', [stage.listId]);
    expect(consents).toHaveLength(1);
  });

  it('of declining and enrolling exactly one wins', async () => {
    for (let i = 0; i < 10; i += 1) {
      const { page, tokenId } = await open({ ticketId: `racer-${i}` });
      await page.open();
      const [enrolled, declined] = await Promise.all([page.enrol(), page.decline()]);
      const won = [enrolled.status === 201, declined.status === 204];
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await stateOf(tokenId)).toMatchObject({ state: won[0] ? 'used' : 'declined' });
      expect((await people()).includes(`racer-${i}`)).toBe(won[0]);
    }
  });

  const interruptions: [string, () => Promise<unknown>, number, string][] = [
    ['closed', () => customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`), 409, 'enrolment-closed'],
    ['ended', () => customer.request('POST', `/v1/lists/${stage.listId}/end`), 409, 'list-ended'],
    ['deleted', () => customer.request('DELETE', `/v1/lists/${stage.listId}`), 401, 'invalid-credential'],
    ['suspended', () => suspend(), 401, 'account-suspended'],
    ['revoked', () => revokeAll(), 401, 'invalid-credential'],
  ];
  const suspend = () =>
    inDatabase(api, 'UPDATE accounts SET suspended_at = now() WHERE account_id = $1', [customer.accountId]);
  const revokeAll = () =>
    inDatabase(api, 'UPDATE enrolment_tokens SET revoked_at = now() WHERE list_id = $1', [stage.listId]);
  it.each(interruptions)(
    '%s while the photo is worked on: nobody is enrolled',
    async (_name, interrupt, status, code) => {
      const { page } = await open();
      await page.open();
      const photos = holdPhotos();
      const pending = page.enrol();
      await photos.begun(1);
      await interrupt();
      photos.release();
      expect(outcome(await pending)).toEqual([status, code]);
      expect(outcome(await page.session())).toEqual([status, code]);
      const rows = await inDatabase(
        api,
        'SELECT 1 FROM people WHERE list_id = $1 UNION ALL SELECT 1 FROM consents WHERE list_id = $1',
        [stage.listId],
      );
      expect(rows).toEqual([]);
    },
  );

  it('a photo that was begun in time is taken, though the token expires meanwhile', async () => {
    const { page } = await open();
    await page.open();
    const photos = holdPhotos();
    const pending = page.enrol();
    await photos.begun(1);
    clock.advance(31 * MINUTE_MS);
    photos.release();
    expect((await pending).status).toBe(201);
  });

  it('an end that is moved while the photo is worked on shortens what is kept', async () => {
    const { page } = await open();
    await page.open();
    const photos = holdPhotos();
    const pending = page.enrol();
    await photos.begun(1);
    const endsAt = new Date(clock.now() + 2 * 60 * MINUTE_MS).toISOString();
    expect((await customer.request('PATCH', `/v1/events/${stage.eventId}`, { endsAt })).status).toBe(200);
    photos.release();
    expect((await pending).body).toEqual({ deleteAfter: endsAt });
  });
});
