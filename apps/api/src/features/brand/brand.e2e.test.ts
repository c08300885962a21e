import {
  type CreatedWidgetPreview,
  MAX_LOGO_UPLOAD_BYTES,
  MINUTE_MS,
  type WidgetSettings,
  widgetSessionSchema,
  widgetSettingsSchema,
} from '@svc/protocol';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createList, inDatabase } from '../../testing/enrolment-fixture.ts';
import { useStage } from '../../testing/use-api.ts';
import { createEvent, createGuestPage, createToken, outcome, widgetSettings } from '../../testing/widget-fixture.ts';

const { api, clock, customer, inference, stage } = useStage({
  environment: { SVC_WIDGET_URL: 'https://widget.example.org/face' },
});
const image = sharp({ create: { width: 960, height: 200, channels: 4, background: '#c02060' } });
const logo = (await image.png().toBuffer()).toString('base64');

const addressOf = (eventId: string) => `/v1/events/${eventId}/widget`;
const set = (brand: unknown, eventId = stage.eventId) =>
  customer.request('POST', addressOf(eventId), { ...widgetSettings, ...(brand === undefined ? {} : { brand }) });
const read = async () =>
  widgetSettingsSchema.parse((await customer.request('GET', addressOf(stage.eventId))).body) satisfies WidgetSettings;
const sessionOf = async (token: string, query = '') => {
  const { status, body } = await createGuestPage(api, token).session(query);
  expect(status).toBe(200);
  return widgetSessionSchema.parse(body);
};
const previewOf = async (brand: unknown, eventId = stage.eventId) =>
  customer.request<CreatedWidgetPreview>('POST', `${addressOf(eventId)}/preview`, { ...widgetSettings, brand });

const whole = {
  accent: '#FFE600',
  font: `"Gill Sans", Arial, sans-serif`,
  radius: 4,
  theme: 'dark',
  heading: { en: 'Walk in with a smile', DE: 'Herein mit einem Lächeln' },
  benefit: { en: 'x'.repeat(140) },
};

describe('a brand', () => {
  it('is read back as it was set, the logo as the service drew it', async () => {
    const answer = await set({ ...whole, logo: { imageBase64: logo } });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ eventId: stage.eventId, widget: widgetSettings });
    const { brand, ...organiser } = await read();
    expect(organiser).toEqual(widgetSettings);
    expect(brand).toMatchObject({ ...whole, accent: '#ffe600' });
    expect(brand?.logo).toMatchObject({ width: 480, height: 100 });
    const png = Buffer.from(brand?.logo?.imageBase64 ?? '', 'base64');
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 480, height: 100 });
    expect(png.toString('base64')).not.toBe(logo);
  });

  it('is shown to guests with tokens made before, in the wording’s language', async () => {
    const { token } = await createToken(customer, stage.eventId);
    expect(await sessionOf(token)).toMatchObject({ brand: null, preview: false });
    await set({ ...whole, logo: { imageBase64: logo } });
    const { brand } = await sessionOf(token);
    const { accent, font, radius, theme } = { ...whole, accent: '#ffe600' };
    expect(brand).toMatchObject({ accent, font, radius, theme, heading: whole.heading.en, benefit: whole.benefit.en });
    expect(brand?.logo).toMatchObject({ width: 480, height: 100 });
    expect(brand?.logo?.url.length).toBeLessThanOrEqual(64 * 1024 + 'data:image/png;base64,'.length);
    expect((await sessionOf(token, '?language=de')).brand?.heading).toBe(whole.heading.DE);
    expect((await sessionOf(token, '?language=fr')).brand).toMatchObject({ heading: null, benefit: null });
  });

  it('is replaced as a whole by PUT: what was read can be sent back, and what is absent is removed', async () => {
    await set({ ...whole, logo: { imageBase64: logo } });
    const put = (body: object) => customer.request('PUT', addressOf(stage.eventId), body);
    const before = await read();
    expect((await put(before)).body).toMatchObject({ eventId: stage.eventId, widget: widgetSettings });
    expect(await read()).toEqual(before);
    await put({ ...widgetSettings, brand: { accent: '#000000' } });
    const bare = { font: null, radius: null, theme: 'auto', heading: null, benefit: null, logo: null };
    expect(await read()).toEqual({ ...widgetSettings, brand: { ...bare, accent: '#000000' } });
  });

  it('keeps what is absent and drops what is null', async () => {
    await set({ ...whole, logo: { imageBase64: logo } });
    await set(undefined);
    expect((await read()).brand).toMatchObject({ ...whole, accent: '#ffe600', logo: { width: 480 } });
    await set({ accent: '#000000' });
    expect((await read()).brand).toMatchObject({ ...whole, accent: '#000000', logo: { width: 480 } });
    await set({ accent: null, font: null, radius: null, theme: null, heading: null, benefit: null, logo: null });
    expect((await read()).brand).toEqual({
      ...{ accent: null, font: null, radius: null, theme: 'auto', heading: null, benefit: null, logo: null },
    });
    await set(null);
    expect((await read()).brand).toBeNull();
  });

  it('goes with its event, and is of no other', async () => {
    const eventId = await createEvent(customer, clock);
    await set({ accent: '#ffe600' }, eventId);
    expect((await read()).brand).toBeNull();
    await customer.request('DELETE', `/v1/events/${eventId}`);
    const rows = await inDatabase(api, 'SELECT 1 FROM event_brands WHERE event_id = $1', [eventId]);
    expect(rows).toEqual([]);
  });

  it('is not found before it is set', async () => {
    const eventId = await createEvent(customer, clock);
    expect(outcome(await customer.request('GET', addressOf(eventId)))).toEqual([404, 'not-found']);
  });

  const tooLarge = Buffer.alloc(MAX_LOGO_UPLOAD_BYTES + 1).toString('base64');
  const refused: readonly [string, object, string][] = [
    ['a colour by name', { accent: 'red' }, '/brand/accent'],
    ['a font that is more CSS', { font: 'Arial"; } body { display: none' }, '/brand/font'],
    ['nine fonts', { font: Array(9).fill('Arial').join(',') }, '/brand/font'],
    ['a radius that is too large', { radius: 33 }, '/brand/radius'],
    ['a heading of 81 characters', { heading: { en: 'x'.repeat(81) } }, '/brand/heading/en'],
    ['a benefit of 141 characters', { benefit: { en: 'x'.repeat(141) } }, '/brand/benefit/en'],
    ['a heading of two lines', { heading: { en: 'a\nb' } }, '/brand/heading/en'],
    ['a heading that turns round', { heading: { en: 'a\u202eb' } }, '/brand/heading/en'],
    ['a heading in no language', { heading: { 'a b': 'x' } }, '/brand/heading'],
    ['no base64', { logo: { imageBase64: 'data:image/png;base64,AAAA' } }, '/brand/logo/imageBase64'],
    ['a logo that is too large', { logo: { imageBase64: tooLarge } }, '/brand/logo/imageBase64'],
  ];
  it.each(refused)('is refused: %s', async (_name, brand, pointer) => {
    const answer = await set(brand);
    expect(outcome(answer)).toEqual([400, 'invalid-request']);
    expect(answer.body).toMatchObject({ errors: [{ pointer }] });
    expect((await read()).brand).toBeNull();
  });

  it('takes a logo that is as large as it may be, and no larger body', async () => {
    const body = Buffer.alloc(MAX_LOGO_UPLOAD_BYTES).toString('base64');
    expect(outcome(await set({ logo: { imageBase64: body } }))).toEqual([400, 'logo-invalid']);
    expect(outcome(await set({ logo: { imageBase64: 'A'.repeat(2 ** 20) } }))).toEqual([413, 'request-too-large']);
  });

  it('whose logo is an SVG changes nothing', async () => {
    const imageBase64 = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" />').toString('base64');
    const answer = await customer.request('POST', addressOf(stage.eventId), {
      ...{ organiserName: 'Arena', privacyNoticeUrl: 'https://example.org/new' },
      brand: { accent: '#ffe600', logo: { imageBase64 } },
    });
    const why = { code: 'logo-invalid', reason: 'format', measured: 'image/svg+xml' };
    expect(answer).toMatchObject({ status: 400, body: why });
    expect(await read()).toEqual({ ...widgetSettings, brand: null });
  });

  it('with a logo waits for a place as photos do; one without does not', async () => {
    inference.places = 0;
    expect(outcome(await set({ logo: { imageBase64: logo } }))).toEqual([503, 'overloaded']);
    expect((await set({ accent: '#ffe600', logo: null })).status).toBe(200);
  });

  it('may be set twice at the same time', async () => {
    const both = await Promise.all([set({ accent: '#ffe600' }), set({ font: 'Arial' }), set({ radius: 3 })]);
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await read()).brand).toMatchObject({ accent: '#ffe600', font: 'Arial', radius: 3 });
  });
});

describe('a preview', () => {
  it('shows what is not set yet, for 30 minutes, and guests see nothing of it', async () => {
    await set({ accent: '#ffe600', radius: 2 });
    const { token: guests } = await createToken(customer, stage.eventId);
    const answer = await previewOf({ accent: '#000000', logo: { imageBase64: logo } });
    expect(answer.status).toBe(201);
    const { token, url, expiresAt } = answer.body;
    expect(url).toBe(`https://widget.example.org/face#${token}`);
    expect(expiresAt).toBe(new Date(clock.now() + 30 * MINUTE_MS).toISOString());
    expect(await sessionOf(token)).toMatchObject({
      ...widgetSettings,
      preview: true,
      ...{ eventName: 'Concert', event: { timeZone: null } },
      consentVersion: 'eu-v2',
      attemptsLeft: 5,
      expiresAt,
      brand: { accent: '#000000', radius: 2, logo: { width: 480, height: 100 } },
    });
    expect((await sessionOf(guests)).brand).toMatchObject({ accent: '#ffe600', logo: null });
    expect((await read()).brand).toMatchObject({ accent: '#ffe600', logo: null });
  });

  it('is possible before anything was set, and after enrolment was closed', async () => {
    const eventId = await createEvent(customer, clock);
    const listId = await createList(customer, { name: 'Concert', eventId });
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    const { body } = await previewOf({ accent: '#ffe600' }, eventId);
    expect(await sessionOf(body.token)).toMatchObject({ preview: true, brand: { accent: '#ffe600' } });
  });

  it('enrols nobody and declines for nobody: no attempt, no record, no consent, no bill, no notification', async () => {
    const { token } = (await previewOf({})).body;
    const page = createGuestPage(api, token);
    const tables = ['people', 'consents', 'billed_people', 'webhook_deliveries', 'enrolment_tokens'];
    const counting = tables.map((table) => `SELECT count(*) FROM ${table} WHERE account_id = $1`).join(' UNION ALL ');
    const counts = () => inDatabase(api, counting, [customer.accountId]);
    const before = await counts();
    const photos = inference.sealed;
    expect(outcome(await page.enrol())).toEqual([409, 'preview-only']);
    expect(outcome(await page.enrol({ key: 'a-key' }))).toEqual([409, 'preview-only']);
    expect(outcome(await page.decline('a-key'))).toEqual([409, 'preview-only']);
    expect(outcome(await page.undo('a-key'))).toEqual([409, 'preview-only']);
    expect(inference.sealed).toBe(photos);
    expect(await counts()).toEqual(before);
    expect((await page.session()).body).toMatchObject({ attemptsLeft: 5, preview: true });
  });

  it('is over after its time, and is then removed', async () => {
    const { token } = (await previewOf({})).body;
    clock.advance(30 * MINUTE_MS);
    expect(outcome(await createGuestPage(api, token).session())).toEqual([401, 'token-expired']);
    expect(outcome(await createGuestPage(api, token).decline())).toEqual([409, 'preview-only']);
  });

  it('is not among the enrolment tokens', async () => {
    await previewOf({});
    const { body } = await customer.request('GET', `/v1/events/${stage.eventId}/enrolment-tokens`);
    expect(body).toMatchObject({ items: [] });
  });

  it('is kept ten times an event', async () => {
    const { token } = (await previewOf({})).body;
    for (let i = 0; i < 10; i += 1) {
      clock.advance(1);
      expect((await previewOf({ radius: i })).status).toBe(201);
    }
    expect(outcome(await createGuestPage(api, token).session())).toEqual([401, 'invalid-credential']);
    const rows = await inDatabase(api, 'SELECT 1 FROM widget_previews WHERE event_id = $1', [stage.eventId]);
    expect(rows).toHaveLength(10);
  });

  it('needs a list, an event of one’s own, and settings as when they are set', async () => {
    const eventId = await createEvent(customer, clock);
    expect(outcome(await previewOf({}, eventId))).toEqual([409, 'event-without-list']);
    expect(outcome(await previewOf({}, 'evt_unknown'))).toEqual([404, 'not-found']);
    expect(outcome(await previewOf({ accent: 'red' }))).toEqual([400, 'invalid-request']);
    expect(outcome(await previewOf({ logo: { imageBase64: 'AAAA' } }))).toEqual([400, 'logo-invalid']);
  });
});
