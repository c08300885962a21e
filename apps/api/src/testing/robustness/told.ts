import { deriveLookupKey, lookupTag } from '@svc/core/pack';
import { openAccountVault } from '../../crypto/account-vault.ts';
import type { ReceivedNotification } from '../webhook-receiver.ts';
import type { Deployment } from './partial-writes.ts';

/** A person of a list. */
interface Person {
  readonly listId: string;
  readonly personId: string;
  /** Of the last enrolment, which it identifies; null after an erasure. */
  deleteAfter: string | null;
  enrolled: number;
  withdrawn: number;
  /** Reason of the last deletion that is notified. */
  deletion: string | null;
}

type Data = Readonly<Record<string, unknown>>;
const markOf = ({ listId, personId, deleteAfter }: Data) => `${listId} ${personId} ${deleteAfter}`;

/** What happened, as one text. */
function nameOf({ type, data }: ReceivedNotification['body']): string {
  if (type === 'person.enrolled') return `${type} ${markOf(data)}`;
  if (type === 'person.deleted') return `${type} ${data.listId} ${data.personId} ${data.reason}`;
  if (type === 'person.declined') return `${type} ${data.ticketId}`;
  return type.startsWith('device.') ? `${type} ${data.deviceId}` : `${type} ${data.listId}`;
}

/** What callers of one account were told in answers, to compare with what the service has kept and notified. */
export class Told {
  readonly people = new Map<string, Person>();
  /** Each enrolment. */
  readonly #marks = new Set<string>();
  readonly #closed = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #happened: string[] = [];

  #person(listId: string, personId: string): Person {
    const key = `${listId} ${personId}`;
    const fresh: Person = { listId, personId, deleteAfter: null, enrolled: 0, withdrawn: 0, deletion: null };
    const person = this.people.get(key) ?? fresh;
    this.people.set(key, person);
    return person;
  }

  enrolled(listId: string, personId: string, deleteAfter: string): void {
    const person = this.#person(listId, personId);
    person.deleteAfter = deleteAfter;
    person.enrolled += 1;
    this.#marks.add(markOf({ listId, personId, deleteAfter }));
  }

  erased(listId: string, personId: string, isWithdrawn: boolean): void {
    const person = this.#person(listId, personId);
    person.deleteAfter = null;
    person.deletion = isWithdrawn ? 'consent-withdrawn' : 'erased';
    if (isWithdrawn) person.withdrawn += 1;
  }

  /** No enrolment may follow. */
  closed(listId: string, type: 'list.closed' | 'list.ended'): void {
    this.#closed.add(listId);
    this.happened(type, listId);
  }

  deleted(listId: string): void {
    this.#closed.delete(listId);
    this.#deleted.add(listId);
    for (const person of this.people.values()) {
      if (person.listId === listId) Object.assign(person, { deleteAfter: null, deletion: null });
    }
  }

  /** Something that is notified once. */
  happened(type: string, id: string): void {
    this.#happened.push(`${type} ${id}`);
  }

  present = (listId: string): string[] =>
    [...this.people.values()]
      .filter((person) => person.listId === listId && person.deleteAfter !== null)
      .map(({ personId }) => personId);

  /** @returns a sentence for each difference of the database */
  async compare(deployment: Deployment, accountId: string): Promise<string[]> {
    const findings: string[] = [];
    const rows = async <Row>(sql: string, ...values: unknown[]) =>
      (await deployment.database.connection.raw<{ rows: Row[] }>(sql, values as string[])).rows;
    const found = await rows<{ name: string; delete_after: Date }>(
      "SELECT list_id || ' ' || person_id AS name, delete_after FROM people WHERE account_id = ?",
      accountId,
    );
    const there = new Map(found.map((row) => [row.name, row.delete_after.toISOString()]));
    const vault = await openAccountVault(deployment.keyRing, deployment.random, accountId);
    for (const [name, { listId, personId, deleteAfter, enrolled, withdrawn }] of this.people) {
      const now = there.get(name) ?? null;
      there.delete(name);
      if (now !== deleteAfter) findings.push(`${name}: told ${deleteAfter}, there is ${now}`);
      const [consents] = await rows<{ given: number; taken: number }>(
        `SELECT count(*) FILTER (WHERE kind = 'given')::int AS given, count(*) FILTER (WHERE kind = 'withdrawn')::int AS taken
         FROM consents WHERE account_id = ? AND list_id = ? AND person_ref = ?`,
        ...[accountId, listId, vault.consentPseudonym(personId)],
      );
      if (consents?.given !== enrolled) findings.push(`${name}: ${enrolled} enrolments, ${consents?.given} consents`);
      if (consents?.taken !== withdrawn) findings.push(`${name}: ${withdrawn} withdrawals, ${consents?.taken} entries`);
    }
    vault.close();
    for (const name of there.keys()) findings.push(`${name}: is there, nobody was told`);
    const billed = new Set([...this.people.values()].flatMap((each) => (each.enrolled > 0 ? [each.personId] : [])));
    const { peopleBilled } = await deployment.usage.read(accountId);
    if (peopleBilled !== billed.size) findings.push(`${peopleBilled} people billed, ${billed.size} told`);
    for (const listId of this.#closed) {
      // The close took the last version.
      const sql =
        'SELECT 1 FROM faces JOIN lists USING (account_id, list_id) WHERE list_id = ? AND version >= list_version';
      if ((await rows(sql, listId)).length > 0) findings.push(`${listId}: an enrolment after its close`);
    }
    for (const listId of this.#deleted) {
      const left = await Promise.all(
        ['lists', 'faces', 'people', 'enrolment_tokens'].map((table) =>
          rows(`SELECT 1 FROM ${table} WHERE list_id = ?`, listId),
        ),
      );
      const key = await deployment.keyRing.unwrapListKey(listId, 1).catch(() => null);
      if (left.flat().length > 0 || key !== null) findings.push(`${listId}: was deleted, and something of it is there`);
    }
    return findings;
  }

  /** @returns a sentence if a device of the list holds other people than were told */
  async compareDevice(deployment: Deployment, listId: string, tags: ReadonlySet<string>): Promise<string[]> {
    const lookupKey = deriveLookupKey(await deployment.keyRing.unwrapListKey(listId, 1));
    const present = this.present(listId).map((id) => Buffer.from(lookupTag(lookupKey, id)).toString('hex'));
    const isSame = present.length === tags.size && present.every((tag) => tags.has(tag));
    return isSame ? [] : [`${listId}: a device holds ${tags.size} people, ${present.length} were told`];
  }

  /** When no notification waits. @returns a sentence for each difference */
  compareNotifications(received: readonly ReceivedNotification[]): string[] {
    const findings: string[] = [];
    /** Deliveries of each thing that happened: one may arrive several times. */
    const deliveries = new Map<string, Set<string>>();
    for (const { headers, body } of received) {
      const name = nameOf(body);
      deliveries.set(name, (deliveries.get(name) ?? new Set()).add(String(headers['webhook-id'])));
    }
    const countOf = (name: string) => deliveries.get(name)?.size ?? 0;
    for (const { deleteAfter, deletion, ...person } of this.people.values()) {
      // A deletion drops notifications about the person that wait.
      const last =
        deleteAfter !== null
          ? `person.enrolled ${markOf({ ...person, deleteAfter })}`
          : `person.deleted ${person.listId} ${person.personId} ${deletion}`;
      if ((deleteAfter ?? deletion) !== null && countOf(last) === 0) findings.push(`not delivered: ${last}`);
    }
    for (const name of this.#happened) {
      if (countOf(name) !== 1) findings.push(`${countOf(name)} deliveries of what happened once: ${name}`);
    }
    for (const name of deliveries.keys()) {
      if (!name.startsWith('person.enrolled ')) continue;
      if (!this.#marks.has(name.slice('person.enrolled '.length))) findings.push(`nobody was told of ${name}`);
      if (countOf(name) > 1) findings.push(`${countOf(name)} deliveries of ${name}`);
    }
    return findings;
  }
}
