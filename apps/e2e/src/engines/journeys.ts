import type { TestCustomer } from '@svc/api/testing';
import { signInWith } from '@svc/api/testing';
import { SESSION_COOKIE } from '@svc/protocol';
import type { Organiser } from '../dashboard/service.ts';
import { PIN, readResult, typeCode } from '../kiosk/kiosk-page.ts';
import { windows } from '../support/looks.ts';
import { type Film, installPageCamera, type PageCamera, slowClock } from '../support/page-camera.ts';
import type { Stage } from './stage.ts';
import { type Engine, type Tab, until } from './tab.ts';

/** Of every page, by its name in src/support/looks.ts. */
const size = windows[(process.env.SVC_TEST_WINDOW ?? 'laptop') as keyof typeof windows];

/** Runs in the page: when each camera's frame went to the worker that looks at it. */
function noteFrames(): void {
  const { prototype } = Worker;
  const { postMessage } = prototype as { postMessage(...all: unknown[]): void };
  const framesMs: number[] = [];
  Object.assign(globalThis, { framesMs });
  prototype.postMessage = function (this: Worker, ...all: unknown[]) {
    if (/^(look|open)$/.test((all[0] as { name?: string }).name ?? '')) framesMs.push(Date.now());
    return postMessage.apply(this, all);
  };
}

/** Of the frames that were looked at since this was asked last, by the world's clock; NaN without any. */
export async function framesOf(tab: Tab): Promise<readonly [perSecond: number, seconds: number]> {
  const times = await tab.evaluate(() => (globalThis as unknown as { framesMs: number[] }).framesMs.splice(0));
  const seconds = ((times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)) / 1_000;
  return [(times.length - 1) / seconds, seconds];
}

async function openTab(engine: Engine): Promise<Tab> {
  const tab = await engine.tab();
  await tab.resize(size.width, size.height);
  await tab.prepare(noteFrames);
  return tab;
}

/** Runs in the page: the person before its camera. */
export const showFilm = (film: Film) => (globalThis as unknown as { camera: PageCamera }).camera.show(film);

/** A guest's link, with a camera. */
export async function openGuest(engine: Engine, link: string): Promise<Tab> {
  const tab = await openTab(engine);
  await tab.prepare(installPageCamera, {});
  await tab.open(link);
  await tab.shows('[data-screen="consent"]');
  return tab;
}

export async function agree(tab: Tab): Promise<void> {
  await tab.click('[name="explicitBiometricConsent"]');
  await tab.click('[name="writtenRelease"]');
  await tab.press('I agree, continue');
}

/** A new door of a list, as far as the screen that takes tickets. */
export async function pair(
  engine: Engine,
  { origin }: Stage,
  { customer, listId }: { readonly customer: TestCustomer; readonly listId: string },
) {
  const path = `/v1/lists/${listId}/devices`;
  const { token, deviceId } = (await customer.request<{ token: string; deviceId: string }>('POST', path, {})).body;
  const tab = await openTab(engine);
  await tab.prepare(installPageCamera, {});
  await tab.prepare(slowClock, 4);
  await tab.open(`${origin}/kiosk/#${token}`);
  await tab.shows('[data-screen="offer"]');
  await tab.press('Pair');
  await tab.shows('[data-screen="stopped"], [data-screen="confirm"]');
  if (await tab.evaluate(() => document.querySelector('[data-screen="stopped"]') !== null))
    await tab.press('Confirm: staff watch every attempt');
  await tab.press('Set a PIN');
  await tab.enter(['textbox', 'New PIN'], PIN);
  await tab.enter(['textbox', 'Repeat the PIN'], PIN);
  await tab.says('Ready for guests');
  await tab.press('Start check-in');
  await tab.shows('[data-screen="scan"]');
  return { tab, revoke: () => customer.request('DELETE', `${path}/${deviceId}`) };
}

/** A code reader's ticket. @throws Error with what the screen says, for another outcome */
export async function scan(tab: Tab, code: string, mustBe: string): Promise<void> {
  await tab.shows('[data-screen="scan"]');
  await tab.evaluate(typeCode, code);
  const { outcome, text } = await until('a result', () => tab.evaluate(readResult));
  if (outcome !== mustBe) throw new Error(`${outcome}, not ${mustBe}: ${text}`);
}

/** The dashboard, signed in by a session's cookie: no provider of passkeys for tests is known to all engines. */
export async function signIn(engine: Engine, { origin }: Stage, { invite }: Organiser): Promise<Tab> {
  const tab = await openTab(engine);
  await tab.open(`${origin}/dashboard/sign-in`);
  await tab.says('Sign in');
  const { secret } = await signInWith({ url: origin }, await invite('owner'));
  await tab.setCookie(SESSION_COOKIE, secret);
  return tab;
}
