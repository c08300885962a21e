import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@svc/protocol';
import { base64, enrolBody } from '../enrolment-fixture.ts';
import type { Answer } from '../test-api.ts';
import { widgetSettings } from '../widget-fixture.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { type Body, type Sent, sendWithRetries } from './retrying-caller.ts';
import type { SeededRandom } from './seeded-random.ts';
import { TestDoor } from './test-door.ts';

const PEOPLE_EACH = 5;

export interface ConcurrentCallersParts {
  readonly apiKey: string;
  readonly random: SeededRandom;
  readonly acknowledged: Acknowledgements;
  /** URLs of the running nodes. */
  readonly urls: () => readonly string[];
  /** The nodes' clock. */
  readonly now: () => number;
}

const text = (body: Body, name: string): string => String(body?.[name]);

/**
 * All callers of one account at once: servers that enrol, replace and erase, guests with tokens, lists that are
 * created, closed and deleted, and devices that sync. They run until `rest`, which completes their current requests.
 */
export class ConcurrentCallers {
  readonly #o: ConcurrentCallersParts;
  readonly #doors = new Map<TestDoor, string>();
  #keys = 0;
  #listId = '';
  #eventId = '';
  #guestListId = '';
  #resting = true;
  #busy: Promise<void>[] = [];

  constructor(parts: ConcurrentCallersParts) {
    this.#o = parts;
  }

  /** The list of the servers and the list of the guests. */
  get listIds(): readonly [string, string] {
    return [this.#listId, this.#guestListId];
  }

  /** @param webhookUrl receives all notifications */
  async prepare(webhookUrl: string): Promise<void> {
    await this.#make('/v1/webhooks', { url: webhookUrl });
    this.#listId = text(await this.#make('/v1/lists', { name: 'Members', ongoing: true }), 'listId');
    const at = (hours: number) => new Date(this.#o.now() + hours * HOUR_MS).toISOString();
    const event = { name: 'Concert', startsAt: at(-1), endsAt: at(300) };
    this.#eventId = text(await this.#make('/v1/events', event), 'eventId');
    await this.#call('POST', `/v1/events/${this.#eventId}/widget`, widgetSettings);
    const list = { name: 'Concert', eventId: this.#eventId };
    this.#guestListId = text(await this.#make('/v1/lists', list), 'listId');
    for (const listId of this.listIds) await this.#addDoor(listId);
  }

  async #addDoor(listId: string): Promise<TestDoor> {
    for (;;) {
      const { status, body } = await this.#call('POST', `/v1/lists/${listId}/devices`, {}, this.#key());
      const deviceId = status === 201 ? text(body, 'id') : text(body, 'resourceId');
      this.#o.acknowledged.happened(`device.added ${deviceId}`);
      // The token was lost with the answer: add another device.
      if (status !== 201) continue;
      const door = new TestDoor(text(body, 'token'));
      this.#doors.set(door, listId);
      return door;
    }
  }

  /** @param servers how many, in addition to guests, lists and devices */
  start(servers = 6): void {
    this.#resting = false;
    const callers = [
      ...Array.from({ length: servers }, (_, i) => this.#server(`server-${i}`, this.#o.random.fork())),
      ...Array.from({ length: 2 }, () => this.#guests(this.#o.random.fork())),
      this.#lists(this.#o.random.fork()),
      ...[...this.#doors.keys()].map((door) => this.#door(door)),
    ];
    this.#busy = callers.map((caller) =>
      caller.catch((error: unknown) => {
        this.#o.acknowledged.findings.push(
          `a caller gave up: ${error instanceof Error ? error.message : String(error)}`,
        );
      }),
    );
  }

  /** Resolves when all callers have an answer to their last request. */
  async rest(): Promise<void> {
    this.#resting = true;
    await Promise.all(this.#busy);
  }

  /** Lets every device sync. @returns the devices' tags by list, and their findings */
  async look(): Promise<{
    readonly held: readonly (readonly [string, ReadonlySet<string>])[];
    readonly findings: string[];
  }> {
    for (const door of this.#doors.keys()) await this.#sync(door);
    const findings = [...this.#doors.keys()].flatMap((door) => door.findings.splice(0));
    return { held: [...this.#doors].map(([door, listId]) => [listId, door.tags] as const), findings };
  }

  #key(): string {
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  #send(sent: Sent): Promise<Answer<Body> & { readonly tries: number }> {
    return sendWithRetries(sent, this.#o.urls, (finding) => this.#o.acknowledged.findings.push(finding));
  }

  #call(method: string, path: string, body?: object, key?: string) {
    const headers = { 'X-Api-Key': this.#o.apiKey, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
    return this.#send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  }

  async #make(path: string, body: object): Promise<Body> {
    const answer = await this.#call('POST', path, body, this.#key());
    if (answer.status !== 201) this.#unexpected(`POST ${path.split('/').pop()}`, answer);
    return answer.body;
  }

  #unexpected(what: string, { status, body }: Answer<Body>): void {
    this.#o.acknowledged.findings.push(`${what} was answered ${status} ${body?.code ?? ''}`);
  }

  async #sync(door: TestDoor): Promise<'keep' | 'wipe'> {
    for (;;) {
      const [url] = this.#o.urls();
      const command = url === undefined ? null : await door.sync(url).catch(() => null);
      if (command !== null) return command;
      await sleep(15);
    }
  }

  async #door(door: TestDoor): Promise<void> {
    while (!this.#resting) {
      if ((await this.#sync(door)) === 'wipe')
        this.#o.acknowledged.findings.push('a device was told to wipe for nothing');
      await sleep(20);
    }
  }

  async #server(name: string, random: SeededRandom): Promise<void> {
    while (!this.#resting) {
      const personId = `${name}-${random.between(1, PEOPLE_EACH)}`;
      if (this.#o.acknowledged.isPresent(this.#listId, personId) && random.chance(0.4)) {
        await this.#erase(this.#listId, personId, random.chance(0.5));
      } else {
        await this.#enrol(personId, random.chance(0.2));
      }
    }
  }

  /** @param again repeats the request, like a caller that lost the answer */
  async #enrol(personId: string, again: boolean): Promise<void> {
    const key = this.#key();
    const request = enrolBody({ now: this.#o.now, advance: () => undefined }, { personId });
    const path = `/v1/lists/${this.#listId}/people`;
    const enrolled = await this.#call('POST', path, request, key);
    if (enrolled.status !== 201) return this.#unexpected('an enrolment', enrolled);
    const deleteAfter = text(enrolled.body, 'deleteAfter');
    this.#o.acknowledged.enrolled(this.#listId, personId, deleteAfter);
    if (!again) return;
    const repeated = await this.#call('POST', path, request, key);
    this.#o.acknowledged.counts.repeated += 1;
    const isSame = repeated.status === 201 && text(repeated.body, 'deleteAfter') === deleteAfter;
    if (!isSame) this.#unexpected('a repeat', repeated);
  }

  async #erase(listId: string, personId: string, withdrawn: boolean): Promise<void> {
    const query = withdrawn ? '?reason=consent-withdrawn' : '';
    const erased = await this.#call('DELETE', `/v1/lists/${listId}/people/${personId}${query}`);
    // No one else erases this person: an earlier try succeeded and its answer was lost.
    const isGone = erased.status === 204 || (erased.status === 404 && erased.tries > 1);
    if (!isGone) return this.#unexpected('an erasure', erased);
    this.#o.acknowledged.erased(listId, personId, withdrawn);
  }

  async #guests(random: SeededRandom): Promise<void> {
    while (!this.#resting) {
      const ticketId = `ticket-${this.#key()}`;
      const path = `/v1/events/${this.#eventId}/enrolment-tokens`;
      const created = await this.#call('POST', path, { ticketId, validForHours: 100 }, this.#key());
      // The token was lost with the answer.
      if (created.status === 409 && created.body?.code === 'secret-already-issued') continue;
      if (created.status !== 201) return this.#unexpected('a token', created);
      const token = text(created.body, 'token');
      if (random.chance(0.2)) await this.#decline(token, ticketId);
      else await this.#enrolGuest(token, ticketId);
    }
  }

  #asGuest(token: string, method: string, path: string, body?: object, key?: string) {
    const headers = { Authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
    return this.#send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  }

  async #decline(token: string, ticketId: string): Promise<void> {
    const declined = await this.#asGuest(token, 'POST', '/v1/widget/decline', undefined, 'page');
    if (declined.status !== 204) return this.#unexpected('a decline', declined);
    this.#o.acknowledged.happened(`person.declined ${ticketId}`);
    this.#o.acknowledged.counts.declined += 1;
  }

  async #enrolGuest(token: string, ticketId: string): Promise<void> {
    const session = await this.#asGuest(token, 'GET', '/v1/widget/session');
    if (session.status !== 200) return this.#unexpected('a session', session);
    const { language, wordingSha256, consentVersion } = session.body ?? {};
    const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
    const request = { consent, language, wordingSha256, imageBase64: base64('a face') };
    const enrolled = await this.#asGuest(token, 'POST', '/v1/widget/enrolments', request, 'page');
    // Five nodes died with this guest's photo, so no attempt is left.
    if (enrolled.status === 401 && enrolled.body?.code === 'token-exhausted' && enrolled.tries > 5) return;
    if (enrolled.status !== 201) return this.#unexpected('a guest’s enrolment', enrolled);
    const person = await this.#call('GET', `/v1/lists/${this.#guestListId}/people/${ticketId}`);
    if (person.status !== 200) return this.#unexpected('a guest who was enrolled', person);
    this.#o.acknowledged.enrolled(this.#guestListId, ticketId, text(person.body, 'deleteAfter'));
    this.#o.acknowledged.counts.guests += 1;
  }

  /** Lists closed or ended during enrolments, some of them then deleted. */
  async #lists(random: SeededRandom): Promise<void> {
    while (!this.#resting) {
      const listId = text(await this.#make('/v1/lists', { name: 'Short', ongoing: true }), 'listId');
      const type = random.pick(['list.closed', 'list.ended'] as const);
      const people = Array.from({ length: 4 }, (_, i) => `${listId}-${i}`);
      const enrolments = people.map(async (personId) => {
        await sleep(random.between(0, 30));
        await this.#enrolUnlessClosed(listId, personId);
      });
      const path = `/v1/lists/${listId}/${type === 'list.ended' ? 'end' : 'close-enrollment'}`;
      await sleep(random.between(0, 40));
      const closed = await this.#call('POST', path, undefined, this.#key());
      if (closed.status !== 200) this.#unexpected('a close', closed);
      await this.#enrolUnlessClosed(listId, `${listId}-late`, true);
      await Promise.all(enrolments);
      this.#o.acknowledged.closed(listId, type);
      if (random.chance(0.4)) await this.#deleteList(listId, type);
    }
  }

  async #enrolUnlessClosed(listId: string, personId: string, isLate = false): Promise<void> {
    const request = enrolBody({ now: this.#o.now, advance: () => undefined }, { personId });
    const enrolled = await this.#call('POST', `/v1/lists/${listId}/people`, request, this.#key());
    const code = enrolled.body?.code;
    if (enrolled.status === 409 && (code === 'enrolment-closed' || code === 'list-ended')) return;
    if (enrolled.status !== 201 || isLate) return this.#unexpected('an enrolment in a list that was closed', enrolled);
    this.#o.acknowledged.enrolled(listId, personId, text(enrolled.body, 'deleteAfter'));
  }

  async #deleteList(listId: string, type: 'list.closed' | 'list.ended'): Promise<void> {
    const deleted = await this.#call('DELETE', `/v1/lists/${listId}`);
    if (deleted.status !== 204 && !(deleted.status === 404 && deleted.tries > 1))
      this.#unexpected('a deletion', deleted);
    this.#o.acknowledged.deleted(listId);
    if (type === 'list.closed') this.#o.acknowledged.happened(`list.ended ${listId}`);
  }
}
