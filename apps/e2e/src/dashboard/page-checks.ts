import type { Locator, Page } from '@playwright/test';

/** A phone upright; a window of 1280 × 800 at 200 %. CSS pixels. */
const narrow = [
  { width: 390, height: 844 },
  { width: 640, height: 400 },
] as const;

/** What makes the page scroll sideways in a narrow window. The window is put back. */
export async function sidewaysScroll(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  const look = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return null;
      const causes = [...document.querySelectorAll('body *')].filter(
        (element) => element.getBoundingClientRect().right > clientWidth + 1,
      );
      const names = causes.slice(-3).map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
      return `${scrollWidth} px wide: ${names.join(', ')}`;
    });
  for (const viewport of narrow) {
    await page.setViewportSize(viewport);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    // What measures itself, such as a chart, is drawn again some frames later.
    if (!(await becomesTrue(page, async () => (await look()) === null)))
      found.push(`scrolls sideways at ${viewport.width}: ${await look()}`);
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/** What a press of Tab led to. */
interface Stop {
  /** Place of the element among those of the page, from 0; −1 for the document itself. */
  readonly at: number;
  readonly name: string;
  readonly isVisible: boolean;
}

/** More presses than any page has stops. */
const MAX_STOPS = 400;

/**
 * Goes through a page by Tab alone, from its beginning until it begins again.
 *
 * Within a group of tabs, radio buttons, menu items or fields of a date one is a stop, and arrow keys lead to the
 * others; there a stop in the group is enough.
 * @param within selector of what is gone through; default: the whole page
 * @returns interactive elements that Tab does not lead to, stops whose focus is not to be seen, and traps
 */
export async function keyboardFaults(page: Page, within = 'body'): Promise<readonly string[]> {
  // The debugger counts as a use of the page, after which a widget that is still loading takes the focus.
  for (const frame of page.frames().slice(1)) await frame.locator('h1').first().waitFor();
  await page.evaluate((root) => {
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} «${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}»`;
    const hasSize = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 0 && height > 0;
    };
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false });
    const selector =
      'a[href], button, input, select, textarea, summary, iframe, [contenteditable="true"], [tabindex]:not([tabindex="-1"])';
    const elements = [...document.querySelectorAll(`:is(${root}) :is(${selector})`)].filter(
      (element) =>
        isShown(element) &&
        hasSize(element) &&
        !element.matches(':disabled, [type="hidden"], [aria-hidden="true"] *, [aria-hidden="true"], [inert] *'),
    );
    // The indicator may be drawn around what holds the element, such as the label of a hidden box, or over a whole row.
    const looksOf = (element: Element): string => {
      const looks: string[] = [];
      const note = ({ outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor }: CSSStyleDeclaration) =>
        looks.push(outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor, boxShadow, borderColor);
      for (const part of ['::before', '::after']) note(getComputedStyle(element, part));
      let place: Element | null = element;
      for (let steps = 0; place !== null && steps < 4; steps += 1) {
        note(getComputedStyle(place));
        place = place.parentElement;
      }
      return looks.join();
    };
    (document.activeElement as HTMLElement | null)?.blur();
    const before = new Map(elements.map((element) => [element, looksOf(element)]));
    // Parts of a frame, and of a date beside the browser's own fields, show the focus themselves.
    const hasParts = (element: Element): boolean =>
      element.matches('iframe, :is([type^="date"], [type="time"], [type="month"]):not(:focus-visible)');
    const hasIndicator = (element: Element): boolean => hasParts(element) || before.get(element) !== looksOf(element);
    Object.assign(globalThis, {
      keyboard: {
        look: () => {
          const focused = document.activeElement;
          if (focused === null || focused === document.body) return { at: -1, name: 'the document', isVisible: true };
          return { at: elements.indexOf(focused), name: nameOf(focused), isVisible: hasIndicator(focused) };
        },
        missed: (seen: readonly number[]) => {
          const stops = new Set(seen.map((at) => elements[at]));
          const group = (element: Element) =>
            element.closest(
              '[role="tablist"], [role="radiogroup"], [role="menu"], [role="listbox"], [role="grid"], [role="toolbar"], fieldset',
            );
          const groups = new Set(
            [...stops].flatMap((stop) => (stop === undefined ? [] : [group(stop)])).filter((one) => one !== null),
          );
          return elements
            .filter((element) => {
              if (stops.has(element) || element.getAttribute('tabindex') === '-1') return false;
              const own = group(element);
              const isOneOfMany = element.matches(
                '[role="tab"], [type="radio"], [role="radio"], [role="menuitem"], [role="option"]',
              );
              return !(isOneOfMany && own !== null && groups.has(own));
            })
            .map(nameOf);
        },
        count: elements.length,
      },
    });
    // The next Tab begins at the beginning of the document, wherever the focus was.
    document.documentElement.tabIndex = -1;
    document.documentElement.focus();
    document.documentElement.removeAttribute('tabindex');
  }, within);
  const faults: string[] = [];
  const seen: number[] = [];
  const look = () => page.evaluate(() => (globalThis as unknown as { keyboard: { look(): Stop } }).keyboard.look());
  let first: number | null = null;
  let isRound = false;
  let stuck = 0;
  for (let presses = 0; presses < MAX_STOPS && !isRound; presses += 1) {
    await page.keyboard.press('Tab');
    const stop = await look();
    // Within a frame each of its stops is the frame itself to the page around it.
    if (stop.at === first && stop.at !== -1 && stop.at !== seen.at(-1)) isRound = true;
    if (first === null && stop.at !== -1) first = stop.at;
    stuck = stop.at !== -1 && stop.at === seen.at(-1) ? stuck + 1 : 0;
    if (stuck > 3) {
      // Fields of a date are several stops of one element in Chromium, and a frame is one for all of its own.
      const kind = await page.evaluate(() => {
        const { activeElement } = document;
        return activeElement instanceof HTMLIFrameElement ? 'frame' : (activeElement?.getAttribute('type') ?? '');
      });
      if (stuck > (kind === 'frame' ? 40 : 12) || !/date|time|month|frame/.test(kind)) {
        faults.push(`a trap at ${stop.name}`);
        break;
      }
    }
    if (!isRound && !stop.isVisible) faults.push(`no visible focus on ${stop.name}`);
    seen.push(stop.at);
  }
  if (!isRound && faults.every((fault) => !fault.startsWith('a trap'))) faults.push('Tab does not come round');
  const missed = await page.evaluate(
    (stops) =>
      (globalThis as unknown as { keyboard: { missed(stops: readonly number[]): string[] } }).keyboard.missed(stops),
    seen,
  );
  return [...new Set([...faults, ...missed.map((name) => `Tab does not lead to ${name}`)])];
}

/**
 * Presses every button of a page's content that opens a dialog, and goes through the dialog by keyboard. Nothing may be
 * changed by a press: requests other than reads have to be answered by the caller.
 * @param reopen shows the page as it was
 * @returns dialogs that the focus does not enter, that it leaves, that Escape does not close, or that do not give it back
 */
export async function dialogFaults(page: Page, reopen: () => Promise<void>): Promise<readonly string[]> {
  const faults: string[] = [];
  const buttons = page.locator('main button:not([role="tab"], [aria-haspopup], [type="submit"], :disabled)');
  const dialog = page.locator('[role="dialog"], [role="alertdialog"]');
  const count = await buttons.count();
  const seen = new Set<string>();
  for (let i = 0; i < count; i += 1) {
    const button = buttons.nth(i);
    const name = ((await button.textContent().catch(() => null)) ?? '').trim();
    // One of many alike is enough.
    if (name === '' || seen.has(name) || !(await button.isVisible())) continue;
    seen.add(name);
    const before = page.url();
    await button.focus();
    await page.keyboard.press('Enter');
    const isOpen = await dialog
      .first()
      .waitFor({ timeout: DIALOG_MS })
      .then(
        () => true,
        () => false,
      );
    if (isOpen) {
      faults.push(...(await trapFaults(page)).map((fault) => `«${name}»: ${fault}`));
      await page.keyboard.press('Escape');
      const isGone = await dialog
        .first()
        .waitFor({ state: 'detached', timeout: CLOSE_MS })
        .then(
          () => true,
          () => false,
        );
      // One that shows something once stays, and has a button that closes it.
      if (!isGone) faults.push(`«${name}»: Escape does not close it`);
      else if (!(await comesBack(page, button))) faults.push(`«${name}»: the focus does not come back`);
    }
    if (!isOpen || page.url() !== before || (await dialog.count()) > 0) await reopen();
  }
  return faults;
}

/** Dialogs appear at once; a button that opens none is given this long. */
const DIALOG_MS = 400;
const CLOSE_MS = 5_000;

/** Within a moment, longer on a busy machine. */
async function becomesTrue(page: Page, check: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await check()) return true;
    await page.waitForTimeout(50);
  }
  return false;
}

/** The focus is given back once the dialog is gone. */
const comesBack = (page: Page, button: Locator): Promise<boolean> =>
  becomesTrue(page, () => button.evaluate((element) => element === document.activeElement));

async function trapFaults(page: Page): Promise<readonly string[]> {
  const isWithin = () =>
    page.evaluate(() => document.activeElement?.closest('[role="dialog"], [role="alertdialog"]') !== null);
  if (!(await becomesTrue(page, isWithin))) return ['the focus does not enter it'];
  const stops = await page
    .locator(':is([role="dialog"], [role="alertdialog"]) :is(button, input, select, textarea, a)')
    .count();
  for (let presses = 0; presses < stops + 2; presses += 1) {
    await page.keyboard.press('Tab');
    if (!(await isWithin())) return ['Tab leaves it'];
  }
  await page.keyboard.press('Shift+Tab');
  return (await isWithin()) ? [] : ['Shift and Tab leave it'];
}
