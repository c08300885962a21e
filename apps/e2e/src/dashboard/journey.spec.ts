import { buffer as buffersOf } from 'node:stream/consumers';
import { expect, test } from '../support/browser-test.ts';
import { readQrCode } from '../support/codes.ts';
import { complaintsOf } from '../support/complaints.ts';
import { installPageCamera, still } from '../support/page-camera.ts';
import { syncDeviceOf } from '../support/service.ts';
import { agree, callGlobal, phone, screenOf, sendPhoto } from '../widget/guest.ts';
import { sceneJpeg } from '../widget/scenes.ts';
import { markup, startOrganiserSite } from '../widget/stage.ts';

const GUESTS = 500;
const ticketOf = (guest: number) => `T-${String(guest).padStart(4, '0')}-8F3K2M9QXW4Z`;
const TICKET = ticketOf(7);
/** Loads models on a slow machine. */
const slow = { timeout: 120_000 };

// An organiser's way from an empty account to a door that knows a guest, and the guest's way out again: dashboard, widget
// and API at host names of their own, and the widget in a page of a further origin.
test('an organiser without a terminal', async ({ browser, dashboard: { api }, signedIn }) => {
  const dashboard = await signedIn('owner', { viewport: { width: 1280, height: 900 } });
  const { page } = dashboard;
  let guestLink = '';

  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const funnel = async (bar: string) => {
    const text = await page.locator('.svcd-bars').getByText(bar).locator('xpath=..').textContent();
    return Number(/\d[\d,]*/.exec(text ?? '')?.[0].replace(',', ''));
  };
  const fill = (label: string | RegExp, text: string) => page.getByRole('textbox', { name: label }).fill(text);

  await test.step('makes an event in one flow', async () => {
    await dashboard.open('/');
    await page.getByRole('link', { name: 'Create your first event' }).click();
    await fill('Name', 'Harbour Lights');
    await dashboard.press('Save and continue');
    await page.getByRole('heading', { name: 'How long faces are kept' }).waitFor();
    await dashboard.press('Save and continue');
    await fill('Link to your privacy notice', 'https://harbour.example/privacy');
    await dashboard.press('Save and continue');
    await dashboard.press('Skip this step');
    await dashboard.press('Continue');
    await dashboard.press('Invite guests');
    await heading('Harbour Lights');
  });

  await test.step('makes a link for each of 500 guests of a file', async () => {
    await dashboard.press('Invite guests');
    const rows = Array.from({ length: GUESTS }, (_, guest) => `${ticketOf(guest)};Guest ${guest}`);
    const buffer = Buffer.from(`Ticket;Name\r\n${rows.join('\r\n')}\r\n`);
    const choose = (content: Buffer) =>
      page.locator('input[type="file"]').setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer: content });
    await choose(Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n'));
    await page.getByRole('alert').getByText('This is a PDF').waitFor();
    await choose(buffer);
    await dashboard.press(`Create ${GUESTS} links`);
    await expect(page.getByRole('heading', { name: `${GUESTS} links created` })).toBeFocused();
    const [download] = await Promise.all([page.waitForEvent('download'), dashboard.press('Download CSV')]);
    const table = (await buffersOf(await download.createReadStream())).toString('utf8');
    const links = table.match(/http:\/\/[\w.]+:\d+\/widget\/?#svce_\w+/g) ?? [];
    expect(new Set(links).size).toBe(GUESTS);
    const row = table.split(/\r?\n/).find((line) => line.includes(TICKET));
    guestLink = links.find((link) => row?.includes(link)) ?? '';
    expect(row).toContain('Guest 7');
    await page.getByText('From invitation to enrolment').waitFor();
    await expect.poll(() => funnel('All guests')).toBe(GUESTS);
    // As the file has them, with its names.
    expect(await page.locator('[data-index="0"]').last().textContent()).toMatch(/T-0000-.*Guest 0/);
    await page.goto(page.url().replace(/guests$/, 'people'));
    await page.waitForURL(/\/guests$/);
  });

  await test.step('sees a guest, who is guided to a photo, enrol in the page of the tickets', async () => {
    const organiser = await startOrganiserSite();
    const mobile = await browser.newContext(phone);
    await mobile.addInitScript(installPageCamera, {});
    const guest = await mobile.newPage();
    const fetched: string[] = [];
    guest.on('request', (request) => fetched.push(request.url()));
    const { origin, hash } = new URL(guestLink);
    const complaints = complaintsOf(guest, organiser.url, origin);
    await guest.goto(organiser.put('/ticket', { body: markup(`${origin}/widget/`, hash.slice(1)) }));
    const frame = guest.frameLocator('iframe');
    await screenOf(frame, 'consent').waitFor();
    const [, inner = guest] = guest.frames();
    const show = async (scene: Parameters<typeof sceneJpeg>[0]) =>
      callGlobal(inner, 'camera', 'show', [still(await sceneJpeg(scene))]);
    await show('nobody');
    await agree(frame);
    await frame.locator('.stage > .hint', { hasText: 'Move your face into the oval' }).waitFor(slow);
    await show('good');
    await screenOf(frame, 'check').waitFor(slow);
    await frame.locator('.review-good').waitFor(slow);
    const models = fetched.flatMap((path) => /([\w-]+)-[0-9a-f]{12}\.network(\.\d+)?$/.exec(path)?.[1] ?? []);
    expect([...new Set(models)].sort()).toEqual(['face-detection-short', 'face-mesh']);
    await sendPhoto(frame);
    await screenOf(frame, 'done').waitFor(slow);
    expect(complaints).toEqual([]);
    await mobile.close();
    await organiser.close();
    // Told by the service: nothing is pressed.
    await expect.poll(() => funnel('Enrolled')).toBe(1);
    expect(await funnel('Opened the page')).toBe(1);
    expect(await funnel('All guests')).toBe(GUESTS);
  });

  await test.step('pairs a door by the code on the screen', async () => {
    await page.getByRole('link', { name: 'Doors' }).click();
    await dashboard.press('Add a door');
    await fill('Name', 'Main entrance');
    await dashboard.press('Show the code');
    const code = await page.getByRole('img', { name: 'Pairing code of Main entrance' }).screenshot();
    const url = await readQrCode(code);
    expect(url).toMatch(/\/\/localhost:\d+\/kiosk\/#svcd_/);
    // A kiosk pairs by such a link in src/engines.
    await syncDeviceOf(api, new URL(url).hash.slice(1)).sync();
    await page.getByText('“Main entrance” is ready').waitFor();
    await dashboard.press('Close');
    const door = page.getByRole('row', { name: /Main entrance/ });
    await door.getByText('Up to date').waitFor();
    expect(await door.textContent()).toMatch(/People\W*1|\b1\b/);
  });

  await test.step('erases a guest who withdraws, and the ledger says so', async () => {
    await page.getByRole('link', { name: 'Guests' }).click();
    await page.getByRole('searchbox', { name: 'Ticket contains' }).fill(TICKET.toLowerCase().slice(2));
    await expect(page.locator('[data-index]')).toHaveCount(1);
    await page.getByRole('button', { name: `Actions for ${TICKET}` }).click();
    await page.getByRole('menuitem', { name: 'Erase…' }).click();
    await page.getByRole('radio', { name: 'The person withdrew their consent' }).check();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog', { name: `${TICKET} was erased` }).waitFor();
    await page.getByText('The withdrawal is record 2 of the list’s ledger').waitFor();
    await dashboard.press('Close');
    await page.getByRole('radio', { name: 'Erased 1' }).waitFor();
    expect([await funnel('All guests'), await funnel('Enrolled')]).toEqual([GUESTS, 0]);
  });
  expect(dashboard.complaints).toEqual([]);
});
