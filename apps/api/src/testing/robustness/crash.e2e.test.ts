import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@svc/protocol';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { readConfig } from '../../config/config.ts';
import { type BundledProgram, bundleProgram } from '../bundle-program.ts';
import { base64, enrolBody } from '../enrolment-fixture.ts';
import { createTestDatabase } from '../postgres.ts';
import { ServiceNode } from '../rolling/service-node.ts';
import { OwnServer, openServerHome } from '../standby/own-server.ts';
import { sendJson } from '../test-api.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver } from '../webhook-receiver.ts';
import { widgetSettings } from '../widget-fixture.ts';
import { findPartialWrites } from './partial-writes.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { TestDoor } from './test-door.ts';
import { Told } from './told.ts';

/** Instants of each kind; `npm run test:long` has more. */
const API_INSTANTS = Number(process.env.SVC_TEST_CRASH_API_INSTANTS ?? 4);
const DATABASE_INSTANTS = Number(process.env.SVC_TEST_CRASH_DATABASE_INSTANTS ?? 2);
const SEED = Number(process.env.SVC_TEST_CRASH_SEED ?? (API_INSTANTS > 4 ? Date.now() % 2 ** 32 : 1));
/** Longer than any claim, lease or examination of a killed node. */
const LEASES_MS = 200_000;
const LONGEST_RUN_MS = 900;
const PATIENCE_MS = 60_000;
const TIMEOUT_MS = 30 * 60_000;

type Answer = { readonly status: number; readonly body: Record<string, string>; readonly tries: number };

/** Sends a request until it is answered conclusively: by a node that is there, and not with «later». */
async function sendUntilAnswered(
  urls: readonly string[],
  path: string,
  ...[method, body, headers]: [string, object | undefined, Readonly<Record<string, string>>]
): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    const url = `${urls[tries % urls.length]}${path}`;
    const signal = AbortSignal.timeout(15_000);
    const sent = sendJson<Record<string, string>>(url, method, body, headers, { signal });
    const answer = await sent.catch(() => null);
    if (answer !== null && answer.status >= 500 && answer.status !== 503) throw new Error(`answered ${answer.status}`);
    const isLater = ['request-in-flight', 'photo-in-progress'].includes(answer?.body?.code ?? '');
    if (answer !== null && answer.status < 500 && !isLater) return { ...answer, tries };
    await sleep(15);
  }
  throw new Error('no answer for a minute');
}

/**
 * All callers of one account at once: servers that enrol, replace and erase, guests with tokens, lists that are created,
 * closed and deleted, and devices that sync.
 */
class Callers {
  readonly told = new Told();
  readonly #urls: readonly string[];
  readonly #apiKey: string;
  readonly #now: () => number;
  readonly #doors: (readonly [listId: string, door: TestDoor])[] = [];
  #keys = 0;
  #members = '';
  #eventId = '';
  #guests = '';
  #isResting = true;

  constructor(urls: readonly string[], apiKey: string, now: () => number) {
    this.#urls = urls;
    this.#apiKey = apiKey;
    this.#now = now;
  }

  async prepare(webhookUrl: string): Promise<void> {
    await this.#make('/v1/webhooks', { url: webhookUrl });
    this.#members = (await this.#make('/v1/lists', { name: 'Members', ongoing: true })).listId ?? '';
    const at = (hours: number) => new Date(this.#now() + hours * HOUR_MS).toISOString();
    const event = await this.#make('/v1/events', { name: 'Concert', startsAt: at(-1), endsAt: at(300) });
    this.#eventId = event.eventId ?? '';
    await this.#call('POST', `/v1/events/${this.#eventId}/widget`, widgetSettings);
    this.#guests = (await this.#make('/v1/lists', { name: 'Concert', eventId: this.#eventId })).listId ?? '';
    for (const listId of [this.#members, this.#guests]) {
      const { id = '', token = '' } = await this.#make(`/v1/lists/${listId}/devices`, {});
      this.told.happened('device.added', id);
      this.#doors.push([listId, new TestDoor(token)]);
    }
  }

  /** @returns ends the run; resolves when all have an answer to their last request @throws what a caller found */
  start(random: SeededRandom): () => Promise<void> {
    this.#isResting = false;
    const runs: ((random: SeededRandom) => Promise<void>)[] = [
      ...Array.from({ length: 6 }, (_, i) => (own: SeededRandom) => this.#server(`server-${i}`, own)),
      ...Array.from({ length: 2 }, () => (own: SeededRandom) => this.#guest(own)),
      (own) => this.#shortList(own),
      ...this.#doors.map(
        ([, door]) =>
          () =>
            this.#sync(door),
      ),
    ];
    const callers = runs.map(async (run) => {
      const own = random.fork();
      while (!this.#isResting) await run(own);
    });
    const ended = Promise.all(callers);
    ended.catch(() => undefined);
    return async () => {
      this.#isResting = true;
      await ended;
    };
  }

  /** Lets every device sync. */
  async held(): Promise<(readonly [listId: string, tags: ReadonlySet<string>])[]> {
    for (const [, door] of this.#doors) await this.#sync(door);
    expect(this.#doors.flatMap(([, door]) => door.findings)).toEqual([]);
    return this.#doors.map(([listId, { tags }]) => [listId, tags]);
  }

  #key(): string {
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  /** @param as a guest's token; default: the account's server */
  #call(method: string, path: string, body?: object, key = method === 'POST' ? this.#key() : null, as?: string) {
    return sendUntilAnswered(this.#urls, path, method, body, {
      ...(as === undefined ? { 'X-Api-Key': this.#apiKey } : { Authorization: `Bearer ${as}` }),
      ...(key === null ? {} : { 'Idempotency-Key': key }),
    });
  }

  #demand({ status, body }: Answer, ...expected: number[]): void {
    if (!expected.includes(status)) throw new Error(`unexpected answer: ${status} ${body?.code}`);
  }

  async #make(path: string, body: object): Promise<Record<string, string>> {
    const answer = await this.#call('POST', path, body);
    this.#demand(answer, 201);
    return answer.body;
  }

  async #sync(door: TestDoor): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await sleep(20);
      const command = await door.sync(this.#urls[tries % this.#urls.length] ?? '').catch(() => null);
      if (command === 'wipe') throw new Error('a device was told to wipe for nothing');
      if (command === 'keep') return;
    }
  }

  #enrol(listId: string, personId: string, key: string): Promise<Answer> {
    const body = enrolBody({ now: this.#now }, { personId });
    return this.#call('POST', `/v1/lists/${listId}/people`, body, key);
  }

  async #server(name: string, random: SeededRandom): Promise<void> {
    const personId = `${name}-${random.between(1, 5)}`;
    const listId = this.#members;
    if (this.told.present(listId).includes(personId) && random.chance(0.4)) {
      const isWithdrawn = random.chance(0.5);
      const query = isWithdrawn ? '?reason=consent-withdrawn' : '';
      const erased = await this.#call('DELETE', `/v1/lists/${listId}/people/${personId}${query}`);
      // Nobody else erases this person: where it is gone, the answer of an earlier try was lost.
      this.#demand(erased, 204, ...(erased.tries > 1 ? [404] : []));
      return this.told.erased(listId, personId, isWithdrawn);
    }
    const key = this.#key();
    const enrolled = await this.#enrol(listId, personId, key);
    this.#demand(enrolled, 201);
    this.told.enrolled(listId, personId, enrolled.body.deleteAfter ?? '');
  }

  async #guest(random: SeededRandom): Promise<void> {
    const ticketId = `ticket-${this.#key()}`;
    const path = `/v1/events/${this.#eventId}/enrolment-tokens`;
    const created = await this.#call('POST', path, { ticketId, validForHours: 100 });
    // The token was lost with the answer.
    if (created.body.code === 'secret-already-issued') return;
    this.#demand(created, 201);
    const { token } = created.body;
    if (random.chance(0.2)) {
      this.#demand(await this.#call('POST', '/v1/widget/decline', undefined, 'page', token), 204);
      return this.told.happened('person.declined', ticketId);
    }
    const { language, wordingSha256, consentVersion } = (
      await this.#call('GET', '/v1/widget/session', undefined, null, token)
    ).body;
    const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
    const request = { consent, language, wordingSha256, imageBase64: base64('a face') };
    const enrolled = await this.#call('POST', '/v1/widget/enrolments', request, 'page', token);
    // Five nodes died with this guest's photo, so no attempt is left.
    if (enrolled.body.code === 'token-exhausted' && enrolled.tries > 5) return;
    this.#demand(enrolled, 201);
    const person = await this.#call('GET', `/v1/lists/${this.#guests}/people/${ticketId}`);
    this.#demand(person, 200);
    this.told.enrolled(this.#guests, ticketId, person.body.deleteAfter ?? '');
  }

  /** A list that is closed or ended during enrolments, and sometimes deleted. */
  async #shortList(random: SeededRandom): Promise<void> {
    const { listId = '' } = await this.#make('/v1/lists', { name: 'Short', ongoing: true });
    const type = random.pick(['list.closed', 'list.ended'] as const);
    const enrol = async (i: number) => {
      await sleep(random.between(0, 30));
      const enrolled = await this.#enrol(listId, `${listId}-${i}`, this.#key());
      if (enrolled.status === 201) this.told.enrolled(listId, `${listId}-${i}`, enrolled.body.deleteAfter ?? '');
      else expect(['enrolment-closed', 'list-ended']).toContain(enrolled.body.code);
      return enrolled.status;
    };
    const enrolments = [1, 2, 3, 4].map(enrol);
    await sleep(random.between(0, 40));
    const path = `/v1/lists/${listId}/${type === 'list.ended' ? 'end' : 'close-enrollment'}`;
    this.#demand(await this.#call('POST', path), 200);
    expect(await enrol(5)).toBe(409);
    await Promise.all(enrolments);
    this.told.closed(listId, type);
    if (random.chance(0.6)) return;
    const deleted = await this.#call('DELETE', `/v1/lists/${listId}`);
    this.#demand(deleted, 204, ...(deleted.tries > 1 ? [404] : []));
    this.told.deleted(listId);
    if (type === 'list.closed') this.told.happened('list.ended', listId);
  }
}

let program: BundledProgram;
beforeAll(async () => {
  program = await bundleProgram(new URL('../rolling/node.ts', import.meta.url));
});
afterAll(() => program.remove());

/**
 * Kills nodes, or their database, again and again under load. After each kill the database has to be whole, and to hold
 * what was answered.
 */
async function expectKept(
  settings: Readonly<Record<string, string>>,
  o: { readonly nodes: number; readonly instants: number; readonly server?: OwnServer },
): Promise<void> {
  process.stdout.write(`crash: SVC_TEST_CRASH_SEED=${SEED}\n`);
  const random = createSeededRandom(SEED);
  const folder = await mkdtemp(join(tmpdir(), 'svc-crash-'));
  const clockFile = join(folder, 'clock');
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const advance = async () => {
    offsetMs += LEASES_MS;
    await writeFile(clockFile, String(offsetMs));
  };
  await advance();
  const environment = {
    ...{ LOG_LEVEL: 'error', SVC_DATABASE_CONNECTIONS: '5', SVC_DATA_DIR: folder, SVC_TEST_CLOCK_FILE: clockFile },
    ...Object.fromEntries(
      ['API_KEY', 'GUEST_TOKEN', 'DEVICE', 'UNKNOWN_CREDENTIALS'].map((name) => [`SVC_RATE_LIMIT_${name}`, '0']),
    ),
    ...LOCAL_WEBHOOKS,
    ...settings,
  };
  const nodes = await Promise.all(Array.from({ length: o.nodes }, () => ServiceNode.create(program.path, environment)));
  const receiver = await startWebhookReceiver();
  const deployment = await composeAdmin(readConfig({ ...environment, PORT: '0' }), { clock });
  try {
    for (const node of nodes) node.start();
    for (const node of nodes) await node.becomesReady();
    const actor = { kind: 'system' } as const;
    const account = { name: 'Test', country: 'DE', billingCurrency: 'EUR', plan: 'unlimited' } as const;
    const { accountId } = await deployment.accounts.create(account, actor);
    const { apiKey } = await deployment.accounts.createApiKey(accountId, { name: 'test' }, actor);
    const callers = new Callers(
      nodes.map(({ url }) => url),
      apiKey,
      clock.now,
    );
    const { told } = callers;
    await callers.prepare(receiver.url);
    for (let instant = 0; instant < o.instants; instant += 1) {
      const rest = callers.start(random.fork());
      await sleep(random.between(0, LONGEST_RUN_MS));
      if (o.server === undefined) {
        const node = random.pick(nodes as [ServiceNode, ...ServiceNode[]]);
        await node.kill();
        node.start();
        // Sometimes it is killed during its start too.
        if (random.chance(0.2)) {
          await sleep(random.between(0, 2_000));
          await node.kill();
          node.start();
        }
        await node.becomesReady();
      } else {
        await o.server.kill();
        await o.server.start();
      }
      // Leases of what was killed must expire before others can continue.
      await advance();
      await rest();
      const findings = [
        ...(await findPartialWrites(deployment, accountId)),
        ...(await told.compare(deployment, accountId)),
      ];
      for (const [listId, tags] of await callers.held()) {
        findings.push(...(await told.compareDevice(deployment, listId, tags)));
      }
      expect(findings, `instant ${instant}\n${nodes.map(({ output }) => output).join('\n')}`).toEqual([]);
    }
    const sql = "SELECT 1 FROM webhook_deliveries WHERE account_id = ? AND state = 'pending'";
    const delivered = async () => {
      // Pauses between attempts take hours.
      await advance();
      return (await deployment.database.connection.raw<{ rows: unknown[] }>(sql, [accountId])).rows;
    };
    await expect.poll(delivered, { timeout: PATIENCE_MS, interval: 200 }).toEqual([]);
    expect(told.compareNotifications(receiver.received)).toEqual([]);
    expect(told.people.size).toBeGreaterThan(0);
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await deployment.close();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

it.each([
  { nodes: 1, keys: 'folder' },
  { nodes: 2, keys: 'database' },
])(
  'nodes that are killed keep what they have answered: $nodes at a time, keys in a $keys',
  async ({ nodes, keys }) => {
    const database = () => createTestDatabase(inject('postgres'));
    const apart = keys === 'folder' ? {} : { SVC_KEY_DATABASE_URL: await database() };
    await expectKept({ DATABASE_URL: await database(), ...apart }, { nodes, instants: Math.ceil(API_INSTANTS / 2) });
  },
  TIMEOUT_MS,
);

it(
  'a database that is killed keeps what was answered',
  async () => {
    const home = await openServerHome();
    const server = await OwnServer.create(home);
    await server.initialise();
    try {
      await expectKept({ DATABASE_URL: server.url }, { nodes: 1, server, instants: DATABASE_INSTANTS });
    } finally {
      await server.stop();
      await home.remove();
    }
  },
  TIMEOUT_MS,
);
