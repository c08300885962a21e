import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { HOUR_MS } from '@svc/protocol';
import { afterAll, expect, inject, it } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { readConfig } from '../../config/config.ts';
import { withAccountVault } from '../../crypto/account-vault.ts';
import { bundleProgram } from '../bundle-program.ts';
import { base64, enrolBody } from '../enrolment-fixture.ts';
import { createTestDatabase } from '../postgres.ts';
import { ServiceNode } from '../rolling/service-node.ts';
import { OwnServer, openServerHome } from '../standby/own-server.ts';
import { sendJson } from '../test-api.ts';
import { LOCAL_WEBHOOKS } from '../webhook-receiver.ts';
import { widgetSettings } from '../widget-fixture.ts';
import { type Deployment, findPartialWrites } from './partial-writes.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { TestDoor } from './test-door.ts';

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

/** Sends a request until it is answered conclusively: by a node that is there, and not with “later”. */
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

/** Callers of one account: servers that enrol, replace and erase, guests with tokens, and a device that syncs. */
class Callers {
  /** Until when each person was said to be kept, by list and person; null: was said to be erased. */
  readonly told = new Map<string, string | null>();
  readonly #consents: Record<string, number> = { given: 0, withdrawn: 0 };
  /** The end of each person's enrolments since the last erasure, which erases what would be notified of earlier ones. */
  readonly #enrolments = new Map<string, string[]>();
  readonly #urls: readonly string[];
  readonly #apiKey: string;
  readonly #now: () => number;
  #door = new TestDoor('');
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

  async prepare(): Promise<void> {
    const make = (path: string, body: object) => this.#call(201, 'POST', path, body);
    // Nothing listens there: the deliveries wait.
    await make('/v1/webhooks', { url: 'http://127.0.0.1:9/' });
    const at = (hours: number) => new Date(this.#now() + hours * HOUR_MS).toISOString();
    this.#members = (await make('/v1/lists', { name: 'Members', ongoing: true })).body.listId ?? '';
    const event = await make('/v1/events', { name: 'Concert', startsAt: at(-1), endsAt: at(300) });
    this.#eventId = event.body.eventId ?? '';
    await this.#call(200, 'POST', `/v1/events/${this.#eventId}/widget`, widgetSettings);
    this.#guests = (await make('/v1/lists', { name: 'Concert', eventId: this.#eventId })).body.listId ?? '';
    this.#door = new TestDoor((await make(`/v1/lists/${this.#members}/devices`, {})).body.token ?? '');
  }

  /** @returns ends the run; resolves when all have an answer to their last request @throws what a caller found */
  start(random: SeededRandom): () => Promise<void> {
    this.#isResting = false;
    const runs = [
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => (own: SeededRandom) => this.#server(name, own)),
      ...Array.from({ length: 2 }, () => () => this.#guest()),
      () => this.#sync(),
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

  /** While they rest. @returns a sentence for each difference between what they were told and what is there */
  async differences(deployment: Deployment, accountId: string): Promise<string[]> {
    const { connection } = deployment.database;
    const rows = async <Row>(sql: string) => (await connection.raw<{ rows: Row[] }>(sql, [accountId])).rows;
    const found = await rows<{ name: string; delete_after: Date }>(
      "SELECT list_id || ' ' || person_id AS name, delete_after FROM people WHERE account_id = ?",
    );
    const there = new Map(found.map((row) => [row.name, row.delete_after.toISOString()]));
    const names = [...new Set([...this.told.keys(), ...there.keys()])];
    const findings = names
      .map((name) => [name, this.told.get(name) ?? null, there.get(name) ?? null])
      .filter(([, told, is]) => told !== is)
      .map(([name, told, is]) => `${name}: told ${told}, there is ${is}`);
    const consents = await rows<{ kind: string; count: number }>(
      'SELECT kind, count(*)::int AS count FROM consents WHERE account_id = ? GROUP BY kind',
    );
    for (const [kind, told] of Object.entries(this.#consents)) {
      const count = consents.find((row) => row.kind === kind)?.count ?? 0;
      if (count !== told) findings.push(`${told} times ${kind}, ${count} entries of the ledger`);
    }
    const deliveries = await rows<{ id: string; type: string; payload: Buffer | null }>(
      'SELECT delivery_id AS id, event_type AS type, payload FROM webhook_deliveries WHERE account_id = ?',
    );
    for (const [type, kind] of [['person.enrolled', 'given'] as const, ['person.deleted', 'withdrawn'] as const]) {
      const count = deliveries.filter((row) => row.type === type).length;
      if (count !== this.#consents[kind]) findings.push(`${this.#consents[kind]} times ${kind}, ${count} of ${type}`);
    }
    const notified = await withAccountVault(
      deployment,
      accountId,
      (vault) =>
        new Set(
          deliveries.flatMap(({ id, type, payload }) => {
            if (type !== 'person.enrolled' || payload === null) return [];
            const { data } = JSON.parse(String(Buffer.from(vault.openWebhook(id, payload) ?? [])));
            return [`${data.listId} ${data.personId} until ${data.deleteAfter}`];
          }),
        ),
    );
    for (const [name, ends] of this.#enrolments) {
      const without = ends.filter((end) => !notified.delete(`${name} until ${end}`));
      findings.push(...without.map((end) => `no notification of ${name} until ${end}`));
    }
    findings.push(...[...notified].map((enrolment) => `a notification without its enrolment: ${enrolment}`));
    await this.#sync();
    const members = [...there.keys()].filter((name) => name.startsWith(this.#members)).length;
    if (this.#door.tags.size !== members) findings.push(`a device holds ${this.#door.tags.size} of ${members} people`);
    return [...findings, ...this.#door.findings];
  }

  /** As the account's server, or as a guest with a token; a POST has an idempotency key. @throws Error for others than `expected` */
  async #call(expected: number | number[], method: string, path: string, body?: object, token?: string) {
    this.#keys += 1;
    const answer = await sendUntilAnswered(this.#urls, path, method, body, {
      ...(token === undefined ? { 'X-Api-Key': this.#apiKey } : { Authorization: `Bearer ${token}` }),
      ...(method === 'POST' ? { 'Idempotency-Key': `key-${this.#keys}` } : {}),
    });
    if ([expected].flat().includes(answer.status)) return answer;
    throw new Error(`unexpected answer: ${answer.status} ${answer.body?.code}`);
  }

  async #sync(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await sleep(20);
      const command = await this.#door.sync(this.#urls[tries % this.#urls.length] ?? '').catch(() => null);
      if (command === 'wipe') throw new Error('a device was told to wipe for nothing');
      if (command === 'keep') return;
    }
  }

  #enrolled(listId: string, personId: string, { body }: Answer): void {
    const [name, end] = [`${listId} ${personId}`, body.deleteAfter ?? ''];
    this.told.set(name, end);
    this.#enrolments.set(name, [...(this.#enrolments.get(name) ?? []), end]);
    this.#consents.given = (this.#consents.given ?? 0) + 1;
  }

  /** Nobody else enrols or erases its people. */
  async #server(name: string, random: SeededRandom): Promise<void> {
    const personId = `${name}-${random.between(1, 5)}`;
    const path = `/v1/lists/${this.#members}/people`;
    const person = `${this.#members} ${personId}`;
    if ((this.told.get(person) ?? null) !== null && random.chance(0.4)) {
      const erased = await this.#call([204, 404], 'DELETE', `${path}/${personId}?reason=consent-withdrawn`);
      if (erased.status === 404 && erased.tries === 1) throw new Error('a person was gone before');
      this.told.set(person, null);
      this.#enrolments.delete(person);
      this.#consents.withdrawn = (this.#consents.withdrawn ?? 0) + 1;
      return;
    }
    const body = enrolBody({ now: this.#now }, { personId });
    this.#enrolled(this.#members, personId, await this.#call(201, 'POST', path, body));
  }

  async #guest(): Promise<void> {
    const ticketId = `ticket-${this.#keys}`;
    const path = `/v1/events/${this.#eventId}/enrolment-tokens`;
    const created = await this.#call([201, 409], 'POST', path, { ticketId, validForHours: 100 });
    // The token was lost with the answer.
    if (created.body.code === 'secret-already-issued') return;
    const { token } = created.body;
    const session = await this.#call(200, 'GET', '/v1/widget/session', undefined, token);
    const { language, wordingSha256, consentVersion } = session.body;
    const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
    const request = { consent, language, wordingSha256, imageBase64: base64('a face') };
    const enrolled = await this.#call([201, 401], 'POST', '/v1/widget/enrolments', request, token);
    // Five nodes died with this guest's photo, so no attempt is left.
    if (enrolled.body.code === 'token-exhausted' && enrolled.tries > 5) return;
    this.#enrolled(this.#guests, ticketId, enrolled);
  }
}

const program = await bundleProgram(new URL('../rolling/node.ts', import.meta.url));
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
  const folder = temporaryFolder();
  const clockFile = join(folder, 'clock');
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const advance = async () => {
    // At once: a node that read a file half written would be at another time.
    await writeFile(`${clockFile}.next`, String(offsetMs + LEASES_MS));
    await rename(`${clockFile}.next`, clockFile);
    offsetMs += LEASES_MS;
  };
  await advance();
  const environment = {
    ...LOCAL_WEBHOOKS,
    ...{ LOG_LEVEL: 'error', SVC_DATABASE_CONNECTIONS: '5', SVC_DATA_DIR: folder, SVC_TEST_CLOCK_FILE: clockFile },
    ...Object.fromEntries(
      ['API_KEY', 'GUEST_TOKEN', 'DEVICE', 'UNKNOWN_CREDENTIALS'].map((name) => [`SVC_RATE_LIMIT_${name}`, '0']),
    ),
    ...settings,
  };
  const nodes = await Promise.all(Array.from({ length: o.nodes }, () => ServiceNode.create(program.path, environment)));
  const deployment = await composeAdmin(readConfig({ ...environment, PORT: '0' }), { clock });
  try {
    for (const node of nodes) node.start();
    for (const node of nodes) await node.becomesReady();
    const actor = { kind: 'system' } as const;
    const account = { name: 'Test', country: 'DE', billingCurrency: 'EUR', plan: 'unlimited' } as const;
    const { accountId } = await deployment.accounts.create(account, actor);
    const { apiKey } = await deployment.accounts.createApiKey(accountId, { name: 'test' }, actor);
    const urls = nodes.map(({ url }) => url);
    const callers = new Callers(urls, apiKey, clock.now);
    await callers.prepare();
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
      const partial = await findPartialWrites(deployment, accountId);
      const findings = [...partial, ...(await callers.differences(deployment, accountId))];
      expect(findings, `instant ${instant}\n${nodes.map(({ output }) => output).join('\n')}`).toEqual([]);
    }
    expect(callers.told.size).toBeGreaterThan(0);
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await deployment.close();
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
