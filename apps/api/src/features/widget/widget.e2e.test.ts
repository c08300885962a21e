import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS, widgetSessionSchema } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { inDatabase } from '../../testing/enrolment-fixture.ts';
import { useStage } from '../../testing/use-api.ts';
import { type GuestRequest, onStage, outcome, widgetSettings } from '../../testing/widget-fixture.ts';

const { api, clock, customer, inference, stage } = useStage({
  environment: { SVC_KIOSK_ORIGINS: 'https://kiosk.example.org' },
});

const { open, stateOf, people } = onStage(() => ({ api, customer, stage }));

describe('the session', () => {
  it('contains everything that the widget shows, and nothing about the ticket’s holder', async () => {
    const { page, expiresAt } = await open({ ticketId: 'ticket-of-somebody' });
    const answer = await page.session('?language=de-AT');
    expect(answer.status).toBe(200);
    const session = widgetSessionSchema.parse(answer.body);
    expect(session).toMatchObject({
      ...widgetSettings,
      eventName: 'Concert',
      consentVersion: 'eu-v2',
      language: 'de',
      attemptsLeft: 5,
      expiresAt,
      deleteAfter: new Date(clock.now() + 72 * 60 * MINUTE_MS).toISOString(),
    });
    expect(session.languages).toEqual(expect.arrayContaining(['en', 'de']));
    expect(session.wording).toMatchObject({ consentVersion: 'eu-v2', language: 'de' });
    expect(JSON.stringify(answer.body)).not.toContain('ticket-of-somebody');
    expect(answer.headers.get('content-language')).toBe('de');
    expect(answer.headers.get('vary')).toMatch(/Accept-Language/i);
  });

  it('takes the browser’s language where the page names none, and refuses what is no language', async () => {
    const { token, page } = await open();
    const headers = { Authorization: `Bearer ${token}`, 'Accept-Language': 'fr-CH, fr;q=0.9, en;q=0.8' };
    const french = await fetch(`${api.url}/v1/widget/session`, { headers });
    expect(await french.json()).toMatchObject({ language: 'fr' });
    for (const language of ['', 'd', 'de_DE', 'x'.repeat(36), '%00']) {
      expect(outcome(await page.session(`?language=${language}`))).toEqual([400, 'invalid-request']);
    }
  });
});

describe('enrolling', () => {
  it('enrols the ticket, spends the token, and notes which wording was shown', async () => {
    const { page, tokenId } = await open({ ticketId: 'T/1 ü' });
    const answer = await page.enrol();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ deleteAfter: new Date(clock.now() + 72 * 60 * MINUTE_MS).toISOString() });
    expect(await people()).toEqual(['T/1 ü']);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'used', ticketId: null });
    expect(outcome(await page.session())).toEqual([401, 'token-used']);
    expect(outcome(await page.decline())).toEqual([401, 'token-used']);
    const shown = 'SELECT shown_by, wording_language, octet_length(wording_sha256) AS bytes, given_at FROM consents';
    expect(await inDatabase(api, `${shown} WHERE list_id = $1`, [stage.listId])).toEqual([
      { shown_by: 'service', wording_language: 'en', bytes: 32, given_at: new Date(clock.now()) },
    ]);
  });

  it('spends every open token of the ticket, and no other', async () => {
    const [first, second] = [await open(), await open({ validForHours: 24 })];
    const [expired, other] = [await open(), await open()];
    const stranger = await open({ ticketId: 'ticket-2' });
    await inDatabase(api, 'UPDATE enrolment_tokens SET expires_at = $1 WHERE token_id = $2', [
      new Date(clock.now()),
      expired.tokenId,
    ]);
    await customer.request('DELETE', `/v1/events/${stage.eventId}/enrolment-tokens/${other.tokenId}`);
    expect((await first.page.enrol()).status).toBe(201);
    expect(await stateOf(second.tokenId)).toMatchObject({ state: 'used', ticketId: null });
    expect(await stateOf(expired.tokenId)).toMatchObject({ state: 'expired' });
    expect(await stateOf(other.tokenId)).toMatchObject({ state: 'revoked', ticketId: null });
    expect(await stateOf(stranger.tokenId)).toMatchObject({ state: 'valid', ticketId: 'ticket-2' });
    expect(outcome(await second.page.session())).toEqual([401, 'token-used']);
  });

  it('replaces a face with a token that was made later', async () => {
    expect((await (await open()).page.enrol()).status).toBe(201);
    expect((await (await open()).page.enrol()).status).toBe(201);
    expect(await people()).toEqual(['ticket-1']);
  });

  const wrong: [string, GuestRequest, string][] = [
    ['no guardian', { consent: { under16: true } }, 'invalid-request'],
    ['no wording', { body: { wordingSha256: undefined } }, 'invalid-request'],
    ['a version that is not the list’s', { consent: { consentVersion: 'us-v2' } }, 'consent-version-mismatch'],
    ['a wording that is not the current one', { body: { wordingSha256: '0'.repeat(64) } }, 'consent-version-mismatch'],
    ['the wording of another language', { body: { language: 'de' } }, 'consent-version-mismatch'],
  ];
  it.each(wrong)('costs no attempt: %s', async (_name, request, code) => {
    const { page, tokenId } = await open();
    const before = inference.sealed;
    expect(outcome(await page.enrol(request))).toEqual([code === 'invalid-request' ? 400 : 409, code]);
    expect(inference.sealed).toBe(before);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
  });

  it('no plan, and a full queue: no attempt is lost', async () => {
    const { page, tokenId } = await open();
    await page.open();
    await api.admin.plans.set(customer.accountId, null);
    expect(outcome(await page.enrol())).toEqual([402, 'no-plan']);
    await api.admin.plans.set(customer.accountId, 'pilot');
    inference.places = 0;
    expect(outcome(await page.enrol())).toEqual([503, 'overloaded']);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
  });
});

/** A webhook, and what it is told of guests. */
async function listening() {
  const eventTypes = ['person.enrolled', 'person.declined'];
  const hook = { url: 'https://receiver.invalid/hook', eventTypes };
  const { webhookId } = (await customer.request<{ webhookId: string }>('POST', '/v1/webhooks', hook)).body;
  return async () => {
    const path = `/v1/webhooks/${webhookId}/deliveries`;
    const { body } = await customer.request<{ items: { eventType: string }[] }>('GET', path);
    return body.items.map(({ eventType }) => eventType);
  };
}

describe('declining', () => {
  it('and enrolling are told to webhooks, once each', async () => {
    const told = await listening();
    const [first, second] = [await open({ ticketId: 'a' }), await open({ ticketId: 'b' })];
    for (const status of [204, 204]) expect((await first.page.decline('page-1')).status).toBe(status);
    expect(outcome(await first.page.decline('page-2'))).toEqual([401, 'token-used']);
    for (const status of [201, 201]) expect((await second.page.enrol({ key: 'page-2' })).status).toBe(status);
    expect((await told()).sort()).toEqual(['person.declined', 'person.enrolled']);
  });

  it('spends this token alone', async () => {
    const [first, second] = [await open(), await open()];
    await first.page.open();
    expect((await first.page.decline()).status).toBe(204);
    expect(await stateOf(first.tokenId)).toMatchObject({ state: 'declined', ticketId: null });
    expect(outcome(await first.page.enrol())).toEqual([401, 'token-used']);
    expect((await second.page.enrol()).status).toBe(201);
  });

  it('is possible after enrolment was closed', async () => {
    const { page } = await open();
    await customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`);
    expect((await page.decline()).status).toBe(204);
  });
});

describe('declining, undone', () => {
  const key = 'page-1';
  const kept = ({ tokenId }: { readonly tokenId: string }) =>
    inDatabase(api, 'SELECT 1 FROM enrolment_tokens WHERE token_id = $1 AND ticket_id_sealed IS NOT NULL', [tokenId]);

  it('by the page that declined: the token can be used, and declined again', async () => {
    const { page, tokenId, ticketId } = await open();
    await page.decline(key);
    expect((await page.undo(key)).status).toBe(204);
    expect((await page.undo(key)).status).toBe(204);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid', ticketId });
    expect((await page.decline('page-2')).status).toBe(204);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'declined', ticketId: null });
    expect((await page.undo('page-2')).status).toBe(204);
    expect((await page.enrol()).status).toBe(201);
    expect(await people()).toEqual([ticketId]);
  });

  it('by nobody else who has the link', async () => {
    const { page, tokenId } = await open();
    await page.decline(key);
    for (const other of [undefined, 'page-2']) expect(outcome(await page.undo(other))).toEqual([401, 'token-used']);
    const { page: silent } = await open();
    await silent.decline();
    expect(outcome(await silent.undo())).toEqual([401, 'token-used']);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'declined' });
  });

  it('within half an hour', async () => {
    const [first, second] = [await open({ validForHours: 24 }), await open({ validForHours: 24 })];
    await first.page.decline(key);
    await second.page.decline(key);
    clock.advance(30 * MINUTE_MS - 1);
    expect((await first.page.undo(key)).status).toBe(204);
    clock.advance(1);
    expect(outcome(await second.page.undo(key))).toEqual([401, 'token-used']);
  });

  it('three times for a token, so that its holder cannot flood the organiser’s webhooks', async () => {
    const told = await listening();
    const { page, tokenId, ticketId } = await open();
    for (const again of ['page-1', 'page-2', 'page-3']) {
      expect((await page.decline(again)).status).toBe(204);
      expect((await page.undo(again)).status).toBe(204);
      expect((await page.undo(again)).status).toBe(204);
    }
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid', ticketId });
    expect((await page.decline('page-4')).status).toBe(204);
    expect(outcome(await page.undo('page-4'))).toEqual([401, 'token-used']);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'declined', ticketId: null });
    expect(await kept({ tokenId })).toEqual([]);
    expect(await told()).toHaveLength(4);
  });

  it('not past the token’s expiry, and not once the ticket was enrolled with another token', async () => {
    const [overtaken, enrolling] = [await open({ validForHours: 1 }), await open()];
    await overtaken.page.decline(key);
    expect((await enrolling.page.enrol()).status).toBe(201);
    expect(outcome(await overtaken.page.undo(key))).toEqual([401, 'token-used']);
    const late = await open({ ticketId: 'ticket-late' });
    clock.advance(20 * MINUTE_MS);
    await late.page.decline(key);
    clock.advance(10 * MINUTE_MS);
    expect(outcome(await late.page.undo(key))).toEqual([401, 'token-used']);
  });

  it('not once the organiser revoked the link, or replaced it', async () => {
    const [revoked, replaced] = [await open({ ticketId: 'a' }), await open({ ticketId: 'b', validForHours: 24 })];
    const tokens = `/v1/events/${stage.eventId}/enrolment-tokens`;
    for (const { page } of [revoked, replaced]) await page.decline(key);
    expect((await customer.request('DELETE', `${tokens}/${revoked.tokenId}`)).status).toBe(204);
    const batch = { ticketIds: ['b'], validForHours: 24, ifLinked: 'replace' };
    expect((await customer.request('POST', `${tokens}/batch`, batch)).status).toBe(201);
    for (const { page, tokenId } of [revoked, replaced]) {
      expect(outcome(await page.undo(key))).toEqual([401, 'token-used']);
      expect(await stateOf(tokenId)).toMatchObject({ state: 'declined', ticketId: null });
    }
  });

  it('does not enrol the photo that was under way when the guest declined', async () => {
    const { page, tokenId } = await open();
    const { enrolled, release } = await enrolling(page, { key: 'photo' });
    expect((await page.decline(key)).status).toBe(204);
    expect((await page.undo(key)).status).toBe(204);
    release();
    expect(outcome(await enrolled)).toEqual([409, 'photo-in-progress']);
    expect(await people()).toEqual([]);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
    inference.hold = null;
    expect((await page.enrol({ key: 'photo' })).status).toBe(201);
  });

  it('needs the sealed ticketId, which is kept for a page that can undo, until the ticket is enrolled', async () => {
    const [keyed, silent] = [await open(), await open()];
    await keyed.page.decline(key);
    await silent.page.decline();
    expect(await kept(keyed)).toHaveLength(1);
    expect(await kept(silent)).toEqual([]);
    expect((await (await open()).page.enrol()).status).toBe(201);
    expect(await kept(keyed)).toEqual([]);
    expect(await stateOf(keyed.tokenId)).toMatchObject({ state: 'declined' });
  });

  it('changes nothing where nobody declined', async () => {
    const { page, tokenId } = await open();
    expect((await page.undo(key)).status).toBe(204);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid' });
    await page.enrol({ key });
    expect(outcome(await page.undo(key))).toEqual([401, 'token-used']);
    expect(await people()).toEqual(['ticket-1']);
  });
});

describe('a token that can no longer be used', () => {
  const event = { startsAt: expect.any(String), timeZone: null, place: null };
  const known = { ...widgetSettings, eventName: 'Concert', event, brand: null };
  const about = async (page: Pick<Awaited<ReturnType<typeof open>>['page'], 'session'>) =>
    (await page.session()).body.token;

  it('says to its holder what became of it, and nothing about the ticket', async () => {
    const enrolled = await open({ ticketId: 'ticket-of-somebody' });
    const { body } = await enrolled.page.enrol();
    expect(await about(enrolled.page)).toEqual({ ...known, state: 'used', deleteAfter: body.deleteAfter });
    const declined = await open({ ticketId: 'ticket-2' });
    await declined.page.decline();
    expect(await about(declined.page)).toEqual({ ...known, state: 'declined' });
    const revoked = await open({ ticketId: 'ticket-3' });
    await customer.request('DELETE', `/v1/events/${stage.eventId}/enrolment-tokens/${revoked.tokenId}`);
    expect(outcome(await revoked.page.session())).toEqual([401, 'invalid-credential']);
    expect(await about(revoked.page)).toEqual({ ...known, state: 'revoked' });
    const expired = await open({ ticketId: 'ticket-4' });
    clock.advance(30 * MINUTE_MS);
    await customer.request('PATCH', `/v1/events/${stage.eventId}`, { place: 'Pier 2' });
    const there = { ...event, place: 'Pier 2' };
    expect(await about(expired.page)).toEqual({ ...known, event: there, state: 'expired' });
    expect(JSON.stringify((await enrolled.page.session()).body)).not.toContain('ticket-of-somebody');
  });

  it('does not say whether the face was erased, or who enrolled with another token', async () => {
    const [first, second] = [await open(), await open()];
    await first.page.enrol();
    expect(await about(second.page)).toEqual({ ...known, state: 'used' });
    await customer.request('DELETE', `/v1/lists/${stage.listId}/people/ticket-1`);
    expect(await about(first.page)).toEqual({ ...known, state: 'used' });
  });

  it('says it in every answer, also when the list takes nobody any more', async () => {
    const { page } = await open();
    await page.open();
    await customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`);
    for (const answer of [await page.session(), await page.enrol()]) {
      expect(outcome(answer)).toEqual([409, 'enrolment-closed']);
      expect(answer.body.token).toEqual({ ...known, state: 'valid' });
    }
  });

  it('is not known at all: nothing is said', async () => {
    const { page } = await open();
    await inDatabase(api, 'DELETE FROM enrolment_tokens WHERE account_id = $1', [customer.accountId]);
    expect(outcome(await page.session())).toEqual([401, 'invalid-credential']);
    expect(await about(page)).toBeUndefined();
  });
});

describe('credentials', () => {
  it('expired: not a millisecond early', async () => {
    const { page, tokenId } = await open();
    clock.advance(30 * MINUTE_MS - 1);
    expect((await page.session()).status).toBe(200);
    clock.advance(1);
    for (const answer of [await page.session(), await page.decline()]) {
      expect(outcome(answer)).toEqual([401, 'token-expired']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    expect(await stateOf(tokenId)).toMatchObject({ state: 'expired' });
  });

  it('are not in the database, nor is a ticketId in the clear', async () => {
    const { token, page } = await open({ ticketId: 'a-very-telling-ticket' });
    await page.enrol({ image: 'no-face', key: 'a-telling-key' });
    const rows = await inDatabase<{ row: string }>(api, 'SELECT t::text AS row FROM enrolment_tokens t', []);
    const text = JSON.stringify(rows);
    for (const secret of [token, 'a-very-telling-ticket', 'a-telling-key']) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });
});

describe('other origins', () => {
  it.each([
    ['/v1/widget/enrolments', 'http://localhost:0', /Authorization/],
    ['/v1/device/sync', 'https://kiosk.example.org', /Svc-Device-Key,Svc-Nonce/],
    ['/v1/widget/enrolments', 'https://elsewhere.example', null],
    ['/v1/widget/enrolments', 'null', null],
    ['/v1/widget/enrolments', 'https://kiosk.example.org', null],
    ['/v1/device/sync', 'http://localhost:0', null],
    ['/v1/events', 'http://localhost:0', null],
  ])('may call %s from %s by the headers %s', async (path, origin, allowed) => {
    const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' };
    const { headers } = await fetch(api.url + path, { method: 'OPTIONS', headers: { Origin: origin, ...asked } });
    expect(headers.get('access-control-allow-origin')).toBe(allowed === null ? null : origin);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    if (allowed !== null) expect(headers.get('access-control-allow-headers')).toMatch(allowed);
  });

  it('may read what an error says', async () => {
    const refused = await fetch(`${api.url}/v1/widget/session`, { headers: { Origin: 'http://localhost:0' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('http://localhost:0');
    expect(refused.headers.get('vary')).toMatch(/Origin/);
  });
});

/** Makes photos wait until `release` is called. */
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

/** A guest's photo that is worked on until `release` is called. */
async function enrolling(page: Awaited<ReturnType<typeof open>>['page'], request: GuestRequest = {}) {
  await page.open();
  const { release, begun } = holdPhotos();
  const enrolled = page.enrol(request);
  await begun(1);
  return { enrolled, release };
}

describe('unusable photos', () => {
  it('are told with what is left, and the fifth exhausts the token', async () => {
    const { page, tokenId } = await open();
    const images = ['no-face', 'several-faces', 'face-too-small', 'broken', 'blurred'];
    for (const [i, image] of images.entries()) {
      const answer = await page.enrol({ image });
      expect(answer.status).toBe(image === 'broken' ? 400 : 422);
      const why = image === 'broken' ? { code: 'image-invalid', reason: 'format' } : { code: image };
      expect(answer.body).toMatchObject({ ...why, attemptsLeft: 4 - i });
    }
    const before = inference.sealed;
    expect(outcome(await page.enrol())).toEqual([401, 'token-exhausted']);
    expect(outcome(await page.session())).toEqual([401, 'token-exhausted']);
    expect(outcome(await page.decline())).toEqual([401, 'token-exhausted']);
    expect(inference.sealed).toBe(before);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'exhausted', attemptsLeft: 0, ticketId: null });
    expect(await people()).toEqual([]);
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
    const examined = 'attempts = 4, examination = gen_random_uuid(), examination_until = $1';
    const until = new Date(clock.now() + 5_500);
    await inDatabase(api, `UPDATE enrolment_tokens SET ${examined} WHERE token_id = $2`, [until, tokenId]);
    const waiting = await page.enrol();
    expect(outcome(waiting)).toEqual([409, 'photo-in-progress']);
    expect(waiting.headers.get('retry-after')).toBe('6');
    clock.advance(5_500);
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
});

describe('races', () => {
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
    expect(await inDatabase(api, 'SELECT 1 FROM consents WHERE list_id = $1', [stage.listId])).toHaveLength(1);
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
      const { enrolled, release } = await enrolling(page);
      await interrupt();
      release();
      expect(outcome(await enrolled)).toEqual([status, code]);
      expect(outcome(await page.session())).toEqual([status, code]);
      const stored = 'SELECT 1 FROM people WHERE list_id = $1 UNION ALL SELECT 1 FROM consents WHERE list_id = $1';
      expect(await inDatabase(api, stored, [stage.listId])).toEqual([]);
    },
  );

  it('a photo that was begun in time is taken, however long it takes, though the token expires meanwhile', async () => {
    const { page, tokenId } = await open();
    const { enrolled, release } = await enrolling(page);
    const until = 'SELECT examination_until FROM enrolment_tokens WHERE token_id = $1';
    clock.advance(5_000);
    const renewed = [{ examination_until: new Date(clock.now() + 6_000) }];
    await expect.poll(() => inDatabase(api, until, [tokenId]), { timeout: 5_000 }).toEqual(renewed);
    clock.advance(31 * MINUTE_MS);
    release();
    expect((await enrolled).status).toBe(201);
  });

  it.each(['no-face', 'a face'])('a photo (%s) that lost to another one costs no attempt', async (image) => {
    const { page, tokenId } = await open();
    const { enrolled, release } = await enrolling(page, { image });
    const other = 'examination = gen_random_uuid(), examination_until = $1, attempts = attempts + 1';
    const until = new Date(clock.now() + 3_000);
    await inDatabase(api, `UPDATE enrolment_tokens SET ${other} WHERE token_id = $2`, [until, tokenId]);
    release();
    expect(outcome(await enrolled)).toEqual([409, 'photo-in-progress']);
    expect(await stateOf(tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 4 });
    expect(outcome(await page.enrol())).toEqual([409, 'photo-in-progress']);
  });

  it('an end that is moved while the photo is worked on shortens what is kept', async () => {
    const { enrolled, release } = await enrolling((await open()).page);
    const endsAt = new Date(clock.now() + 2 * 60 * MINUTE_MS).toISOString();
    expect((await customer.request('PATCH', `/v1/events/${stage.eventId}`, { endsAt })).status).toBe(200);
    release();
    expect((await enrolled).body).toEqual({ deleteAfter: endsAt });
  });
});
