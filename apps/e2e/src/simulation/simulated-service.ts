import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMigratedDatabase,
  DatabaseCopy,
  newSigningKey,
  openSimulatedNode,
  parseSigningKeys,
  type Rows,
  type SeededRandom,
  ServiceError,
  type SimulatedNode,
  type SyncCall,
} from '@svc/api/testing';
import { DIMENSION, ENGINE_ID, OTHER_ENGINE_ID, THRESHOLD, templateOf } from '@svc/device-sdk/testing';
import { DAY_MS } from '@svc/protocol';
import {
  type ExpectedList,
  type ExpectedState,
  isOver,
  nothingExpected,
  promise,
  repeatChanges,
  type Undoable,
} from './expected-state.ts';
import { type Answer, answerOf, checkAnswer } from './promise-checker.ts';
import type { Reply } from './simulated-network.ts';
import type { TrueTime } from './true-time.ts';

const RETAIN_DAYS = 2;
/** Number of distinct faces: the templates' dimension. */
export const FACES = DIMENSION;

interface Backup {
  readonly rows: Rows;
  readonly expected: ExpectedState;
  /** Number of permanent changes by then. */
  readonly undone: number;
}

type Caller = Parameters<SimulatedNode['lists']['get']>[0];

const signingKey = newSigningKey().value;

/** Where devices find the service, and the key they trust. */
export const REGION = {
  baseUrl: 'https://api.simulated.test',
  signingKeys: parseSigningKeys(signingKey).map(({ publicKey }) => publicKey),
};

/** The databases in which a process runs its histories, one after another. */
export interface Databases {
  readonly main: DatabaseCopy;
  /** For a node on a backup. */
  readonly other: DatabaseCopy;
  readonly empty: Rows;
}

/** @param postgres a server with the migrated template */
export async function openDatabases(postgres: Parameters<typeof createMigratedDatabase>[0]): Promise<Databases> {
  const open = async () => DatabaseCopy.open(await createMigratedDatabase(postgres));
  const [main, other] = [await open(), await open()];
  return { main, other, empty: await main.read() };
}

/** The service as its users know it, with the expected state. */
export class SimulatedService {
  readonly #time: TrueTime;
  readonly #random: SeededRandom;
  readonly #directory: string;
  readonly #kek: string;
  #engineId = ENGINE_ID;
  #main: DatabaseCopy;
  #other: DatabaseCopy;
  #node: SimulatedNode | null = null;
  #account: Caller | null = null;
  #expected: ExpectedState = nothingExpected();
  readonly #backups: Backup[] = [];
  readonly #undone: Undoable[] = [];

  private constructor(time: TrueTime, random: SeededRandom, { main, other }: Databases, directory: string) {
    [this.#time, this.#random, this.#directory] = [time, random, directory];
    [this.#main, this.#other] = [main, other];
    this.#kek = Buffer.from(this.#bytes(32)).toString('base64');
  }

  static async open(time: TrueTime, random: SeededRandom, databases: Databases): Promise<SimulatedService> {
    await databases.main.write(databases.empty);
    const service = new SimulatedService(time, random, databases, await mkdtemp(join(tmpdir(), 'svc-simulation-')));
    service.#node = await service.#open(databases.main);
    const account = { name: 'tenant', country: 'DE', billingCurrency: 'EUR', plan: 'pilot' } as const;
    const { accountId } = await service.#service.accounts.create(account, { kind: 'system' });
    const rights = { scopes: null, expiresAt: null };
    service.#account = { accountId, keyId: 'key', rights, country: 'DE', billingCurrency: 'EUR', mode: 'live' };
    return service;
  }

  get expected(): ExpectedState {
    return this.#expected;
  }

  get lists(): readonly ExpectedList[] {
    return [...this.#expected.lists.values()];
  }

  list(nth: number): ExpectedList | null {
    return this.lists[nth % Math.max(1, this.lists.length)] ?? null;
  }

  async createList(endsInMs: number | null): Promise<void> {
    const caller = this.#caller;
    const nowMs = this.#time.now();
    const eventUntil = async (endMs: number) => {
      const [startsAt, endsAt] = [nowMs - 1_000, endMs].map((ms) => new Date(ms).toISOString()) as [string, string];
      return (await this.#service.events.create(caller, { name: 'Fair', startsAt, endsAt })).eventId;
    };
    const deadlineMs = endsInMs === null ? null : nowMs + endsInMs;
    const eventId = deadlineMs === null ? null : await eventUntil(deadlineMs);
    const { listId } = await this.#service.lists.create(
      caller,
      eventId === null
        ? { name: 'Members', ongoing: true, retainDays: RETAIN_DAYS }
        : { name: 'Guests', eventId, retainDays: 0 },
    );
    this.#expected.lists.set(listId, { listId, eventId, deadlineMs, people: new Map() });
  }

  async enrol(nth: number, personId: string, face: number): Promise<void> {
    const list = this.list(nth);
    if (list === null) return;
    const caller = this.#caller;
    const nowMs = this.#time.now();
    const ticked = { explicitBiometricConsent: true, writtenRelease: true } as const;
    const givenAt = new Date(nowMs).toISOString();
    const consent = { consentVersion: 'eu-v2', givenAt, ...ticked, under16: false, guardianConsent: false };
    const expected = isOver(list, nowMs) ? 'list-ended' : 'enrolled';
    let deleteAfterMs = 0;
    // The list uses this release's model before the next enrolment.
    if (!isOver(list, nowMs)) await this.#service.lists.changeModel(caller, list.listId, undefined);
    const outcome = await outcomeOf(async () => {
      const view = await this.#service.enrolments.find({ accountId: caller.accountId, listId: list.listId });
      const enrolled = await this.#service.enrolments.enrol(
        caller,
        view,
        { personId, consent, photo: new Uint8Array() },
        this.#service.admission(templateOf(face, this.#engineId)),
      );
      deleteAfterMs = enrolled.deleteAfter.getTime();
      return 'enrolled';
    });
    promise(outcome === expected, `an enrolment is answered ${expected}, and not ${outcome}`);
    if (outcome !== 'enrolled') return;
    const promisedMs = list.deadlineMs ?? nowMs + RETAIN_DAYS * DAY_MS;
    promise(deleteAfterMs === promisedMs, 'an enrolment tells the deadline');
    list.people.set(personId, { face, engineId: this.#engineId, promisedMs, deleteAfterMs });
  }

  async erase(nth: number, personId: string): Promise<void> {
    const list = this.list(nth);
    if (list === null) return;
    const person = list.people.get(personId);
    const { listId } = list;
    const outcome = await outcomeOf(async () => {
      await this.#service.people.erase(this.#caller, listId, personId, false);
      return 'erased';
    });
    // People past their time may or may not be deleted already.
    const isCertain = person === undefined || person.deleteAfterMs > this.#time.now();
    const expected = person === undefined ? 'not-found' : 'erased';
    if (isCertain && !isOver(list, this.#time.now())) promise(outcome === expected, `${expected}, and not ${outcome}`);
    if (outcome !== 'erased') return;
    this.#undone.push({ listId, personId });
    list.people.delete(personId);
  }

  async deleteList(nth: number): Promise<void> {
    const list = this.list(nth);
    if (list === null || this.lists.length < 2) return;
    await this.#service.lists.delete(this.#caller, list.listId);
    this.#forgetList(list);
  }

  async moveEnd(nth: number, endsInMs: number): Promise<void> {
    const list = this.list(nth);
    if (list === null || list.eventId === null) return;
    const { eventId } = list;
    const deadlineMs = this.#time.now() + endsInMs;
    const outcome = await outcomeOf(async () => {
      const endsAt = new Date(deadlineMs).toISOString();
      await this.#service.events.update(this.#caller, eventId, { endsAt });
      return 'moved';
    });
    const expected = (list.deadlineMs ?? 0) <= this.#time.now() ? 'event-ended' : 'moved';
    promise(outcome === expected, `a moved end is answered ${expected}, and not ${outcome}`);
    if (outcome !== 'moved') return;
    list.deadlineMs = deadlineMs;
    for (const person of list.people.values()) person.deleteAfterMs = Math.min(person.deleteAfterMs, deadlineMs);
  }

  /** @returns null if the list accepts no more devices */
  async addDevice(nth: number): Promise<{ token: string; deviceId: string; listId: string } | null> {
    const list = this.list(nth);
    if (list === null || isOver(list, this.#time.now())) return null;
    const { listId } = list;
    const { device, token } = await this.#service.devices.add(this.#caller, listId, {});
    const { deviceId } = device;
    this.#expected.devices.set(token, { deviceId, listId });
    return { token, deviceId, listId };
  }

  async revoke(token: string): Promise<void> {
    const known = this.#expected.devices.get(token);
    const list = known === undefined ? undefined : this.#expected.lists.get(known.listId);
    if (known === undefined || list === undefined) return;
    if (isOver(list, this.#time.now())) return;
    const { deviceId, listId } = known;
    await this.#service.devices.revoke(this.#caller, listId, deviceId);
    this.#undone.push({ deviceId });
    this.#expected.revoked.add(deviceId);
  }

  async runJobs(): Promise<void> {
    await this.#service.runJobs();
    this.#noteExpired();
    for (const list of this.lists) if (isOver(list, this.#time.now())) this.#forgetList(list);
  }

  /** Another process, of an older or newer release. */
  async restart(isUpgrade = false): Promise<void> {
    await this.#close();
    if (isUpgrade) this.#engineId = this.#engineId === ENGINE_ID ? OTHER_ENGINE_ID : ENGINE_ID;
    this.#node = await this.#open(this.#main);
    this.#noteExpired();
  }

  async backUp(): Promise<void> {
    const expected = structuredClone(this.#expected);
    this.#backups.push({ rows: await this.#main.read(), expected, undone: this.#undone.length });
  }

  /** Restores the database; the key store is not restored. */
  async restore(nth: number | null): Promise<void> {
    const backup = pick(this.#backups, nth);
    if (backup === undefined) return;
    await this.#close();
    await this.#other.write(backup.rows);
    try {
      this.#node = await this.#open(this.#other);
    } catch (error) {
      // Refused: older than the remembered version.
      if (!(error instanceof Error) || error.name !== 'KeyStoreError') throw error;
      await this.restart();
      return;
    }
    [this.#main, this.#other] = [this.#other, this.#main];
    this.#expected = structuredClone(backup.expected);
    repeatChanges(this.#expected, this.#undone.slice(backup.undone));
    this.#noteExpired();
  }

  /** Answers a device. */
  async answer(call: SyncCall): Promise<{ readonly reply: Reply; readonly answer: Answer | null }> {
    // Makes the times of answers unique.
    this.#time.advance(1);
    const reply = await this.#service.sync(call);
    const known = this.#expected.devices.get(call.authorization.slice('Bearer '.length));
    promise((known !== undefined) === (reply.status === 200), `a device that is known is answered: ${reply.status}`);
    if (known === undefined) return { reply, answer: null };
    const answer = answerOf(reply.body, this.#expected.lists.get(known.listId), this.#time.now());
    checkAnswer(answer, known, this.#expected, this.#time.now());
    return { reply, answer };
  }

  /** The list keys of an answer, to be searched for later. */
  async keysOf({ manifest }: Answer): Promise<readonly { readonly name: string; readonly key: Uint8Array }[]> {
    const keys = [];
    for (const { epoch } of manifest.epochs) {
      const name = `${manifest.listId} ${epoch}`;
      keys.push({ name, key: await this.#service.keyRing.unwrapListKey(manifest.listId, epoch) });
    }
    return keys;
  }

  /** The list's people by the service's own API. */
  async people(list: ExpectedList): Promise<ReadonlySet<string>> {
    const request = { cursor: undefined, limit: 1_000 };
    const page = await this.#service.people.page(this.#caller, list.listId, request);
    return new Set(page.items.map(({ personId }) => personId));
  }

  async shutDown(): Promise<void> {
    await this.#close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #service(): SimulatedNode {
    if (this.#node === null) throw new Error('no node runs');
    return this.#node;
  }

  async #close(): Promise<void> {
    const node = this.#node;
    this.#node = null;
    await node?.close();
    promise((node?.errors ?? []).length === 0, `nothing fails behind an answer: ${node?.errors.join('')}`);
  }

  /** Expired people stay deleted, even if a backup has a later deadline of their list. */
  #noteExpired(): void {
    const nowMs = this.#time.now();
    for (const list of this.lists) {
      if (isOver(list, this.#time.now())) continue;
      for (const [personId, { deleteAfterMs }] of list.people) {
        if (deleteAfterMs > nowMs) continue;
        this.#undone.push({ listId: list.listId, personId });
        list.people.delete(personId);
      }
    }
  }

  #forgetList({ listId }: ExpectedList): void {
    this.#undone.push({ listId, personId: null });
    this.#expected.lists.delete(listId);
  }

  get #caller(): Caller {
    if (this.#account === null) throw new Error('no account');
    return this.#account;
  }

  #open({ url }: DatabaseCopy): Promise<SimulatedNode> {
    return openSimulatedNode({
      ...{ databaseUrl: url, dataDirectory: this.#directory, keks: [this.#kek], signingKey },
      engine: { engineId: this.#engineId, dimension: DIMENSION, matchThreshold: THRESHOLD },
      clock: this.#time,
      random: { bytes: (length) => this.#bytes(length) },
    });
  }

  #bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.#random.between(0, 255));
  }
}

function pick<T>(all: readonly T[], nth: number | null): T | undefined {
  return nth === null ? all.at(-1) : all[nth % Math.max(1, all.length)];
}

async function outcomeOf<T extends string>(action: () => Promise<T>): Promise<string> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}
