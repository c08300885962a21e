import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '@svc/api/testing';
import { Webhook } from 'standardwebhooks';
import { guests } from '../demo/scenarios.ts';
import { canaryOf, foundIn } from '../enrolment/canaries.ts';
import { expect, test } from '../support/browser-test.ts';
import { KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';
import { expectResult, type KioskScenario, rightPerson, visit } from './scenarios.ts';
import { Films } from './virtual-camera.ts';

/** For deliveries, which follow a visit or a sync at once. */
const PATIENCE_MS = 20_000;
const PIN = '271828';
const TWO_DAYS_MS = 2 * 24 * 60 * 60_000;

interface CheckIn {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The organiser's server, as docs/webhooks.md describes it. */
class Receiver {
  readonly #server = createServer((request, response) => void this.#take(request, response));
  #port = 0;
  secret = '';
  /** `loses`: takes a check-in, but its answer does not arrive. */
  mode: 'accepts' | 'fails' | 'loses' = 'accepts';
  /** Each id once, in the order of arrival, whatever was answered. */
  readonly checkIns: CheckIn[] = [];
  requests = 0;
  /** What should not have been sent. */
  readonly complaints: string[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** On the same port each time. */
  async open(): Promise<void> {
    this.#port ||= await freePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request;
    response.setHeader('access-control-allow-origin', '*');
    if (method === 'OPTIONS') {
      const allowed = 'content-type, webhook-id, webhook-timestamp, webhook-signature';
      response.writeHead(204, { 'access-control-allow-headers': allowed, 'access-control-max-age': '86400' }).end();
      return;
    }
    const body = await text(request);
    this.requests += 1;
    if (headers.cookie !== undefined || headers.referer !== undefined) this.complaints.push('a cookie or a referrer');
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
    } catch (error) {
      this.complaints.push(String(error));
    }
    const id = String(headers['webhook-id']);
    if (!this.checkIns.some((known) => known.id === id)) {
      this.checkIns.push({ id, ...(JSON.parse(body) as Omit<CheckIn, 'id'>) });
    }
    if (this.mode === 'loses') request.socket.destroy();
    else response.writeHead(this.mode === 'fails' ? 503 : 204).end();
  }
}

const anna = rightPerson;
const ben: KioskScenario = { ...rightPerson, scannedId: 'ticket-of-ben', filmed: { seed: guests.ben } };
const ids = [anna, ben].map(({ scannedId }) => canaryOf(scannedId, Buffer.from(scannedId)));

/** Runs in the page, whose clock it sets back. */
function setClockBack(byMs: number): void {
  const { now } = Date;
  Date.now = () => now() - byMs;
}

/** Runs in the page. The stores of all its databases: keys, and values as text, a character for each byte. */
async function dumpStores(): Promise<Record<string, { readonly keys: readonly string[]; readonly text: string }>> {
  const textOf = (value: unknown): string => {
    if (value instanceof CryptoKey) return `key for ${value.algorithm.name}`;
    if (value instanceof ArrayBuffer) return textOf(new Uint8Array(value));
    if (value instanceof Uint8Array) return Array.from(value, (byte) => String.fromCharCode(byte)).join('');
    if (typeof value !== 'object' || value === null) return String(value);
    return Object.entries(value)
      .map(([name, part]) => `${name}: ${textOf(part)}`)
      .join();
  };
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const found: Awaited<ReturnType<typeof dumpStores>> = {};
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const rows = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([done(rows.getAllKeys()), done(rows.getAll())]);
      found[`${name}/${store}`] = { keys: keys.map(String), text: textOf(values) };
    }
    database.close();
  }
  return found;
}

test('people who come again: an evening at one door', { tag: '@long' }, async ({ browser }) => {
  const films = new Films();
  const receiver = new Receiver();
  await receiver.open();
  const started = await startKioskService({ environment: { SVC_CHECK_IN_ORIGINS: receiver.url } });
  const list = `/v1/lists/${started.listId}`;
  const ask = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const answer = await started.service.customer.request<Body>(method, path, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  await ask('PATCH', list, { reEntry: 'refuse', checkInUrl: `${receiver.url}/check-ins` });
  receiver.secret = (await ask<{ secret: string }>('POST', `${list}/rotate-check-in-secret`)).secret;
  const device = await started.addTo(started.listId);
  const context = await browser.newContext();
  const tabs: KioskPage[] = [];
  const openTab = async (): Promise<KioskPage> => {
    const tab = await KioskPage.open(context, started.service.api.url);
    tabs.push(tab);
    return tab;
  };
  let kiosk = await openTab();
  await kiosk.pair(device.token);
  await kiosk.press('Set a PIN');
  for (const field of ['New PIN', 'Repeat the PIN']) {
    await kiosk.page.getByLabel(field).fill(PIN);
    await kiosk.page.getByLabel(field).press('Enter');
  }
  await kiosk.page.getByText('A PIN is set.').waitFor();
  await kiosk.press('Start check-in');

  const enterPin = async () => {
    await kiosk.screen('pin');
    await kiosk.page.getByLabel('Staff PIN').fill(PIN);
    await kiosk.page.getByLabel('Staff PIN').press('Enter');
  };
  const toDevice = async () => {
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await enterPin();
    await kiosk.screen('device');
  };
  const sync = () => kiosk.page.getByRole('button', { name: 'Sync now' }).click();
  const waiting = (count: number) =>
    kiosk.page
      .locator('.svc-facts', { hasText: `Check-ins still to be sent${count}` })
      .waitFor({ timeout: PATIENCE_MS });
  const next = async () => {
    await kiosk.page.keyboard.press('Enter');
    await kiosk.screen('scan');
  };

  /** Changes the list, whose name shows when the device has the change. */
  async function change(changes: { readonly name: string; readonly reEntry: string; readonly checkInUrl?: null }) {
    await ask('PATCH', list, changes);
    await toDevice();
    await sync();
    await kiosk.page.locator('.place', { hasText: changes.name }).waitFor({ timeout: PATIENCE_MS });
  }

  const told = (count: number) => expect.poll(() => receiver.checkIns, { timeout: PATIENCE_MS }).toHaveLength(count);
  /** A check-in with these fields and no others. */
  const checkIn = (type: string, { scannedId }: KioskScenario, more: object = {}) => ({
    id: expect.stringMatching(/^chk_[\w-]{20,}$/),
    type: `person.${type}`,
    timestamp: expect.stringMatching(/Z$/),
    data: {
      listId: started.listId,
      deviceId: device.id,
      personId: scannedId,
      checkedInAt: expect.stringMatching(/Z$/),
      ...more,
    },
  });
  const checkedInAt = (nth: number) => String(receiver.checkIns[nth]?.data.checkedInAt);
  /** A check-in's time, as the kiosk writes it. */
  const timeOf = (nth: number) =>
    new Intl.DateTimeFormat('en-GB', { hour: 'numeric', minute: '2-digit' }).format(new Date(checkedInAt(nth)));

  async function isLetIn(person: KioskScenario, words: string): Promise<void> {
    const shown = await visit(kiosk, films, person);
    expectResult(shown, person);
    expect(shown.text).toContain(words);
    await next();
  }

  /** Anna, with her first check-in on the screen, which stays. */
  async function isRefused(): Promise<void> {
    const shown = await visit(kiosk, films, anna);
    expectResult(shown, { ...anna, mustBe: ['NoMatch'] });
    expect(shown.text).toContain('This person was already let in: ');
    expect(shown.text).toContain(`${timeOf(0)}.`);
  }

  await test.step('are let in once, and the organiser’s server is told', async () => {
    await isLetIn(anna, 'Checked in. Please come in.');
    await told(1);
    expect(receiver.checkIns).toEqual([checkIn('checked-in', anna, { again: false })]);
  });

  await test.step('are sent to staff, who see the time', async () => {
    await isRefused();
    await next();
  });

  await test.step('are not let in by a clock that is set back, and refused after a reload with it', async () => {
    await kiosk.page.evaluate(setClockBack, TWO_DAYS_MS);
    await kiosk.scan(anna.scannedId);
    expect(await kiosk.result()).toMatchObject({ outcome: 'LeaseExpired', advice: 'standard-check-in' });
    await kiosk.page.addInitScript(setClockBack, TWO_DAYS_MS);
    await kiosk.page.reload();
    await isRefused();
  });

  await test.step('are refused in the next tab too, which opens when the first is closed', async () => {
    const [first, second] = [kiosk, await openTab()];
    await second.screen('stopped');
    await first.page.close();
    kiosk = second;
    await kiosk.press('Try again');
    await isRefused();
  });

  await test.step('are let in when staff, by their PIN, have taken the admission back', async () => {
    await kiosk.press('Staff: allow entry again');
    await enterPin();
    await kiosk.page.getByText('The earlier entry was taken back. Scan the ticket again.').waitFor();
    await next();
    await isLetIn(anna, 'Checked in. Please come in.');
    await told(3);
    expect(receiver.checkIns.slice(1)).toEqual([
      checkIn('check-in-taken-back', anna, { checkedInAt: checkedInAt(0) }),
      checkIn('checked-in', anna, { again: false }),
    ]);
    expect(receiver.requests).toBe(3);
  });

  await test.step('do not wait for a server that is away: it is told later, once by id', async () => {
    await receiver.close();
    await isLetIn(ben, 'Checked in. Please come in.');
    await toDevice();
    await waiting(1);
    const stores = await kiosk.page.evaluate(dumpStores);
    expect(stores['svc-device/keys']?.keys).toContain('admissions');
    expect(stores['svc-device/pages']?.keys.length).toBeGreaterThan(0);
    expect(foundIn(Buffer.from(JSON.stringify(stores)), ids)).toEqual([]);
    receiver.mode = 'loses';
    await receiver.open();
    const lost = kiosk.page.waitForEvent('requestfailed', (request) => request.url().startsWith(receiver.url));
    await sync();
    await lost;
    await waiting(1);
    receiver.mode = 'accepts';
    await sync();
    await waiting(0);
    expect(receiver.checkIns.slice(3)).toEqual([checkIn('checked-in', ben, { again: false })]);
    expect(receiver.requests).toBeGreaterThan(4);
    await kiosk.press('Start check-in');
  });

  await test.step('are let in with a warning, where the list wants no more', async () => {
    receiver.mode = 'fails';
    await change({ name: 'Members who are warned of', reEntry: 'warn' });
    await kiosk.press('Start check-in');
    const shown = await visit(kiosk, films, anna);
    expect(shown).toMatchObject({ outcome: 'Match', advice: 'already-let-in' });
    expect(shown.text).toContain(`Last let in: ${timeOf(2)}.`);
    await next();
    await told(5);
    expect(receiver.checkIns.slice(4)).toEqual([checkIn('checked-in', anna, { again: true })]);
  });

  await test.step('are «verified» where nobody is told, while what was not accepted waits', async () => {
    await change({ name: 'Members of old', reEntry: 'off', checkInUrl: null });
    await waiting(1);
    await kiosk.press('Start check-in');
    await isLetIn(anna, 'Verified. Please come in.');
  });

  await test.step('are forgotten with the list', async () => {
    await ask('DELETE', list);
    await toDevice();
    await sync();
    await kiosk.page.getByText('The list was deleted, and so was the data on this device.').waitFor();
    expect(await kiosk.page.locator('.svc-facts').textContent()).not.toContain('still to be sent');
    const stores = await kiosk.page.evaluate(dumpStores);
    expect(stores['svc-device/keys']?.keys).not.toContain('admissions');
    for (const store of ['secrets', 'packs', 'chunks', 'pages']) {
      expect(stores[`svc-device/${store}`]?.keys, store).toEqual([]);
    }
    expect(foundIn(Buffer.from(JSON.stringify(stores)), ids)).toEqual([]);
  });

  await test.step('have left nothing else at the server, and no other host was asked', () => {
    expect(receiver.complaints).toEqual([]);
    expect(receiver.checkIns).toHaveLength(5);
    const expected = [receiver.url, 'status of 503'];
    const complaints = tabs.flatMap((tab) => tab.complaints);
    expect(complaints.filter((each) => !expected.some((part) => each.includes(part)))).toEqual([]);
  });

  await context.close();
  await started.close();
  await receiver.close();
});
