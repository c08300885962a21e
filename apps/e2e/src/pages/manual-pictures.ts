/**
 * The story that the manual's pictures show: a first sign-in, guests, a door, an evening. A service with every page and
 * its face engine, under a clock that stands still, and rendered guests. `npm run pictures` runs it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type Locator, type Page, test } from '@playwright/test';
import { addTestDevice, arrivalsKeyOf, createGuestPage, signedArrivals } from '@svc/api/testing';
import { type AddedDevice, ARRIVALS_BUCKET_MS, DAY_MS, HOUR_MS } from '@svc/protocol';
import { encodeJpeg, identitySeed, renderHead } from '@svc/synthetic-faces';
import sharp from 'sharp';
import { DashboardPage } from '../dashboard/dashboard-page.ts';
import { signInTo, startDashboardService } from '../dashboard/service.ts';
import { KioskPage, PIN } from '../kiosk/kiosk-page.ts';
import { Films, installPageCamera, slowClock, still } from '../support/page-camera.ts';
import { callGlobal, screenOf } from '../widget/guest.ts';

const { SVC_PICTURES: folder = '' } = process.env;
/** Pictures of people are lossy above this. */
const MOST_BYTES = 40_000;
const MARGIN = 16;
const schemes = ['light', 'dark'] as const;
/** How long the film of a visit shows each of its pictures. */
const FILM_MS = [2_000, 2_000, 1_200, 1_600, 3_000];
const OPEN_MS = Date.parse('2027-05-22T18:00:00+02:00');
const tickets = Array.from({ length: 24 }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 0).toString(36).toUpperCase());
const guest = { seed: identitySeed(10), width: 640, height: 480, noiseSeed: 7 };
const portrait = async (distance = 1) =>
  Buffer.from(await encodeJpeg(renderHead({ ...guest, distance }))).toString('base64');
const slow = { timeout: 120_000 };

/** Runs in a door's page: results stay until “Next” is pressed, and a held attempt does. */
function keepResults(): void {
  const { setTimeout: later } = globalThis;
  const isKept = () => 'isHeld' in globalThis || document.querySelector('[data-outcome]') !== null;
  const wait = (work: () => void, ms = 0): unknown =>
    later(() => void (ms > 2_000 && isKept() ? wait(work, ms) : work()), ms);
  Object.assign(globalThis, { setTimeout: wait });
}

/** Runs in a door's page: an attempt stands still once it asks for this. */
function holdAttempt(prompt: string): void {
  new MutationObserver(() => {
    if (document.querySelector(`[data-prompt="${prompt}"]`) === null) return;
    const nowMs = performance.now();
    performance.now = () => nowMs;
    Worker.prototype.postMessage = () => Object.assign(globalThis, { isHeld: true });
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

/** Runs in a door's page: every head turn is to the left. */
function turnLeft(): void {
  const draw = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (bytes) => (bytes?.byteLength === 1 ? bytes : draw(bytes));
}

/** What the parts take of the page, with a margin. */
async function areaOf(parts: readonly Locator[]) {
  const boxes = await Promise.all(parts.map((part) => part.evaluate((one) => one.getBoundingClientRect().toJSON())));
  const most = (edge: 'right' | 'bottom') => Math.max(...boxes.map((box) => box[edge])) + MARGIN;
  const least = (edge: 'left' | 'top') => Math.min(...boxes.map((box) => box[edge])) - MARGIN;
  const [x, y] = [least('left'), least('top')];
  return { x, y, width: most('right') - x, height: most('bottom') - y };
}

async function tell(browser: Browser, locale: string): Promise<void> {
  let nowMs = OPEN_MS - 14 * DAY_MS;
  const clock = { now: () => nowMs, moveTo() {} };
  const { api, origin, ...service } = await startDashboardService({ inference: 'models', clock });
  const { client, customer, invite } = await service.account();
  async function open(width: number, height: number) {
    const context = await browser.newContext({ viewport: { width, height }, locale });
    await context.clock.setFixedTime(nowMs);
    return context;
  }
  const nameOf = (name: string, scheme: string) => join(folder, `${name}-${scheme}-${locale.slice(0, 2)}.webp`);
  async function shoot(page: Page, colorScheme: 'light' | 'dark', parts: readonly Locator[] = []) {
    await page.emulateMedia({ colorScheme });
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.fonts.ready.then(() => new Promise(requestAnimationFrame)));
    const clip = parts.length > 0 && { clip: await areaOf(parts) };
    return page.screenshot({ animations: 'disabled', ...clip });
  }
  /** Light and dark, of the whole window or of these parts. */
  async function take(page: Page, name: string, ...parts: readonly Locator[]) {
    for (const colorScheme of schemes) {
      const picture = sharp(await shoot(page, colorScheme, parts)).removeAlpha();
      const plain = await picture.clone().webp({ lossless: true, effort: 6 }).toBuffer();
      const webp = plain.length > MOST_BYTES ? picture.webp({ quality: 84, effort: 6 }).toBuffer() : plain;
      await writeFile(nameOf(name, colorScheme), await webp);
    }
  }
  const shots = { light: [] as Buffer[], dark: [] as Buffer[] };
  /** The next picture of the film of a visit. */
  async function film(page: Page) {
    for (const colorScheme of schemes) shots[colorScheme].push(await shoot(page, colorScheme));
  }

  const owner = await open(1280, 1600);
  const tab = await DashboardPage.in(owner, origin);
  const { page } = tab;
  const panel = page.locator('main .svcd-panel');
  const press = (name: RegExp) => page.getByRole('button', { name }).first().click();
  const save = page.locator('main form button[type="submit"]');
  async function openAt(ms: number, path: string) {
    nowMs = OPEN_MS + ms;
    await owner.clock.setFixedTime(nowMs);
    await signInTo(owner, origin, await invite('owner'));
    await tab.open(path);
  }
  await page.goto(await invite('owner'));
  await page.locator('main button').click();
  await page.locator('main button').nth(1).waitFor();
  await take(page, 'passkey', panel);
  await tab.open('/events/new');
  await page.getByRole('textbox').first().fill('Harbour Lights Festival');
  for (const [i, time] of ['2027-05-22T18:00', '2027-05-23T00:00'].entries())
    await page.locator('input[type="datetime-local"]').nth(i).fill(time);
  await save.click();
  await page.getByRole('radio').first().waitFor();
  await page.getByRole('textbox').first().fill('Festival');
  await take(page, 'event', page.locator('h1'), page.locator('.svcd-tabs'), panel.locator('.svcd-notice'));
  await save.click();
  await page.locator('input[type="url"]').waitFor();
  const { eventId = '', listId } = (await client.listEvents()).items[0] ?? {};
  await client.updateList(listId ?? '', { reEntry: 'warn', arrivals: 'counts' });
  const privacyNoticeUrl = 'https://riverside-hall.example/privacy';
  await client.setWidgetSettings(eventId, { organiserName: 'Riverside Hall', privacyNoticeUrl });
  await tab.open(`/events/${eventId}/guests`);
  await press(/^(Invite guests|Gäste einladen)$/);
  const rows = ['Ticket;E-Mail', ...tickets.map((ticket, i) => `${ticket};guest-${i + 1}@example.org`)];
  await page.locator('textarea').fill(rows.join('\n'));
  await press(/^(Continue|Weiter)$/);
  await take(page, 'invite', panel.nth(0), panel.nth(1).locator('label').first());
  const { items } = await client.createEnrolmentTokenBatch(eventId, { ticketIds: tickets, validForHours: 336 });
  const imageBase64 = await portrait();
  for (const [i, { url }] of items.slice(1).entries()) {
    nowMs += HOUR_MS;
    const link = createGuestPage(api, new URL(url).hash.slice(1));
    if (i === 0) await link.decline();
    else if (i === 1) await link.open();
    else if (i > 2) await link.enrol({ body: { imageBase64 } });
  }
  const phone = await open(390, 640);
  await phone.addInitScript(installPageCamera, {});
  const mobile = await phone.newPage();
  const show = async (distance: number) => callGlobal(mobile, 'camera', 'show', [still(await portrait(distance))]);
  await mobile.goto(items[0]?.url ?? '');
  await mobile.locator('#app:not([data-fresh]) .choices').waitFor();
  await take(mobile, 'consent');
  for (const name of ['explicitBiometricConsent', 'writtenRelease']) await mobile.locator(`[name="${name}"]`).check();
  await show(2.3);
  await mobile.locator('.choices > button').first().click();
  await mobile.locator('.stage > .hint', { hasText: /closer|näher/ }).waitFor(slow);
  await callGlobal(mobile, 'camera', 'freeze', []);
  await mobile.waitForTimeout(1_500);
  await take(mobile, 'photo');
  await show(1.25);
  await mobile.locator('.review-good').waitFor(slow);
  await mobile.locator('main button').first().click();
  await screenOf(mobile, 'done').waitFor(slow);
  await take(mobile, 'done');
  await openAt(-2 * DAY_MS, `/events/${eventId}/guests`);
  await take(page, 'guests', panel.nth(1).locator('header'), page.locator('[data-index="3"]').last());
  await openAt(-HOUR_MS, `/events/${eventId}/doors`);
  let token = '';
  await page.route('**/v1/lists/*/devices', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const added = (await (await route.fetch()).json()) as AddedDevice;
    token = added.token;
    return route.fulfill({ status: 201, json: { ...added, pairingUrl: 'https://checkin.example/kiosk/#svcd_shown' } });
  });
  await press(/^(Add a door|Tür hinzufügen)$/);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Foyer');
  await dialog.getByRole('textbox').press('Enter');
  await dialog.getByRole('img').waitFor();
  await take(page, 'pairing', dialog.locator('h2'), dialog.locator('.svcd-notice'));
  const context = await open(800, 700);
  await context.addInitScript(keepResults);
  await context.addInitScript(turnLeft);
  const door = await KioskPage.open(context, origin, { link: `${origin}/kiosk/#${token}` });
  const screen = door.page;
  const first = screen.locator('main .svc-actions button').first();
  await door.screen('offer');
  await first.click();
  await screen.locator('[data-screen="stopped"], [data-screen="confirm"]').waitFor(slow);
  if ((await screen.locator('[data-screen="stopped"]').count()) > 0) await first.click();
  const fact = screen.locator('.svc-facts > *');
  await fact.first().waitFor(slow);
  await take(screen, 'confirm', screen.locator('h1'), fact.nth(2), screen.locator('.svc-actions'));
  await first.click();
  const pad = screen.locator('dialog');
  for (const time of ['first', 'second']) {
    await pad.locator('input').fill(PIN);
    if (time === 'first') await take(screen, 'pin', ...['h2', 'p', 'form'].map((part) => pad.locator(part).first()));
    await pad.locator('input').press('Enter');
  }
  await screen.locator('.svc-notice[data-tone="good"]').waitFor(slow);
  await take(screen, 'ready', screen.locator('h1'), fact.nth(0), fact.nth(2));
  await screen.setViewportSize({ width: 800, height: 500 });
  await first.click();
  await door.screen('scan');
  const films = new Films();
  await film(screen);
  async function holdAt(prompt: string) {
    await door.show(await films.of(guest));
    await callGlobal(screen, 'camera', 'freeze', []);
    await screen.evaluate(slowClock, 100);
    await screen.evaluate(holdAttempt, prompt);
    await door.scan(tickets[0] ?? '');
    await screen.locator(`[data-prompt="${prompt}"]`).waitFor(slow);
    await screen.waitForTimeout(1_500);
    await film(screen);
  }
  await holdAt('look-at-camera');
  await take(screen, 'look');
  await screen.reload();
  await door.screen('scan');
  await holdAt('turn-head');
  const turned = encodeJpeg(renderHead({ ...guest, yawDeg: 32, distance: 1.6 }));
  await door.show(still(Buffer.from(await turned).toString('base64')));
  await screen.waitForTimeout(500);
  await film(screen);
  nowMs = OPEN_MS + HOUR_MS;
  await context.clock.setFixedTime(nowMs);
  await screen.reload();
  for (const [what, scannedId = '', visitor = guest] of [
    ['welcome', tickets[0]],
    ['again', tickets[0]],
    ['standard', 'N0T0NL15T'],
    ['wait', tickets[4], { ...guest, kind: 'nobody' }],
  ] as const) {
    await door.visit(films, { what, scannedId, visitor, mustBe: [] });
    await take(screen, what);
    if (what === 'welcome') await film(screen);
    await first.click();
  }
  for (const colorScheme of schemes) {
    const joined = sharp(shots[colorScheme], { join: { animated: true } }).removeAlpha();
    await joined.webp({ quality: 84, effort: 6, delay: FILM_MS, loop: 0 }).toFile(nameOf('visit', colorScheme));
  }
  const north = await addTestDevice(customer, listId ?? '', { name: 'Studio' });
  const key = await arrivalsKeyOf(api, north);
  const buckets = [5, 7, 5].map((admitted, i) => {
    const startsAt = new Date(OPEN_MS + 3 * i * ARRIVALS_BUCKET_MS).toISOString();
    return { startsAt, admitted, toStaff: 0, notEnrolled: 0 };
  });
  await fetch(`${api.url}/v1/device/arrivals`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${north.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(signedArrivals(key, { listId: listId ?? '', sequence: 1, buckets })),
  });
  await openAt(HOUR_MS, `/events/${eventId}`);
  const arrivals = panel.filter({ has: page.locator('figure') });
  // What stands above it comes by several answers.
  await page.waitForTimeout(3_000);
  await take(page, 'arrivals', arrivals.locator('header'), arrivals.locator('figure'));
  await service.close();
}

for (const locale of ['en-GB', 'de-DE'])
  test(`the pictures of the manual: ${locale}`, ({ browser }) => tell(browser, locale));
