import { type Browser, type ElementHandle, launch, type Page } from 'puppeteer-core';
import { type Engine, findIn, Tab, type Target, until } from './tab.ts';

class PuppeteerTab extends Tab {
  readonly #page: Page;

  constructor(page: Page) {
    super();
    this.#page = page;
  }

  async #find(target: Target): Promise<ElementHandle> {
    return until(
      `${target}`,
      async () => (await this.#page.evaluateHandle(findIn, target)).asElement() as ElementHandle,
    );
  }

  evaluate<Args extends readonly unknown[], T>(run: (...args: Args) => T, ...args: Args) {
    return this.#page.evaluate(run as never, ...args) as Promise<Awaited<T>>;
  }
  async prepare<Args extends readonly unknown[]>(run: (...args: Args) => unknown, ...args: Args) {
    await this.#page.evaluateOnNewDocument(run as never, ...args);
  }
  async open(url: string) {
    await this.#page.goto(url);
  }
  async reload() {
    await this.#page.reload();
  }
  async click(target: Target) {
    await (await this.#find(target)).click();
  }
  async enter(target: Target, text: string) {
    const field = await this.#find(target);
    await field.type(text);
    await field.press('Enter');
  }
  async choose(target: string, path: string) {
    await ((await this.#find(target)) as ElementHandle<HTMLInputElement>).uploadFile(path);
  }
  async setCookie(name: string, value: string) {
    const { hostname: domain } = new URL(this.#page.url());
    await this.#page.browserContext().setCookie({ name, value, domain, path: '/', secure: true, httpOnly: true });
  }
  picture() {
    return this.#page.screenshot();
  }
  resize(width: number, height: number) {
    return this.#page.setViewport({ width, height });
  }
  close() {
    return this.#page.browserContext().close();
  }
}

function engineOf(name: string, browser: Browser): Engine {
  let open: Tab | null = null;
  return {
    name,
    get open() {
      return open;
    },
    async tab() {
      await open?.close();
      open = new PuppeteerTab(await (await browser.createBrowserContext()).newPage());
      return open;
    },
    close: () => browser.close(),
  };
}

/** By the DevTools protocol. */
export async function startChromium(executablePath: string): Promise<Engine> {
  const browser = await launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--lang=en-GB'] });
  return engineOf('Chromium', browser);
}

/** By WebDriver BiDi. */
export async function startFirefox(executablePath: string): Promise<Engine> {
  const browser = await launch({ browser: 'firefox', executablePath });
  return engineOf('Firefox', browser);
}
