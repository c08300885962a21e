import { randomBytes } from 'node:crypto';
import { DAY_MS } from '@svc/protocol';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AccountVault, openAccountVault } from '../../crypto/account-vault.ts';
import { KeyShreddedError } from '../../crypto/key-ring.ts';
import { systemRandom } from '../../platform/ports.ts';
import { enrolBody } from '../../testing/enrolment-fixture.ts';
import { createLogSink } from '../../testing/test-api.ts';
import { runJobs, useApi, useServices } from '../../testing/use-api.ts';
import { createGuestPage, createStage, createToken } from '../../testing/widget-fixture.ts';

/** What to search for: a text, and 32 bytes that only the account's key can compute. */
interface Sought {
  readonly text: string;
  readonly pseudonyms: readonly (Buffer | undefined)[];
}

type Row = Readonly<Record<string, unknown>>;

const TABLES = `
SELECT table_name FROM information_schema.tables
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`;

const bytesOf = (value: unknown): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Everything that the account's key opens in a box, for any binding to its row. */
function openings(vault: AccountVault, row: Row, box: Buffer): Buffer[] {
  return Object.values(row).flatMap((name) => {
    if (Buffer.isBuffer(name))
      return [vault.openAnswer(name, box)].flatMap((text) => (text === null ? [] : [Buffer.from(text)]));
    if (typeof name !== 'string') return [];
    const recipient = `${name}/${String(row.position)}`;
    const texts = [
      ...[vault.openPersonId(name, box), vault.openTicketId(name, box)],
      ...[vault.openTicketId(recipient, box), vault.openAddress(recipient, box), vault.openMetadata(name, box)],
    ];
    const opened = [...texts.map((text) => (text === null ? null : Buffer.from(text))), vault.openWebhook(name, box)];
    return opened.flatMap((bytes) => (bytes === null ? [] : [Buffer.from(bytes)]));
  });
}

function tracesIn(row: Row, sought: Sought, vault: AccountVault | null): [column: string, how: string][] {
  return Object.entries(row).flatMap(([column, value]): [string, string][] => {
    const bytes = bytesOf(value);
    const all = Array.isArray(value) ? value.map(bytesOf) : [bytes];
    if (bytes.includes(sought.text)) return [[column, 'clear']];
    const isFound = sought.pseudonyms.some((pseudonym) => all.some((each) => pseudonym?.equals(each)));
    if (isFound) return [[column, 'pseudonym']];
    const isSealed = vault !== null && openings(vault, row, bytes).some((opened) => opened.includes(sought.text));
    return isSealed ? [[column, 'sealed']] : [];
  });
}

/**
 * Finds data of a person in a database: in clear text, as a pseudonym, or sealed with the account's key.
 * @param vault of the account; null when its key was destroyed
 * @returns `table.column how`, without duplicates
 */
async function findTraces(databaseUrl: string, sought: Sought, vault: AccountVault | null): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = new Set<string>();
    const tables = await client.query<{ table_name: string }>(TABLES);
    for (const { table_name: table } of tables.rows) {
      const { rows } = await client.query<Row>(`SELECT * FROM ${pg.escapeIdentifier(table)}`);
      const traces = rows.flatMap((row) => tracesIn(row, sought, vault));
      for (const [column, how] of traces) found.add(`${table}.${column} ${how}`);
    }
    return [...found].sort();
  } finally {
    await client.end();
  }
}

const logs = createLogSink();
const { api, clock, customer } = useApi({ logDestination: logs });
/** Without deliveries, so that the traces are those that the deletion itself leaves. */
const services = useServices(api, { clock });
let listId: string;

const PEOPLE = ['enrolled', 'declined', 'widget', 'invited', 'mailed'] as const;
type Person = (typeof PEOPLE)[number];
let canary: string;
/** The person's identifier, unique to this test. */
const idOf = (person: Person) => `${canary}-${person}`;

/**
 * People enrolled by the organiser, declined and enrolled in the widget, invited, and invited by mail; with notifications
 * and stored answers.
 */
beforeEach(async () => {
  canary = `canary${randomBytes(6).toString('hex')}`;
  await customer.request('POST', '/v1/webhooks', { url: 'https://receiver.invalid/hook' });
  const stage = await createStage(customer, clock);
  listId = stage.listId;
  const headers = { 'Idempotency-Key': 'canary-request' };
  const body = enrolBody(clock, { personId: idOf('enrolled'), metadata: { of: idOf('enrolled') } });
  expect((await customer.request('POST', `/v1/lists/${listId}/people`, body, { headers })).status).toBe(201);
  const tokenFor = async (ticketId: string) => (await createToken(customer, stage.eventId, { ticketId })).token;
  const declining = createGuestPage(api, await tokenFor(idOf('declined')));
  expect((await declining.decline('canary-decline')).status).toBe(204);
  const enrolling = createGuestPage(api, await tokenFor(idOf('widget')));
  expect((await enrolling.enrol({ key: 'canary-enrolment' })).status).toBe(201);
  await tokenFor(idOf('invited'));
  const recipients = [{ ticketId: idOf('mailed'), email: `${idOf('mailed')}@example.org` }];
  const mailing = { recipients, validForHours: 1 };
  expect((await customer.request('POST', `/v1/events/${stage.eventId}/mailings`, mailing)).status).toBe(201);
});

async function openVault(): Promise<AccountVault | null> {
  try {
    return await openAccountVault(services.keyRing, systemRandom, customer.accountId);
  } catch (error) {
    if (error instanceof KeyShreddedError) return null;
    throw error;
  }
}

/** @param maker computes the pseudonyms when the account's key was destroyed */
async function tracesOf(person: Person, maker: AccountVault | null = null): Promise<string[]> {
  const personId = idOf(person);
  const vault = await openVault();
  const pseudonyms = [vault ?? maker].flatMap((key) => [
    ...[key?.billingPseudonym(personId), key?.consentPseudonym(personId), key?.webhookPseudonym(listId, personId)],
    ...[key?.ticketPseudonym(listId, personId), key?.requestHmac('person', listId, personId)],
    key?.metadataPseudonym(listId, 'of', personId),
  ]);
  try {
    return await findTraces(api.ownerUrl, { text: personId, pseudonyms }, vault);
  } finally {
    vault?.close();
  }
}

async function tracesOfAll(maker: AccountVault | null = null): Promise<Record<string, string[]>> {
  const found = await Promise.all(PEOPLE.map(async (person) => [person, await tracesOf(person, maker)] as const));
  return Object.fromEntries(found);
}

const EVIDENCE = ['consents.person_id_sealed sealed', 'consents.person_ref pseudonym'];
const BILL = 'billed_people.person_hmac pseudonym';
const NOTICE = ['webhook_deliveries.payload sealed', 'webhook_deliveries.person_ref pseudonym'];
const [TICKET, TICKET_REF] = ['enrolment_tokens.ticket_id_sealed sealed', 'enrolment_tokens.ticket_ref pseudonym'];

describe('what is left of a person', () => {
  it('is found by this test as long as he is there', async () => {
    expect(await tracesOfAll()).toEqual({
      enrolled: [
        BILL,
        ...EVIDENCE,
        'idempotent_requests.answer_sealed sealed',
        'idempotent_requests.person_hmac pseudonym',
        'people.metadata_refs pseudonym',
        'people.metadata_sealed sealed',
        'people.person_id clear',
        'people.ticket_ref pseudonym',
        ...NOTICE,
      ],
      // The ticket for half an hour: the guest can undo it.
      declined: [TICKET, TICKET_REF, ...NOTICE],
      widget: [BILL, ...EVIDENCE, TICKET_REF, 'people.person_id clear', 'people.ticket_ref pseudonym', ...NOTICE],
      invited: [TICKET, TICKET_REF],
      mailed: [
        'mailing_recipients.address_sealed sealed',
        'mailing_recipients.ticket_id_sealed sealed',
        'mailing_recipients.ticket_ref pseudonym',
      ],
    });
  });

  it('who is erased: the bill, the evidence, and the notice of it until it is delivered', async () => {
    expect((await customer.request('DELETE', `/v1/lists/${listId}/people/${idOf('enrolled')}`)).status).toBe(204);
    expect(await tracesOf('enrolled')).toEqual([BILL, ...EVIDENCE, ...NOTICE]);
    expect(await tracesOf('widget')).toContain('people.person_id clear');
  });

  it('whose list is deleted: the bill and the evidence', async () => {
    expect((await customer.request('DELETE', `/v1/lists/${listId}`)).status).toBe(204);
    const [enrolled, widget] = [
      [BILL, ...EVIDENCE],
      [BILL, ...EVIDENCE],
    ];
    expect(await tracesOfAll()).toEqual({ enrolled, widget, declined: [], invited: [], mailed: [] });
  });

  it('whose account is deleted: nothing, nor would the key that is gone find anything', async () => {
    const former = await openVault();
    await api.admin.accounts.delete(customer.accountId);
    expect(await tracesOfAll(former)).toEqual(Object.fromEntries(PEOPLE.map((person) => [person, []])));
    former?.close();
  });

  it('whose time is over: the bill alone, once the evidence is out of date and the notices are old', async () => {
    clock.advance(10 * DAY_MS);
    await runJobs(services);
    for (const person of ['declined', 'invited', 'mailed'] as const) expect(await tracesOf(person)).toEqual([]);
    clock.advance(2_000 * DAY_MS);
    await runJobs(services);
    for (const person of ['enrolled', 'widget'] as const) expect(await tracesOf(person)).toEqual([BILL]);
  });

  it('is in no log', () => {
    expect(logs.text).not.toBe('');
    expect(logs.text).not.toContain('canary');
  });
});
