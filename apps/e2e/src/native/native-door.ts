import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { createFetchTransport } from '@svc/device-sdk/adapters';
import { type ConfigureRequest, checkOf, toBase64Url } from '@svc/device-sdk-native';
import { createFileKeyStore, createFilePackStore } from '@svc/device-sdk-node';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { FakeShell, packagedAssets, startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { type Filmed, Films, installVirtualCamera, type VirtualCamera } from '../kiosk/virtual-camera.ts';

/**
 * How much faster the world is than the page's clock, so that a busy machine has enough of the attempt's ten seconds.
 */
const SLOWED = 4;

/** How the shell reaches the page: as WKWebView does, or as Android's WebView. */
export type Bridge = 'ios' | 'android';

interface Added {
  readonly id: string;
  readonly token: string;
}

/** A native shell in this process, its page in Chromium, and the service that both belong to. */
export class NativeDoor {
  readonly #films = new Films();
  readonly #browser: Browser;
  readonly #close: () => Promise<void>;
  readonly service: EnrolmentService;
  readonly site: TestSite;
  readonly listId: string;
  readonly added: Added;
  readonly hasPassive: boolean;
  /** Of the shell: keys, state, packs and pages, in files. */
  readonly directory: string;
  readonly shell: FakeShell;
  page: Page;
  /** Every text that went to the page, and every text that it sent. */
  readonly texts: { readonly from: 'page' | 'shell'; readonly text: string }[] = [];
  /** What the page asked of the network beside its own files, and what it complained about. */
  readonly complaints: string[] = [];
  readonly #bridge: Bridge;
  /** Whether a text reaches the shell. */
  #onText: () => boolean = () => true;
  #attempts = 0;

  private constructor(o: {
    readonly service: EnrolmentService;
    readonly site: TestSite;
    readonly browser: Browser;
    readonly page: Page;
    readonly listId: string;
    readonly added: Added;
    readonly hasPassive: boolean;
    readonly directory: string;
    readonly bridge: Bridge;
    readonly stores: Pick<ConstructorParameters<typeof FakeShell>[0], 'keyStore' | 'packStore'>;
    readonly close: () => Promise<void>;
  }) {
    this.service = o.service;
    this.site = o.site;
    this.#browser = o.browser;
    this.page = o.page;
    this.listId = o.listId;
    this.added = o.added;
    this.hasPassive = o.hasPassive;
    this.directory = o.directory;
    this.#bridge = o.bridge;
    this.#close = o.close;
    this.shell = new FakeShell({ ...o.stores, transport: createFetchTransport() }, (text) => this.#toPage(text));
  }

  /** Of an ongoing list; behind Android's port of an event's, which is due a few days later. */
  static async open(bridge: Bridge = 'ios'): Promise<NativeDoor> {
    const directory = await mkdtemp(join(tmpdir(), 'svc-native-'));
    const addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
    const packaged = join(directory, 'app');
    const manifest = await buildDeviceAssets({
      directory: packaged,
      native: true,
      ...withMiniFasNet(addOn?.directory ?? null),
    });
    const service = await startEnrolmentService();
    const listId = await (bridge === 'ios' ? service.createList() : createEventList(service));
    const photo = await encodeJpeg(renderHead({ seed: guests.anna, width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId: 'ticket-of-anna', photo });
    const enrolled = await service.customer.request('POST', `/v1/lists/${listId}/people`, body);
    if (enrolled.status !== 201) throw new Error(`not enrolled: ${enrolled.status}`);
    const added = (await service.customer.request<Added>('POST', `/v1/lists/${listId}/devices`)).body;
    const site = await startTestSite({ parts: [packagedAssets({ directory: packaged, manifest })] });
    const browser = await launchChromium();
    const store = join(directory, 'phone');
    const door = new NativeDoor({
      ...{ service, site, browser, listId, added, bridge, hasPassive: addOn !== null, directory: store },
      page: await browser.newPage(),
      stores: { keyStore: await createFileKeyStore(store), packStore: await createFilePackStore(store) },
      close: async () => {
        await browser.close();
        await site.close();
        await service.close();
        await addOn?.remove();
        await rm(directory, { recursive: true, force: true });
      },
    });
    await door.#prepare();
    return door;
  }

  async close(): Promise<void> {
    await this.#close();
  }

  /**
   * Another renderer of the same app: the former page is gone.
   * @param laterMs how much later it is on this page's wall clock
   */
  async reopen(laterMs = 0): Promise<void> {
    this.#onText = () => true;
    await this.page.close();
    this.page = await this.#browser.newPage();
    await this.#prepare();
    await this.page.addInitScript((ms) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + ms;
    }, laterMs);
  }

  /** Processes that run the page. */
  async renderers(): Promise<readonly number[]> {
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []));
  }

  async #prepare(): Promise<void> {
    const { page } = this;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.site.url}/`)) this.complaints.push(`a request to ${request.url()}`);
    });
    await page.addInitScript((slowed) => {
      const now = performance.now.bind(performance);
      performance.now = () => now() / slowed;
    }, SLOWED);
    await page.addInitScript(installVirtualCamera);
    await page.exposeBinding('svcShellPost', (_source, text: string) => this.#fromPage(text));
    if (this.#bridge === 'ios') {
      await page.addInitScript(() => {
        const scope = globalThis as unknown as { webkit: object; svcShellPost: (text: string) => void };
        scope.webkit = { messageHandlers: { svcDevice: { postMessage: (text: string) => scope.svcShellPost(text) } } };
      });
    }
  }

  /** Ends the renderer at its nth message from now on, before that reaches the shell. */
  crashAt(nth: number): { readonly ended: Promise<'ended'> } {
    let left = nth;
    return {
      ended: new Promise((resolve) => {
        this.#onText = () => {
          left -= 1;
          if (left > 0) return true;
          this.#onText = () => false;
          // Never resolves: the page is gone.
          void this.page.goto('chrome://crash').catch(() => undefined);
          this.page.once('crash', () => resolve('ended'));
          return false;
        };
      }),
    };
  }

  #fromPage(text: string): void {
    if (!this.#onText()) return;
    this.texts.push({ from: 'page', text });
    if (!checkOf('FromPage')(JSON.parse(text))) this.complaints.push(`not of the contract: ${text.slice(0, 200)}`);
    this.shell.channel.receive(text);
  }

  #toPage(text: string): void {
    this.texts.push({ from: 'shell', text });
    // A page that is gone hears nothing.
    this.page
      .evaluate((told) => {
        const scope = globalThis as unknown as { svcDeviceReceive?: (text: string) => void; svcPort?: MessagePort };
        if (scope.svcPort !== undefined) scope.svcPort.postMessage(told);
        else scope.svcDeviceReceive?.(told);
      }, text)
      .catch(() => undefined);
  }

  /** Loads the page, and resolves at its hello. */
  async load(): Promise<void> {
    const greeted = new Promise<void>((resolve) => {
      this.shell.onHello = resolve;
    });
    await this.page.goto(`${this.site.url}/index.html`);
    if (this.#bridge === 'android') {
      await this.page.evaluate(() => {
        const scope = globalThis as unknown as { svcPort: MessagePort; svcShellPost: (text: string) => void };
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => scope.svcShellPost(data);
        scope.svcPort = port1;
        window.postMessage('svc-device-port', location.origin, [port2]);
      });
    }
    await greeted;
  }

  configure(over: Partial<ConfigureRequest> = {}) {
    return this.shell.channel.request('configure', {
      minor: 0,
      deviceToken: this.added.token,
      region: { baseUrl: this.service.api.url, signingKeys: [this.service.api.admin.region().signingKey] },
      passiveLiveness: this.hasPassive ? 'required' : 'absent-staff-in-view',
      lightChallenge: 'off',
      language: 'en',
      prompts: 'page',
      camera: 'user',
      shell: { platform: 'test', version: '0', osVersion: '0' },
      ...over,
    });
  }

  sync = async () => (await this.shell.channel.request('sync', {})).result;

  async show(filmed: Filmed): Promise<void> {
    const film = await this.#films.of(filmed);
    await this.page.evaluate((shown) => (globalThis as unknown as { camera: VirtualCamera }).camera.show(shown), film);
  }

  newAttempt(): string {
    this.#attempts += 1;
    return toBase64Url(new Uint8Array(16).fill(this.#attempts));
  }

  async verify(scannedId = 'ticket-of-anna', attempt = this.newAttempt()) {
    return (await this.shell.channel.request('verify', { attempt, scannedId, headTurn: 'asked' })).result;
  }

  /** What {@link verify} answers, as `Match/verified`. */
  async outcome(...asked: Parameters<NativeDoor['verify']>): Promise<string> {
    const { outcome, reason } = await this.verify(...asked);
    return `${outcome}/${reason}`;
  }

  /** Every key that the shell keeps, as it lies in its files. */
  async keys(): Promise<readonly { readonly name: string; readonly bytes: Uint8Array }[]> {
    const found: { readonly name: string; readonly bytes: Uint8Array }[] = [];
    for (const folder of ['keys', 'secrets']) {
      for (const name of await readdir(join(this.directory, folder))) {
        const bytes = await readFile(join(this.directory, folder, name));
        // RFC 5958 around RFC 5915: the private scalar begins at byte 36.
        if (name.endsWith('.pkcs8')) found.push({ name, bytes: bytes.subarray(36, 68) });
        // Epoch and key of each.
        else if (folder === 'secrets')
          for (let at = 4; at < bytes.length; at += 36)
            found.push({ name: `${name} ${at}`, bytes: bytes.subarray(at, at + 32) });
        else found.push({ name, bytes });
      }
    }
    return found;
  }
}

const HOUR_MS = 3_600_000;

async function createEventList({ customer, createList }: EnrolmentService): Promise<string> {
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
  const times = { startsAt: inHours(1), endsAt: inHours(5) };
  const event = await customer.request<{ eventId: string }>('POST', '/v1/events', { name: 'Concert', ...times });
  return createList(customer, { name: 'Guests', eventId: event.body.eventId });
}
