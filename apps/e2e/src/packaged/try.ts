/**
 * Tries a packed release as an operator would: unpacked in an empty folder that its user cannot write to, with an
 * enrolment and a visit at the kiosk. Prints sizes and times; exits with 1 when something is not as it must be.
 *
 *   npm run package -- --try
 */
import { stat } from 'node:fs/promises';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { KioskPage } from '../kiosk/kiosk-page.ts';
import { Films } from '../support/page-camera.ts';
import { rightPerson } from '../support/scenarios.ts';
import { enrolWith } from './organiser.ts';
import { type RunningRelease, UnpackedRelease } from './unpacked-release.ts';

const MAX_BYTES = 250e6;
const wrong: string[] = [];

function tell(what: string, found: string, isRight = true): void {
  process.stdout.write(`${what.padEnd(22)}${found}${isRight ? '' : '  WRONG'}\n`);
  if (!isRight) wrong.push(what);
}

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')} ms`;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function visitKiosk(url: string, deviceToken: string): Promise<string> {
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    // tsx wraps nested functions in this helper, which the page lacks.
    await context.addInitScript('globalThis.__name = (value) => value');
    const kiosk = await KioskPage.open(context, url);
    await kiosk.pair(deviceToken);
    await kiosk.press('Start check-in');
    const { outcome } = await kiosk.visit(new Films(), rightPerson);
    return kiosk.complaints.length === 0 ? outcome : `${outcome}, but ${kiosk.complaints.join('; ')}`;
  } finally {
    await browser.close();
  }
}

function tellStart(what: string, { listeningMs, readyMs }: RunningRelease): void {
  tell(what, `listening after ${ms(listeningMs)}, ready after ${ms(readyMs)}`);
}

async function stop(running: RunningRelease): Promise<void> {
  const { code, ms: took } = await running.stop();
  tell('SIGTERM', `exit code ${code} after ${ms(took)}`, code === 0);
}

const [file] = process.argv.slice(2).filter((argument) => argument !== '--');
if (file === undefined) throw new Error('name a packed release');
const release = await UnpackedRelease.unpack(file);
try {
  const { files, bytes } = await release.size();
  const packed = file.endsWith('.tar.zst') ? `, packed ${mb((await stat(file)).size)}` : '';
  tell('size', `${mb(bytes)} in ${files.toLocaleString('en')} files${packed}`, bytes <= MAX_BYTES);
  const before = await release.state();
  tell('runs as', `${release.userName}, the release read-only`);

  const first = await release.start();
  tellStart('first start', first);
  await first.stop();
  const running = await release.start();
  tellStart('start', running);
  tell('memory when ready', mb(await running.memory()));
  const { status } = await fetch(`${running.url}/healthz`);
  tell('healthz', String(status), status === 200);
  const { client, listId, deviceToken } = await enrolWith(release, running.url);
  const { items } = await client.listPeople(listId, {});
  tell('enrolment', `people on the list: ${items.length}`, items.length === 1);
  if (chromiumPath !== undefined) {
    const outcome = await visitKiosk(running.url, deviceToken);
    tell('kiosk in Chromium', outcome, outcome === 'Match');
  }
  const checks = await release.svc(['doctor']);
  tell('svc doctor', `${checks.split('\n').length} checks, none failed`);
  await stop(running);
  const left = await release.leftRunning();
  tell('left running', `${left.length} processes`, left.length === 0);

  const after = await release.state();
  const isUnchanged = before.join('\n') === after.join('\n');
  tell('the release', isUnchanged ? 'unchanged' : 'changed', isUnchanged);
} finally {
  await release.remove();
}
if (wrong.length > 0) process.exitCode = 1;
