/** The journeys of guest, door and organiser in every browser engine: see docs/build/browsers.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import { createStage, createToken } from '@svc/api/testing';
import { guests } from '../support/guests.ts';
import { Films, still } from '../support/page-camera.ts';
import { DECLINE } from '../widget/guest.ts';
import { guestSeed, sceneJpeg } from '../widget/scenes.ts';
import { agree, framesOf, openGuest, pair, scan, showFilm, signIn } from './journeys.ts';
import { engines, type Stage, startStage } from './stage.ts';
import { type Engine, until } from './tab.ts';

const test = base.extend<object, { stage: Stage }>({
  stage: [
    async ({ browserName: _ }, use) => {
      const stage = await startStage();
      await use(stage);
      await stage.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const films = new Films();
const TICKET = 'ticket-of-the-guest';

/** Seconds, and what else is told, by step and engine. */
const taken = new Map<string, Map<string, number>>();
function note(engine: Engine, what: string, figure: number): void {
  const figures = taken.get(what) ?? new Map<string, number>();
  if (Number.isFinite(figure)) taken.set(what, figures.set(engine.name, figure));
}

/** With a picture of the end of each step, where the size of the windows was chosen; git ignores the folder. */
const pictures = process.env.SVC_TEST_WINDOW && join(import.meta.dirname, '../../screenshots/engines');

/** A step of a journey, and how long it took. */
async function step<T>(engine: Engine, what: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const done = await test.step(what, work);
  note(engine, what, (performance.now() - startMs) / 1_000);
  if (pictures && engine.open) {
    await mkdir(pictures, { recursive: true });
    const file = `${engine.name}-${process.env.SVC_TEST_WINDOW} ${what}.png`;
    await writeFile(join(pictures, file), await engine.open.picture());
  }
  return done;
}

for (const { name, start } of engines) {
  if (start === null) console.log(`tests of pages in ${name}: skipped: it is not installed`);
  test.describe(name, () => {
    test.skip(start === null, 'not installed');
    let engine: Engine;
    test.beforeAll(async () => {
      if (start !== null) engine = await start();
    });
    test.afterAll(() => engine?.close());
    // Chromium has its own tests of the same, in every run.
    const details = name === 'Chromium' ? { tag: '@long' } : {};
    test('a guest enrols, the door takes their ticket, and the organiser sees them', details, async ({ stage }) => {
      const organiser = await stage.account();
      const { customer } = organiser;
      const { eventId, listId } = await createStage(customer, { ...stage.clock, advance: () => undefined });
      const { token } = await createToken(customer, eventId, { ticketId: TICKET });

      const link = `${stage.origin}/widget/#${token}`;
      const guest = await step(engine, 'guest: opens the link', () => openGuest(engine, link));
      await guest.evaluate(showFilm, still(await sceneJpeg('good')));
      await step(engine, 'guest: agrees, is guided to a photo', async () => {
        await agree(guest);
        await guest.shows('[data-screen="check"]');
      });
      note(engine, 'guest: frames a second while guided', (await framesOf(guest))[0]);
      await step(engine, 'guest: sends the photo, is enrolled', async () => {
        await guest.press('Send photo');
        await guest.shows('[data-screen="done"]');
      });

      const pairing = 'door: pairs, fetches the list, sets a PIN';
      const { tab: door } = await step(engine, pairing, () => pair(engine, stage, { customer, listId }));
      await door.evaluate(showFilm, await films.of({ seed: guestSeed }));
      await framesOf(door);
      await step(engine, 'door: takes the ticket, lets the guest in', () => scan(door, TICKET, 'Match'));
      const [perSecond, seconds] = await framesOf(door);
      note(engine, 'door: of these from the first frame to the last', seconds);
      note(engine, 'door: frames a second of the attempt', perSecond);

      const dashboard = await step(engine, 'organiser: signs in', () => signIn(engine, stage, organiser));
      await step(engine, 'organiser: opens the list’s people', async () => {
        await dashboard.open(`${stage.origin}/dashboard/lists/${listId}/people`);
        await dashboard.says(TICKET);
      });
      await step(engine, 'organiser: signs out', async () => {
        await dashboard.press('Sign out');
        await dashboard.says('Sign in');
      });
    });

    test('what else each of them meets', { tag: '@long' }, async ({ stage }, info) => {
      test.setTimeout(600_000);
      const organiser = await stage.account();
      const { customer } = organiser;
      const { eventId, listId } = await createStage(customer, { ...stage.clock, advance: () => undefined });
      const photo = info.outputPath('photo.jpg');
      await writeFile(photo, Buffer.from(await sceneJpeg('good'), 'base64'));
      const table = info.outputPath('guests.csv');
      await writeFile(table, 'Ticket;Name\r\nT-0001-8F3K2M9QXW4Z;Guest 1\r\nT-0002-8F3K2M9QXW4Z;Guest 2\r\n');
      const open = async (ticketId: string) => {
        const { token } = await createToken(customer, eventId, { ticketId });
        return openGuest(engine, `${stage.origin}/widget/#${token}`);
      };
      await step(engine, 'guest: declines', async () => {
        const guest = await open('ticket-of-another');
        await guest.press(DECLINE);
        await guest.shows('[data-screen="declined"]');
      });
      await step(engine, 'guest: chooses a file instead, is enrolled', async () => {
        const guest = await open(TICKET);
        await agree(guest);
        await guest.choose('input[type="file"]', photo);
        await guest.shows('[data-screen="check"]');
        await guest.press('Send');
        await guest.shows('[data-screen="done"]');
      });

      const { tab: door, revoke } = await pair(engine, stage, { customer, listId });
      await step(engine, 'door: refuses a ticket that nobody enrolled', async () => {
        await scan(door, 'ticket-of-nobody', 'NotEnrolled');
      });
      await door.open(`${stage.origin}/kiosk/`);
      await step(engine, 'door: refuses another person with the ticket', async () => {
        await door.evaluate(showFilm, await films.of({ seed: guests.stranger, turns: 'not-at-all' }));
        await scan(door, TICKET, 'NoMatch');
      });
      await until('the files in the browser', () => door.evaluate(() => navigator.serviceWorker.controller !== null));
      await step(engine, 'door: starts without a network, lets the guest in', async () => {
        stage.setOnline(false);
        await door.reload();
        await door.evaluate(showFilm, await films.of({ seed: guestSeed }));
        await scan(door, TICKET, 'Match');
      });
      await step(engine, 'door: is revoked, and deletes what it had', async () => {
        stage.setOnline(true);
        await revoke();
        await door.reload();
        await door.says('its data was deleted');
      });

      const dashboard = await signIn(engine, stage, await stage.account());
      await step(engine, 'organiser: makes an event', async () => {
        await dashboard.open(`${stage.origin}/dashboard/`);
        await dashboard.click(['link', 'Create your first event']);
        await dashboard.enter(['textbox', 'Name'], 'Harbour Lights');
        await dashboard.says('How long faces are kept');
        await dashboard.press('Save and continue');
        await dashboard.enter(['textbox', 'Link to your privacy notice'], 'https://harbour.example/privacy');
        await dashboard.press('Skip this step');
        await dashboard.press('Continue');
        await dashboard.press('Invite guests');
      });
      await step(engine, 'organiser: makes links of a file of guests', async () => {
        await dashboard.press('Invite guests');
        await dashboard.choose('input[type="file"]', table);
        await dashboard.press('Create 2 links');
        await dashboard.says('2 links created');
      });
    });
  });
}

test.afterAll(() => {
  const names = engines.map(({ name }) => name);
  if (taken.size > 0) console.log(`seconds   ${names.join('   ')}`);
  for (const [what, times] of taken)
    console.log(`${names.map((name) => (times.get(name)?.toFixed(1) ?? '–').padStart(9)).join(' ')}   ${what}`);
});
