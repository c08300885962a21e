import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/api/testing';
import { type Engine, findIn, Tab, type Target, until } from './tab.ts';

/** Makes the browser's own controls small enough for a window as narrow as a phone. */
const GTK_CSS = '* { min-width: 0; min-height: 0; padding: 0; margin: 0; } entry, button { font-size: 1px; }';
/** The property of an answer that refers to an element (W3C WebDriver, section 12.2). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/** The key (section 17.4.2). */
const ENTER = '\uE007';
type ElementReference = Readonly<Record<typeof ELEMENT, string>>;

/** Of a command: one that a browser never answers fails. */
const LIMIT_MS = 60_000;

/** A command of W3C WebDriver. @returns the answer's value @throws Error with the driver's reason */
async function send<T>(url: string, method: 'POST' | 'GET' | 'DELETE', body?: object): Promise<T> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const answer = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
  if (!answer.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
  return value;
}

class WebDriverTab extends Tab {
  readonly #session: string;
  readonly #prepared: (() => Promise<unknown>)[] = [];

  readonly #end: () => Promise<void>;

  /** @param session its address @param end ends its driver */
  constructor(session: string, end: () => Promise<void>) {
    super();
    [this.#session, this.#end] = [session, end];
  }

  #post<T>(command: string, body: object = {}): Promise<T> {
    return send(`${this.#session}/${command}`, 'POST', body);
  }

  async #find(target: Target): Promise<string> {
    const script = `(${findIn})(arguments[0]).then(arguments[1], () => arguments[1](null))`;
    const look = () => this.#post<ElementReference | null>('execute/async', { script, args: [target] });
    return (await until(`${target}`, look))[ELEMENT];
  }

  async evaluate<Args extends readonly unknown[], T>(run: (...args: Args) => T, ...args: Args): Promise<Awaited<T>> {
    const script = `const [done, args] = [arguments[1], arguments[0]];
      (async () => (${run})(...args))().then((value) => done({ value }), (error) => done({ error: String(error) }))`;
    const { value, error } = await this.#post<{ value: Awaited<T>; error?: string }>('execute/async', {
      ...{ script, args: [args] },
    });
    if (error !== undefined) throw new Error(error);
    return value;
  }
  /** WebDriver runs no script before the page's own; ours run when the page is loaded. */
  async prepare<Args extends readonly unknown[]>(run: (...args: Args) => unknown, ...args: Args) {
    this.#prepared.push(() => this.evaluate(run, ...args));
  }
  async #loaded() {
    for (const run of this.#prepared) await run();
  }
  async open(url: string) {
    await this.#post('url', { url });
    await this.#loaded();
  }
  async reload() {
    await this.#post('refresh');
    await this.#loaded();
  }
  async click(target: Target) {
    await this.#post(`element/${await this.#find(target)}/click`);
  }
  async #type(target: Target, text: string) {
    await this.#post(`element/${await this.#find(target)}/value`, { text });
  }
  enter = (target: Target, text: string) => this.#type(target, text + ENTER);
  choose = (target: string, path: string) => this.#type(target, path);
  /** Not as a secure one, which WebKitGTK does not send over plain HTTP, not even to this machine. */
  async setCookie(name: string, value: string) {
    await this.#post('cookie', { cookie: { name, value, path: '/', httpOnly: true } });
  }
  async picture() {
    return Buffer.from(await send<string>(`${this.#session}/screenshot`, 'GET'), 'base64');
  }
  async resize(width: number, height: number) {
    const inner = await this.evaluate(() => [outerWidth - innerWidth, outerHeight - innerHeight] as const);
    await this.#post('window/rect', { width: width + inner[0], height: height + inner[1] });
  }
  async close() {
    await send(this.#session, 'DELETE').catch(() => undefined);
    await this.#end();
  }
}

/** Ends a process with all that it has started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGTERM');
  await ended;
}

/** A driver with its browser, on a screen of Xvfb. */
async function startSession(program: string, settings: string) {
  const port = await freePort();
  const driver = [program, `--port=${port}`, '--host=127.0.0.1'];
  const child = spawn('xvfb-run', ['-a', '-s', '-screen 0 1600x1400x24', ...driver], {
    ...{ detached: true, stdio: 'ignore' },
    env: { ...process.env, XDG_CONFIG_HOME: settings, LANG: 'en_GB.UTF-8', LANGUAGE: 'en_GB' },
  });
  const killed = () => child.pid !== undefined && child.exitCode === null && process.kill(-child.pid);
  process.once('exit', killed);
  const url = `http://127.0.0.1:${port}/session`;
  const alwaysMatch = {
    // Before the load is over, a script may reach the document that is left, and is never answered.
    pageLoadStrategy: 'normal',
  };
  const close = async () => {
    process.off('exit', killed);
    await end(child);
  };
  try {
    await until('WebKitWebDriver', () => fetch(`http://127.0.0.1:${port}/status`).catch(() => null));
    const { sessionId } = await send<{ sessionId: string }>(url, 'POST', { capabilities: { alwaysMatch } });
    return { session: `${url}/${sessionId}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** By WebKitGTK's WebDriver with its own browser. @param program path of the driver */
export async function startWebKit(program: string): Promise<Engine> {
  const settings = await mkdtemp(join(tmpdir(), 'svc-webkit-'));
  await mkdir(join(settings, 'gtk-3.0'));
  await writeFile(join(settings, 'gtk-3.0/gtk.css'), GTK_CSS);
  let open: Tab | null = null;
  return {
    name: 'WebKitGTK',
    get open() {
      return open;
    },
    async tab() {
      await open?.close();
      // On a busy machine a browser may end before its driver has found it.
      const started = await startSession(program, settings).catch(() => startSession(program, settings));
      const tab = new WebDriverTab(started.session, started.close);
      open = tab;
      return tab;
    },
    async close() {
      await open?.close();
      await rm(settings, { recursive: true, force: true });
    },
  };
}
