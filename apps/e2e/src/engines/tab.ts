import { setTimeout as pause } from 'node:timers/promises';

/** A CSS selector, or a role and a part of the accessible name. */
export type Target = string | readonly [role: 'button' | 'checkbox' | 'heading' | 'link' | 'textbox', name: string];

/** Slow machines load models slowly. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/** Calls `look` until it answers something. @throws Error that says what was waited for */
export async function until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > endMs) throw new Error(`waited in vain for ${what}`);
    await pause(LOOK_MS);
  }
}

/** Runs in the page. @returns the first element of a target that can be seen and used, once it has stopped moving */
export async function findIn(target: Target): Promise<Element | null> {
  const byRole = {
    button: 'button, [role="button"]',
    checkbox: 'input[type="checkbox"]',
    heading: 'h1, h2, h3',
    link: 'a[href]',
    textbox: 'input, textarea',
  };
  const [role, name] = typeof target === 'string' ? [null, ''] : target;
  const nameOf = (element: Element) => {
    const { labels } = element as HTMLInputElement;
    const labelled = [...(labels ?? [])].map((label) => label.textContent).join(' ');
    const own = element.getAttribute('aria-label') ?? (labelled || (element.textContent ?? ''));
    return own.replaceAll('‑', '-');
  };
  const elements = [...document.querySelectorAll(role === null ? (target as string) : byRole[role])];
  // A press in a step's first half second is ignored.
  if (document.querySelector('[data-fresh]') !== null) return null;
  const isThere = (element: Element) =>
    element.matches('input[type="file"], input[type="checkbox"]') ||
    (element.getClientRects().length > 0 && !element.matches(':disabled, [aria-disabled="true"]'));
  const found = elements.find((element) => isThere(element) && nameOf(element).replaceAll('‑', '-').includes(name));
  if (found === undefined) return null;
  found.scrollIntoView({ block: 'center', behavior: 'instant' });
  const place = () => JSON.stringify(found.getBoundingClientRect());
  const before = place();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return place() === before ? found : null;
}

/** One page of a browser, in a profile of its own, used as a person does. Each action waits until it is possible. */
export abstract class Tab {
  /** Runs a function in the page, which may only use its arguments. @returns its result, by way of JSON */
  abstract evaluate<Args extends readonly unknown[], T>(run: (...args: Args) => T, ...args: Args): Promise<Awaited<T>>;
  /** The function runs in every page that is opened from now on: before its scripts where the engine can do that. */
  abstract prepare<Args extends readonly unknown[]>(run: (...args: Args) => unknown, ...args: Args): Promise<void>;
  abstract open(url: string): Promise<void>;
  abstract reload(): Promise<void>;
  abstract click(target: Target): Promise<void>;
  /** Types, and presses Enter. */
  abstract enter(target: Target, text: string): Promise<void>;
  /** @param target a field for files */
  abstract choose(target: string, path: string): Promise<void>;
  abstract setCookie(name: string, value: string): Promise<void>;
  /** @returns PNG of what is seen */
  abstract picture(): Promise<Uint8Array>;
  /** The size of what is seen, in CSS pixels. */
  abstract resize(width: number, height: number): Promise<void>;
  abstract close(): Promise<void>;

  press(name: string): Promise<void> {
    return this.click(['button', name]);
  }

  /** A page that is being left answers with an error. */
  async #answers(what: string, look: () => Promise<boolean | undefined>): Promise<void> {
    await until(what, () => look().catch(() => false));
  }

  /** Waits until an element is to be seen. */
  async shows(selector: string): Promise<void> {
    const isShown = (one: string) => (document.querySelector(one)?.getClientRects().length ?? 0) > 0;
    await this.#answers(selector, () => this.evaluate(isShown, selector));
  }

  /** Waits until the page says this. */
  async says(text: string): Promise<void> {
    const isSaid = (one: string) => document.body.textContent?.replaceAll('‑', '-').includes(one);
    await this.#answers(`“${text}”`, () => this.evaluate(isSaid, text));
  }
}

/** A browser engine, with which a test opens one page after another. */
export interface Engine {
  readonly name: string;
  /** The page that is open. */
  readonly open: Tab | null;
  /** In a new profile; the page before it is closed. */
  tab(): Promise<Tab>;
  close(): Promise<void>;
}
