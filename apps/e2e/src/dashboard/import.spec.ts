import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { createFakeInference } from '@svc/api/testing';
import { chromiumArguments, chromiumPath } from '@svc/benchmarks/inputs/browser';
import sharp from 'sharp';
import { expect, test } from '../support/browser-test.ts';
import { noisePhoto } from '../widget/guest.ts';
import { DashboardPage } from './dashboard-page.ts';
import { type DashboardService, type Organiser, signInTo, startDashboardService } from './service.ts';

const PEOPLE = Number(process.env.SVC_TEST_IMPORT_PHOTOS ?? 14);
const LONG_MS = 120_000 + 2_000 * PEOPLE;
/** Nobody is in their photos. */
const FACELESS = new Set([2, PEOPLE - 1]);
/** Requests that the service answers before the browser is killed: one of them has nobody in the photo. */
const ANSWERED = 4;
/** From the day on which the wording was published, which is no later than the service's clock. */
const GIVEN_AT = '2026-11-21';

const idOf = (person: number) => `member-${person}`;

/** The service's pool without an engine: it finds a face where a picture has details. */
function createInference() {
  const fake = createFakeInference();
  const { admit } = fake;
  fake.admit = (...args) => {
    const admission = admit(...args);
    return (
      admission && {
        ...admission,
        seal: (task) =>
          admission.seal({ ...task, photo: Buffer.from(task.photo.length < 20_000 ? 'no-face' : 'a face') }),
      }
    );
  };
  return fake;
}

/** A folder as an organiser has it. */
async function writeFolder(folder: string): Promise<void> {
  await mkdir(folder);
  const faceless = await sharp({ create: { width: 480, height: 360, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer();
  const rows = ['personId,consentVersion,givenAt,explicitBiometricConsent,writtenRelease'];
  for (let person = 0; person < PEOPLE; person += 1) {
    const photo = FACELESS.has(person) ? faceless : (await noisePhoto()).buffer;
    await writeFile(join(folder, `${idOf(person)}.jpg`), photo);
    rows.push(`${idOf(person)},eu-v2,${GIVEN_AT},yes,yes`);
  }
  await writeFile(join(folder, 'stranger.jpg'), faceless);
  await writeFile(join(folder, 'consents.csv'), rows.join('\n'));
}

test.describe('the import of a folder', () => {
  let service: DashboardService;
  let account: Organiser;
  let place: string;
  let listId: string;
  let context: BrowserContext | null = null;
  let cookies: Awaited<ReturnType<BrowserContext['cookies']>> = [];

  test.beforeAll(async () => {
    service = await startDashboardService({ inference: createInference, begin: 'now' });
    account = await service.account();
    ({ listId } = await account.client.createList({ name: 'Members', ongoing: true }));
    place = await mkdtemp(join(tmpdir(), 'svc-import-'));
    await writeFolder(join(place, 'members'));
  });
  test.afterAll(async () => {
    await context?.close();
    await service?.close();
    await rm(place, { recursive: true, force: true });
  });

  /** The page of the import in a browser with the one profile, signed in. */
  async function open(): Promise<Page> {
    const options = { executablePath: chromiumPath ?? '', args: [...chromiumArguments] };
    context = await chromium.launchPersistentContext(join(place, 'profile'), options);
    // The same session after a restart: the import of another one would be forgotten.
    if (cookies.length === 0) await signInTo(context, service.origin, await account.invite('manager'));
    else await context.addCookies(cookies);
    cookies = await context.cookies();
    // A test cannot answer the system's own dialog.
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'showDirectoryPicker'));
    const shown = await DashboardPage.in(context, service.origin);
    await shown.open(`/lists/${listId}/import`);
    return shown.page;
  }

  async function choose(page: Page, button: string, ...paths: string[]): Promise<void> {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await (await chooser).setFiles(paths);
  }

  const settledIn = (page: Page) =>
    page
      .getByRole('progressbar', { name: /^[\d,]+ of [\d,]+$/ })
      .evaluate((bar: HTMLProgressElement) => 100 * bar.value);

  const enrolled = async (): Promise<readonly string[]> => {
    const names: string[] = [];
    for await (const record of account.client.listConsents({ listId })) {
      expect(record.kind).toBe('given');
      names.push(record.personId ?? '');
    }
    return names.sort();
  };

  test('goes on where it was killed, and enrols nobody twice', async () => {
    let page = await open();
    await choose(page, 'Choose a folder', join(place, 'members'));
    await page.getByText('One photo has no consent').waitFor();
    // The first are enrolled. The service carries the next one out, and its answer is lost with the browser; later ones
    // are on their way for ever, so that the browser is killed in the middle however late that is.
    let sent = 0;
    await page.route('**/people', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      sent += 1;
      if (sent <= ANSWERED) return route.fallback();
      if (sent === ANSWERED + 1) await route.fetch().catch(() => undefined);
    });
    await page.getByRole('button', { name: `Import ${PEOPLE.toLocaleString('en')} people` }).click();
    await expect.poll(() => settledIn(page), { timeout: LONG_MS }).toBeGreaterThanOrEqual((ANSWERED / PEOPLE) * 100);
    // Without the one who was refused, with the one whose answer is lost.
    await expect.poll(enrolled, { timeout: LONG_MS }).toHaveLength(ANSWERED - 1 + 1);
    // The whole browser ends at once.
    const session = await context?.newCDPSession(page);
    await Promise.all([context?.waitForEvent('close'), session?.send('Browser.crash').catch(() => undefined)]);

    page = await open();
    await page.getByRole('heading', { name: 'An import was interrupted' }).waitFor();
    // The service carries these out, and their answers are lost.
    let lost = 0;
    await page.route('**/people', async (route) => {
      if (route.request().method() !== 'POST' || lost >= 2) return route.fallback();
      lost += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await choose(page, 'Choose a folder', join(place, 'members'));
    await page.getByRole('button', { name: /^Continue with/ }).click();
    await page.getByRole('heading', { name: 'The import is finished' }).waitFor({ timeout: LONG_MS });
    expect(lost).toBe(2);

    const all = Array.from({ length: PEOPLE }, (_, person) => person);
    const good = all.filter((person) => !FACELESS.has(person)).map(idOf);
    expect(await enrolled()).toEqual(good.toSorted());
    expect(await account.client.getPeopleSummary(listId)).toMatchObject({ people: good.length });

    const refused = page.getByRole('table', { name: 'People who were refused' });
    await expect.poll(() => refused.getByText('No face was found').count()).toBe(FACELESS.size);
    const thumb = refused.getByRole('img').first();
    await expect.poll(() => thumb.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(480);
    await choose(page, `Another photo of ${idOf(2)}`, join(place, 'members', `${idOf(0)}.jpg`));
    await expect.poll(enrolled, { timeout: 60_000 }).toEqual([...good, idOf(2)].toSorted());
    await expect.poll(() => refused.getByText('No face was found').count()).toBe(FACELESS.size - 1);

    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Import a folder of members' }).waitFor();
    const kept = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const opened = indexedDB.open('svcd-imports');
          opened.onerror = () => reject(opened.error);
          opened.onsuccess = () => {
            const stores = opened.result.transaction(['imports', 'rows']);
            const counts = ['imports', 'rows'].map((name) => stores.objectStore(name).count());
            stores.oncomplete = () => resolve(counts.map(({ result }) => result));
          };
        }),
    );
    expect(kept).toEqual([0, 0]);
  });
});
