import { buffer as buffersOf } from 'node:stream/consumers';
import { expectResult, KioskPage } from '../kiosk/kiosk-page.ts';
import { expect, test } from '../support/browser-test.ts';
import { readQrCode } from '../support/codes.ts';
import { Films, installPageCamera, still } from '../support/page-camera.ts';
import type { Scenario } from '../support/scenarios.ts';
import { agree, callGlobal, phone, screenOf, sendPhoto } from '../widget/guest.ts';
import { guestSeed, sceneJpeg } from '../widget/scenes.ts';
import { addPasskeyProvider, DashboardPage } from './dashboard-page.ts';
import { startDashboardService } from './service.ts';

const GUESTS = 500;
const ticketOf = (guest: number) => `T-${String(guest).padStart(4, '0')}-8F3K2M9QXW4Z`;
const TICKET = ticketOf(7);
/** Loads models on a slow machine. */
const slow = { timeout: 120_000 };

// An organiser's way from an invitation to a door that lets people in, and a guest's way out again.
test('an organiser without a terminal', async ({ browser }) => {
  test.setTimeout(600_000);
  const service = await startDashboardService({ inference: 'models', begin: 'now' });
  const invitation = await (await service.account()).invite('owner');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const dashboard = await DashboardPage.in(context, service.origin);
  const door = await browser.newContext();
  const kiosk = await KioskPage.open(door, service.origin);
  const films = new Films();
  const guest: Scenario = { what: 'the guest', scannedId: TICKET, visitor: { seed: guestSeed }, mustBe: ['Match'] };
  let guestLink = '';

  const heading = (name: string | RegExp) => dashboard.page.getByRole('heading', { level: 1, name }).waitFor();
  const funnel = async (bar: string) => {
    const text = await dashboard.page.locator('.svcd-bars').getByText(bar).locator('xpath=..').textContent();
    return Number(/\d[\d,]*/.exec(text ?? '')?.[0].replace(',', ''));
  };
  const fill = (label: string | RegExp, text: string) =>
    dashboard.page.getByRole('textbox', { name: label }).fill(text);

  await test.step('signs in by the invitation, with a new passkey', async () => {
    await addPasskeyProvider(dashboard.page);
    await dashboard.page.goto(invitation);
    await dashboard.press('Continue');
    await dashboard.press('Create passkey');
    await heading('Events');
  });

  await test.step('makes an event in one flow', async () => {
    await dashboard.page.getByRole('link', { name: 'Create your first event' }).click();
    await fill('Name', 'Harbour Lights');
    await dashboard.press('Save and go on');
    await dashboard.page.getByRole('heading', { name: 'How long faces are kept' }).waitFor();
    await dashboard.press('Save and go on');
    await fill('Link to your privacy notice', 'https://harbour.example/privacy');
    await dashboard.press('Save and go on');
    await dashboard.press('Go on without');
    await dashboard.press('Go on');
    await dashboard.press('Invite guests');
    await heading('Harbour Lights');
  });

  await test.step('makes a link for each of 500 guests of a file', async () => {
    const { page } = dashboard;
    await dashboard.press('Invite guests');
    const rows = Array.from({ length: GUESTS }, (_, guest) => `${ticketOf(guest)};Guest ${guest}`);
    const buffer = Buffer.from(`Ticket;Name\r\n${rows.join('\r\n')}\r\n`);
    await page.locator('input[type="file"]').setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer });
    await dashboard.press(`Make ${GUESTS} links`);
    await page.getByText(`${GUESTS} links made`).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), dashboard.press('Download CSV')]);
    const table = (await buffersOf(await download.createReadStream())).toString('utf8');
    const links = table.match(/http:\/\/localhost:\d+\/widget\/?#svce_\w+/g) ?? [];
    expect(new Set(links).size).toBe(GUESTS);
    const row = table.split(/\r?\n/).find((line) => line.includes(TICKET));
    guestLink = links.find((link) => row?.includes(link)) ?? '';
    expect(row).toContain('Guest 7');
    await page.getByText('From invitation to enrolment').waitFor();
  });

  await test.step('sees a guest, who is guided to a photo, enrol by the link', async () => {
    const mobile = await browser.newContext(phone);
    await mobile.addInitScript(installPageCamera, {});
    const page = await mobile.newPage();
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    await page.goto(guestLink);
    await screenOf(page, 'consent').waitFor();
    const show = async (scene: Parameters<typeof sceneJpeg>[0]) =>
      callGlobal(page, 'camera', 'show', [still(await sceneJpeg(scene))]);
    await show('nobody');
    await agree(page);
    const hint = (text: string) => page.locator('.stage > .hint', { hasText: text }).waitFor(slow);
    await hint('Bring your face into the oval');
    await show('two people');
    await hint('Only you, please');
    await show('good');
    await screenOf(page, 'check').waitFor(slow);
    await page.locator('.review-good').waitFor(slow);
    const models = fetched.flatMap((path) => /([\w-]+)-[0-9a-f]{12}\.tflite$/.exec(path)?.[1] ?? []);
    expect([...new Set(models)].sort()).toEqual(['face-detection-short', 'face-mesh']);
    await sendPhoto(page);
    await screenOf(page, 'done').waitFor(slow);
    await mobile.close();
    // Told by the service: nothing is pressed.
    await expect.poll(() => funnel('Enrolled')).toBe(1);
    expect(await funnel('Opened the page')).toBe(1);
    expect(await funnel('Invited')).toBe(GUESTS);
  });

  await test.step('pairs a kiosk by the code on the screen', async () => {
    await dashboard.page.getByRole('link', { name: 'Doors' }).click();
    await dashboard.press('Add a door');
    await fill('Name', 'Main entrance');
    await dashboard.press('Show the code');
    const code = dashboard.page.getByRole('img', { name: 'Pairing code of Main entrance' });
    const picture = await code.screenshot();
    expect(await readQrCode(picture)).toMatch(new RegExp(`^${service.origin}/kiosk/#svcd_`));
    await kiosk.screen('pair');
    await kiosk.press('Scan a QR code');
    await kiosk.hold(picture.toString('base64'));
    await kiosk.isReady();
    await kiosk.hold(null);
    await dashboard.page.getByText('«Main entrance» is ready').waitFor();
  });

  await test.step('sees the guest let in at the door', async () => {
    await kiosk.press('Start check-in');
    const shown = await kiosk.visit(films, guest);
    expectResult(shown, guest);
    await kiosk.screen('scan');
    await dashboard.press('Close');
    const door = dashboard.page.getByRole('row', { name: /Main entrance/ });
    await door.getByText('Up to date').waitFor();
    expect(await door.textContent()).toMatch(/People\W*1|\b1\b/);
  });

  await test.step('erases a guest who withdraws, and the ledger says so', async () => {
    const { page } = dashboard;
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: `Actions for ${TICKET}` }).click();
    await page.getByRole('menuitem', { name: 'Erase…' }).click();
    await page.getByRole('radio', { name: 'The person withdrew their consent' }).check();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog', { name: `${TICKET} was erased` }).waitFor();
    await page.getByText('The withdrawal is record 2 of the list’s ledger').waitFor();
    await dashboard.press('Close');
    await page.getByText('Nobody is enrolled yet').waitFor();
  });

  await test.step('finds the guest gone from the door after its next sync', async () => {
    // A page that starts syncs.
    await kiosk.page.reload();
    await kiosk.screen('scan');
    await expect.poll(async () => (await kiosk.visit(films, guest)).outcome).toBe('NotEnrolled');
    expect([...dashboard.complaints, ...kiosk.complaints]).toEqual([]);
  });
  for (const each of [context, door]) await each.close();
  await service.close();
});
