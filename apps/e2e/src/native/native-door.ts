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
import { complaintsOf } from '../support/complaints.ts';
import { photoOf, ticketOf } from '../support/guests.ts';
import { type Filmed, Films, installPageCamera, type PageCamera, slowed } from '../support/page-camera.ts';
import { type Service, startService } from '../support/service.ts';

/** How the shell reaches the page: as WKWebView does, or as Android's WebView. */
export type Bridge = 'ios' | 'android';

interface Parts {
  readonly bridge: Bridge;
  readonly service: Service;
  readonly site: TestSite;
  readonly browser: Browser;
  readonly deviceToken: string;
  readonly hasPassive: boolean;
  /** Of the shell: keys, state, packs and pages, in files. */
  readonly directory: string;
}

/** A native shell in this process, its page in Chromium, and the service that both belong to. */
export class NativeDoor {
  readonly o: Parts;
  readonly shell: FakeShell;
  page: Page;
  /** Every text that went to the page, and every text that it sent. */
  readonly texts: string[] = [];
  /** Of the current page; what it sends beside the contract too. */
  complaints: string[] = [];
  readonly #films = new Films();
  readonly #close: () => Promise<void>;
  #attempts = 0;

  private constructor(
    o: Parts,
    stores: Pick<ConstructorParameters<typeof FakeShell>[0], 'keyStore' | 'packStore'>,
    page: Page,
    close: () => Promise<void>,
  ) {
    [this.o, this.page, this.#close] = [o, page, close];
    this.shell = new FakeShell({ ...stores, transport: createFetchTransport() }, (text) => this.#toPage(text));
  }

  static async open(bridge: Bridge = 'ios'): Promise<NativeDoor> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-native-'));
    const addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
    const packaged = join(folder, 'app');
    const models = withMiniFasNet(addOn?.directory ?? null);
    const manifest = await buildDeviceAssets({ directory: packaged, native: true, ...models });
    const service = await startService();
    const listId = await service.createList();
    const { status } = await service.enrol(listId, ticketOf('anna'), await photoOf('anna'));
    if (status !== 201) throw new Error(`not enrolled: ${status}`);
    const site = await startTestSite({ parts: [packagedAssets({ directory: packaged, manifest })] });
    const browser = await launchChromium();
    const directory = join(folder, 'phone');
    const stores = { keyStore: await createFileKeyStore(directory), packStore: await createFilePackStore(directory) };
    const { token: deviceToken } = await service.addDevice(listId);
    const parts = { bridge, service, site, browser, deviceToken, hasPassive: addOn !== null, directory };
    const door = new NativeDoor(parts, stores, await browser.newPage(), async () => {
      await browser.close();
      await site.close();
      await service.close();
      await addOn?.remove();
      await rm(folder, { recursive: true, force: true });
    });
    await door.#prepare();
    return door;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Another renderer of the same app: the former page is gone. */
  async reopen(): Promise<void> {
    await this.page.close();
    this.page = await this.o.browser.newPage();
    await this.#prepare();
  }

  /** Processes that run the page. */
  async renderers(): Promise<readonly number[]> {
    const session = await this.o.browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []));
  }

  async #prepare(): Promise<void> {
    const { page } = this;
    this.complaints = complaintsOf(page, this.o.site.url);
    await slowed(page, 4);
    await page.addInitScript(installPageCamera, {});
    await page.exposeBinding('svcShellPost', (_source, text: string) => this.#fromPage(text));
    if (this.o.bridge !== 'ios') return;
    await page.addInitScript(() => {
      const scope = globalThis as unknown as { webkit: object; svcShellPost: (text: string) => void };
      scope.webkit = { messageHandlers: { svcDevice: { postMessage: (text: string) => scope.svcShellPost(text) } } };
    });
  }

  #fromPage(text: string): void {
    this.texts.push(text);
    if (!checkOf('FromPage')(JSON.parse(text))) this.complaints.push(`not of the contract: ${text.slice(0, 200)}`);
    this.shell.channel.receive(text);
  }

  #toPage(text: string): void {
    this.texts.push(text);
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
    await this.page.goto(`${this.o.site.url}/index.html`);
    if (this.o.bridge === 'android') {
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
      ...{ minor: 0, deviceToken: this.o.deviceToken, region: this.o.service.region, lightChallenge: 'off' },
      passiveLiveness: this.o.hasPassive ? 'required' : 'absent-staff-in-view',
      ...{ language: 'en', prompts: 'page', camera: 'user' },
      shell: { platform: 'test', version: '0', osVersion: '0' },
      ...over,
    });
  }

  sync = async () => (await this.shell.channel.request('sync', {})).result;

  async show(filmed: Filmed): Promise<void> {
    const film = await this.#films.of(filmed);
    await this.page.evaluate((shown) => (globalThis as unknown as { camera: PageCamera }).camera.show(shown), film);
  }

  async verify(scannedId = ticketOf('anna')) {
    this.#attempts += 1;
    const attempt = toBase64Url(new Uint8Array(16).fill(this.#attempts));
    return (await this.shell.channel.request('verify', { attempt, scannedId, headTurn: 'asked' })).result;
  }

  /** What {@link verify} answers, as `Match/verified`. */
  async outcome(scannedId?: string): Promise<string> {
    const { outcome, reason } = await this.verify(scannedId);
    return `${outcome}/${reason}`;
  }

  /** Every key that the shell keeps, as it lies in its files. */
  async keys(): Promise<readonly { readonly name: string; readonly bytes: Uint8Array }[]> {
    const found: { readonly name: string; readonly bytes: Uint8Array }[] = [];
    for (const folder of ['keys', 'secrets']) {
      for (const name of await readdir(join(this.o.directory, folder))) {
        const bytes = await readFile(join(this.o.directory, folder, name));
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
