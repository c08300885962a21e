import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { guests } from '../demo/scenarios.ts';
import { expect, test } from '../support/browser-test.ts';
import { KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';
import { Films } from './virtual-camera.ts';

/**
 * The film always turns to the left and the kiosk asks for a random side: with so many attempts one run in 4,096 fails
 * by chance.
 */
const MOST_ATTEMPTS = 12;

/** A loop of a person who looks ahead, turns left and looks back, in Chromium's format: JPEGs at 30 per second. */
async function writeLoop(file: string): Promise<void> {
  const { shots, reachDeg } = await new Films().of({ seed: guests.anna });
  const phases = [
    ...Array.from({ length: 75 }, () => 0),
    ...Array.from({ length: 15 }, (_, i) => (i * reachDeg) / 14),
    ...Array.from({ length: 20 }, () => reachDeg),
    ...Array.from({ length: 15 }, (_, i) => reachDeg - (i * reachDeg) / 14),
  ];
  const frames = phases.map((yawDeg) => {
    const [nearest] = [...shots].sort((a, b) => Math.abs(a.yawDeg - yawDeg) - Math.abs(b.yawDeg - yawDeg));
    return Buffer.from(nearest?.jpegBase64 ?? '', 'base64');
  });
  await writeFile(file, Buffer.concat(frames));
}

// Nothing in the page is replaced: getUserMedia, the stream and its end are the browser's.
test('the browser’s own camera: the person is let in once the left turn is asked for', { tag: '@long' }, async () => {
  test.setTimeout(600_000);
  const folder = await mkdtemp(join(tmpdir(), 'svc-camera-'));
  const film = join(folder, 'film.mjpeg');
  await writeLoop(film);
  const started = await startKioskService();
  const browser = await launchChromium(
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  );
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const kiosk = await KioskPage.open(context, started.service.api.url, { camera: 'of-the-browser' });
  await kiosk.pair(started.deviceToken);
  await kiosk.press('Start check-in');
  const seen: string[] = [];
  while (!seen.includes('Match') && seen.length < MOST_ATTEMPTS) {
    await kiosk.screen('scan');
    await kiosk.scan('ticket-of-anna');
    seen.push((await kiosk.result()).outcome);
    await kiosk.page.keyboard.press('Enter');
  }
  expect(seen.at(-1)).toBe('Match');
  expect(seen.filter((outcome) => outcome !== 'Match' && outcome !== 'ChallengeFailed')).toEqual([]);
  expect(kiosk.complaints).toEqual([]);
  await browser.close();
  await started.close();
  await rm(folder, { recursive: true, force: true });
});
