import { openAccountVault } from '../../crypto/account-vault.ts';
import type { ReceivedNotification } from '../webhook-receiver.ts';
import type { Deployment } from './partial-writes.ts';

/** A person of a list, according to the answers. */
interface AcknowledgedPerson {
  readonly listId: string;
  readonly personId: string;
  /** From the last enrolment, in milliseconds, which identifies it; null after an erasure. */
  deleteAfter: string | null;
  enrolled: number;
  withdrawn: number;
  /** Reason of the last deletion. */
  lastDeletion: string | null;
}

interface CountRow {
  readonly kind: 'given' | 'withdrawn';
  readonly count: number;
}

/**
 * What callers of one account were told in answers, to compare with the database. Every request has an answer: lost
 * ones are repeated.
 */
export class Acknowledgements {
  readonly #people = new Map<string, AcknowledgedPerson>();
  /** Enrolments, as named by {@link markOf}. */
  readonly #marks = new Set<string>();
  /** Everyone who was ever enrolled in any list. */
  readonly #billed = new Set<string>();
  readonly #closed = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #happened: string[] = [];
  /** Errors in the answers themselves. */
  readonly findings: string[] = [];
  /** Number of answers by kind. */
  readonly counts = { enrolled: 0, replaced: 0, erased: 0, guests: 0, declined: 0, closed: 0, deleted: 0, repeated: 0 };

  #person(listId: string, personId: string): AcknowledgedPerson {
    const key = `${listId} ${personId}`;
    const known = this.#people.get(key);
    if (known !== undefined) return known;
    const person = { listId, personId, deleteAfter: null, enrolled: 0, withdrawn: 0, lastDeletion: null };
    this.#people.set(key, person);
    return person;
  }

  /** @param deleteAfter from the answer; different for each enrolment of a person */
  enrolled(listId: string, personId: string, deleteAfter: string): void {
    const person = this.#person(listId, personId);
    const mark = markOf({ listId, personId, deleteAfter });
    if (this.#marks.has(mark)) this.findings.push(`one deleteAfter for two enrolments: ${mark}`);
    this.counts[person.deleteAfter === null ? 'enrolled' : 'replaced'] += 1;
    person.deleteAfter = deleteAfter;
    person.enrolled += 1;
    this.#marks.add(mark);
    this.#billed.add(personId);
  }

  erased(listId: string, personId: string, withdrawn: boolean): void {
    const person = this.#person(listId, personId);
    person.deleteAfter = null;
    person.lastDeletion = withdrawn ? 'consent-withdrawn' : 'erased';
    if (withdrawn) person.withdrawn += 1;
    this.counts.erased += 1;
  }

  /** Closed or ended: no enrolment may follow the answer. */
  closed(listId: string, type: 'list.closed' | 'list.ended'): void {
    this.#closed.add(listId);
    this.#happened.push(`${type} ${listId}`);
    this.counts.closed += 1;
  }

  deleted(listId: string): void {
    this.#closed.delete(listId);
    this.#deleted.add(listId);
    for (const person of this.#people.values()) {
      if (person.listId !== listId) continue;
      person.deleteAfter = null;
      person.lastDeletion = null;
    }
    this.counts.deleted += 1;
  }

  /** An expected notification, as named by {@link nameOf}. */
  happened(name: string): void {
    this.#happened.push(name);
  }

  isPresent(listId: string, personId: string): boolean {
    return (this.#people.get(`${listId} ${personId}`)?.deleteAfter ?? null) !== null;
  }

  /** People in a list, according to the answers. */
  present(listId: string): string[] {
    const people = [...this.#people.values()];
    return people.filter((person) => person.listId === listId && person.deleteAfter !== null).map((p) => p.personId);
  }

  /** Compares the database with the answers. @returns a sentence for each difference */
  async compare(deployment: Deployment, accountId: string): Promise<string[]> {
    const findings: string[] = [];
    const { connection } = deployment.database;
    const rows = async <Row>(sql: string, ...values: unknown[]) =>
      (await connection.raw<{ rows: Row[] }>(sql, values as string[])).rows;
    const vault = await openAccountVault(deployment.keyRing, deployment.random, accountId);
    const there = new Map(
      (
        await rows<{ name: string; delete_after: Date }>(
          "SELECT list_id || ' ' || person_id AS name, delete_after FROM people WHERE account_id = ?",
          accountId,
        )
      ).map(({ name, delete_after: deleteAfter }) => [name, deleteAfter.toISOString()]),
    );
    for (const [name, { listId, personId, deleteAfter, enrolled, withdrawn }] of this.#people) {
      const found = there.get(name) ?? null;
      there.delete(name);
      if (found !== deleteAfter) findings.push(`${name}: told ${deleteAfter}, there is ${found}`);
      const counted = await rows<CountRow>(
        'SELECT kind, count(*)::int AS count FROM consents WHERE account_id = ? AND list_id = ? AND person_ref = ? GROUP BY kind',
        ...[accountId, listId, vault.consentPseudonym(personId)],
      );
      const given = counted.find(({ kind }) => kind === 'given')?.count ?? 0;
      const taken = counted.find(({ kind }) => kind === 'withdrawn')?.count ?? 0;
      if (given !== enrolled) findings.push(`${name}: ${enrolled} enrolments told, ${given} consents`);
      if (taken !== withdrawn) findings.push(`${name}: ${withdrawn} withdrawals told, ${taken} in the ledger`);
    }
    vault.close();
    for (const name of there.keys()) findings.push(`${name}: is there, nobody was told`);
    const { peopleBilled } = await deployment.usage.read(accountId);
    if (peopleBilled !== this.#billed.size) findings.push(`${peopleBilled} people billed, ${this.#billed.size} told`);
    for (const listId of this.#closed) {
      // The close took the last version: nothing may be committed after it.
      const later = await rows(
        'SELECT 1 FROM faces JOIN lists USING (account_id, list_id) WHERE account_id = ? AND list_id = ? AND version >= list_version',
        ...[accountId, listId],
      );
      if (later.length > 0) findings.push(`${listId}: an enrolment was committed after its close`);
    }
    for (const listId of this.#deleted) {
      const left = await rows(
        `SELECT 1 FROM lists WHERE account_id = ? AND list_id = ? UNION ALL SELECT 1 FROM faces WHERE list_id = ?
         UNION ALL SELECT 1 FROM people WHERE list_id = ? UNION ALL SELECT 1 FROM enrolment_tokens WHERE list_id = ?`,
        ...[accountId, listId, listId, listId, listId],
      );
      const key = await deployment.keyRing.unwrapListKey(listId, 1).catch(() => null);
      if (left.length > 0 || key !== null) findings.push(`${listId}: was deleted, and something of it is there`);
    }
    return findings;
  }

  /** Compares received notifications with the answers, when none is pending. @returns a sentence for each difference */
  compareNotifications(received: readonly ReceivedNotification[]): string[] {
    const findings: string[] = [];
    const ids = new Map<string, Set<string>>();
    const textOf = new Map<string, string>();
    for (const { headers, text, body } of received) {
      const id = String(headers['webhook-id']);
      const name = nameOf(body);
      ids.set(name, (ids.get(name) ?? new Set()).add(id));
      if ((textOf.get(id) ?? text) !== text) findings.push(`one delivery that says two things: ${id}`);
      textOf.set(id, text);
      if (body.type === 'person.enrolled' && !this.#marks.has(markOf(body.data))) {
        findings.push(`nobody was told of ${name}`);
      }
    }
    for (const { listId, personId, deleteAfter, lastDeletion } of this.#people.values()) {
      // A deletion drops pending notifications about the person.
      const mark = markOf({ listId, personId, deleteAfter });
      if (deleteAfter !== null && !ids.has(`person.enrolled ${mark}`)) findings.push(`not delivered: enrolled ${mark}`);
      const deletion = `person.deleted ${listId} ${personId} ${lastDeletion}`;
      if (deleteAfter === null && lastDeletion !== null && !ids.has(deletion))
        findings.push(`not delivered: ${deletion}`);
    }
    for (const name of this.#happened) {
      const count = ids.get(name)?.size ?? 0;
      if (count !== 1) findings.push(`${count} deliveries of what happened once: ${name}`);
    }
    for (const mark of this.#marks) {
      const count = ids.get(`person.enrolled ${mark}`)?.size ?? 0;
      if (count > 1) findings.push(`${count} deliveries of one enrolment: ${mark}`);
    }
    return findings;
  }
}

/** Identifies an enrolment. */
function markOf(data: Readonly<Record<string, unknown>>): string {
  return `${data.listId} ${data.personId} ${data.deleteAfter}`;
}

/** The content of a notification, as one text. */
function nameOf({ type, data }: ReceivedNotification['body']): string {
  if (type === 'person.enrolled') return `${type} ${markOf(data)}`;
  if (type === 'person.deleted') return `${type} ${data.listId} ${data.personId} ${data.reason}`;
  if (type === 'person.declined') return `${type} ${data.ticketId}`;
  if (type.startsWith('device.')) return `${type} ${data.deviceId}`;
  return `${type} ${data.listId}`;
}
