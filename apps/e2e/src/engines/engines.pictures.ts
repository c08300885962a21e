/**
 * `npm run pictures:engines`: pages of guest, door and organiser in every browser engine that is installed, at the widths
 * of a phone, a tablet and a laptop, as `screenshots/engines/<engine>-<width>-<page>.png`, which git ignores.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { createToken } from '@svc/api/testing';
import { windows } from '../support/looks.ts';
import { noisePhoto } from '../widget/guest.ts';
import { agree, openGuest, pair, scan, signIn } from './journeys.ts';
import { engines, startStage } from './stage.ts';
import { type Tab, until } from './tab.ts';

const folder = join(import.meta.dirname, '../../screenshots/engines');

for (const { name, start } of engines) {
  test(name, async () => {
    test.skip(start === null, `no ${name}`);
    test.setTimeout(1_800_000);
    const stage = await startStage({ inference: 'fake' });
    const engine = await start?.();
    if (engine === undefined) return;
    const organiser = await stage.livedAccount(30);
    const { customer } = organiser;
    const { eventId, membersListId: listId } = organiser.life;
    await mkdir(folder, { recursive: true });
    const photo = join(folder, 'photo.jpg');
    await writeFile(photo, (await noisePhoto()).buffer);
    for (const window of ['phone', 'tablet', 'laptop'] as const) {
      const size = windows[window];
      const { width } = size;
      const take = async (page: string, tab: Tab) =>
        writeFile(join(folder, `${name}-${width}-${page}.png`), await tab.picture());
      const ticketId = `picture-${name}-${width}`;
      const { token } = await createToken(customer, eventId, { ticketId });
      const guest = await openGuest(engine, `${stage.origin}/widget/#${token}`, size);
      await take('widget-consent', guest);
      await agree(guest);
      await guest.choose('input[type="file"]', photo);
      await guest.shows('[data-screen="check"]');
      await guest.press('Send');
      await guest.shows('[data-screen="done"]');
      await take('widget-done', guest);

      const dashboard = await signIn(engine, stage, organiser, size);
      for (const [page, path] of [
        ['home', '/'],
        ['overview', `/events/${eventId}`],
        ['guests', `/events/${eventId}/guests`],
      ] as const) {
        await dashboard.open(`${stage.origin}/dashboard${path}`);
        await dashboard.shows('h1');
        await until('its data', () =>
          dashboard.evaluate(() => document.querySelector('.svcd-loading, [aria-busy="true"]') === null),
        );
        await take(`dashboard-${page}`, dashboard);
      }

      const seen = (tab: Tab) => take('kiosk-pairing', tab);
      const { tab: door, revoke } = await pair(engine, stage, { customer, listId }, { size, seen });
      await take('kiosk-scan', door);
      await scan(door, 'ticket-of-nobody', 'NotEnrolled');
      await take('kiosk-result', door);
      await revoke();
      await door.reload();
      await door.shows('[data-screen="stopped"], [data-screen="not-ready"]');
      await take('kiosk-revoked', door);
    }
    await engine.close();
    await stage.close();
  });
}
