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
  NOTHING_EXPECTED,
  promise,
  restored,
  type Undoable,
  Violation,
  withEntry,
  withList,
  withoutEntry,
} from './expected-state.ts';
import { type Answer, answerOf, checkAnswer } from './promise-checker.ts';
import type { Reply } from './simulated-network.ts';
import type { TrueTime } from './true-time.ts';

const RETAIN_DAYS = 2;
const ACCOUNTS = 2;
/** Number of distinct faces: the templates' dimension. */
export const FACES = DIMENSION;

interface Backup {
  readonly rows: Rows;
  readonly expected: ExpectedState;
  /** Number of permanent changes by then. */
  readonly undone: number;
  /** Number of backups restored by then: older versions must not continue. */
  readonly line: number;
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
  #keks: readonly string[];
  #engineId = ENGINE_ID;
  #main: DatabaseCopy;
  #other: DatabaseCopy;
  #node: SimulatedNode | null = null;
  #callers: readonly Caller[] = [];
  #expected: ExpectedState = NOTHING_EXPECTED;
  readonly #backups: Backup[] = [];
  readonly #undone: Undoable[] = [];
  #line = 0;

  private constructor(time: TrueTime, random: SeededRandom, { main, other }: Databases, directory: string) {
    [this.#time, this.#random, this.#directory] = [time, random, directory];
    [this.#main, this.#other] = [main, other];
    this.#keks = [this.#newKek()];
  }

  static async open(time: TrueTime, random: SeededRandom, databases: Databases): Promise<SimulatedService> {
    await databases.main.write(databases.empty);
    const service = new SimulatedService(time, random, databases, await mkdtemp(join(tmpdir(), 'svc-simulation-')));
    service.#node = await service.#open(databases.main);
    const callers: Caller[] = [];
    for (let account = 0; account < ACCOUNTS; account += 1) {
      const made = await service.#service.accounts.create(
        { name: `tenant ${account}`, country: 'DE', billingCurrency: 'EUR', plan: 'pilot' },
        { kind: 'system' },
      );
      callers.push({
        accountId: made.accountId,
        keyId: 'key',
        rights: { scopes: null, expiresAt: null },
        country: 'DE',
        billingCurrency: 'EUR',
      });
    }
    service.#callers = callers;
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

  async createList(account: number, endsInMs: number | null): Promise<void> {
    const caller = this.#caller(account % ACCOUNTS);
    if (this.#expected.suspended.has(account % ACCOUNTS)) return;
    const nowMs = this.#time.now();
    let eventId: string | null = null;
    if (endsInMs !== null) {
      const event = await this.#service.events.create(caller, {
        name: 'Fair',
        startsAt: new Date(nowMs - 1_000).toISOString(),
        endsAt: new Date(nowMs + endsInMs).toISOString(),
      });
      eventId = event.eventId;
    }
    const request =
      eventId === null
        ? { name: 'Members', ongoing: true as const, retainDays: RETAIN_DAYS }
        : { name: 'Guests', eventId, retainDays: 0 };
    const { listId } = await this.#service.lists.create(caller, request);
    this.#expected = withList(this.#expected, {
      ...{ listId, account: account % ACCOUNTS, eventId, isClosed: false, hasEnded: false, people: new Map() },
      deadlineMs: endsInMs === null ? null : nowMs + endsInMs,
    });
  }

  async enrol(nth: number, personId: string, face: number): Promise<void> {
    const list = this.list(nth);
    if (list === null) return;
    const caller = this.#caller(list.account);
    const nowMs = this.#time.now();
    const ticked = { explicitBiometricConsent: true, writtenRelease: true } as const;
    const givenAt = new Date(nowMs).toISOString();
    const consent = { consentVersion: 'eu-v2', givenAt, ...ticked, under16: false, guardianConsent: false };
    const expected = isOver(list, nowMs)
      ? 'list-ended'
      : list.isClosed
        ? 'enrolment-closed'
        : this.#expected.suspended.has(list.account)
          ? 'account-suspended'
          : 'enrolled';
    let deleteAfterMs = 0;
    // The list uses this release's model before the next enrolment.
    if (!isOver(list, nowMs) && !list.isClosed) await this.#service.lists.changeModel(caller, list.listId, undefined);
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
    const person = { face, engineId: this.#engineId, promisedMs, deleteAfterMs };
    this.#expected = withList(this.#expected, { ...list, people: withEntry(list.people, personId, person) });
  }

  async erase(nth: number, personId: string): Promise<void> {
    const list = this.list(nth);
    if (list === null || this.#expected.suspended.has(list.account)) return;
    const person = list.people.get(personId);
    const { listId } = list;
    const outcome = await outcomeOf(async () => {
      await this.#service.people.erase(this.#caller(list.account), listId, personId, false);
      return 'erased';
    });
    // People past their time may or may not be deleted already.
    const isCertain = person === undefined || person.deleteAfterMs > this.#time.now();
    const expected = person === undefined ? 'not-found' : 'erased';
    if (isCertain && !this.#isRemoved(list)) promise(outcome === expected, `${expected}, and not ${outcome}`);
    if (outcome !== 'erased') return;
    this.#undone.push({ listId, personId });
    this.#expected = withList(this.#expected, { ...list, people: withoutEntry(list.people, personId) });
  }

  async close(nth: number): Promise<void> {
    const list = this.#mine(nth);
    if (list === null) return;
    await this.#service.lists.closeEnrollment(this.#caller(list.account), list.listId);
    this.#expected = withList(this.#expected, { ...list, isClosed: true });
  }

  async end(nth: number): Promise<void> {
    const list = this.#mine(nth);
    if (list === null) return;
    await this.#service.lists.end(this.#caller(list.account), list.listId);
    this.#expected = withList(this.#expected, { ...list, hasEnded: true });
  }

  async deleteList(nth: number): Promise<void> {
    const list = this.#mine(nth);
    if (list === null || this.lists.length < 2) return;
    await this.#service.lists.delete(this.#caller(list.account), list.listId);
    this.#forgetList(list);
  }

  async moveEnd(nth: number, endsInMs: number): Promise<void> {
    const list = this.#mine(nth);
    if (list === null || list.eventId === null) return;
    const { eventId } = list;
    const deadlineMs = this.#time.now() + endsInMs;
    const outcome = await outcomeOf(async () => {
      const endsAt = new Date(deadlineMs).toISOString();
      await this.#service.events.update(this.#caller(list.account), eventId, { endsAt });
      return 'moved';
    });
    const expected = (list.deadlineMs ?? 0) <= this.#time.now() ? 'event-ended' : 'moved';
    promise(outcome === expected, `a moved end is answered ${expected}, and not ${outcome}`);
    if (outcome !== 'moved') return;
    const people = new Map(
      [...list.people].map(([name, person]) => [
        name,
        { ...person, deleteAfterMs: Math.min(person.deleteAfterMs, deadlineMs) },
      ]),
    );
    this.#expected = withList(this.#expected, { ...list, deadlineMs, people });
  }

  async suspend(account: number): Promise<void> {
    const { accountId } = this.#caller(account % ACCOUNTS);
    await this.#service.accounts.suspend(accountId, { kind: 'system' });
    const suspended = new Set([...this.#expected.suspended, account % ACCOUNTS]);
    this.#expected = { ...this.#expected, suspended };
  }

  async resume(account: number): Promise<void> {
    const { accountId } = this.#caller(account % ACCOUNTS);
    await this.#service.accounts.resume(accountId, { kind: 'system' });
    const suspended = new Set([...this.#expected.suspended].filter((other) => other !== account % ACCOUNTS));
    this.#expected = { ...this.#expected, suspended };
  }

  /** @returns null if the list accepts no more devices */
  async addDevice(nth: number): Promise<{ token: string; deviceId: string; listId: string } | null> {
    const list = this.#mine(nth);
    if (list === null || (list.deadlineMs !== null && list.deadlineMs <= this.#time.now())) return null;
    const { listId } = list;
    const { device, token } = await this.#service.devices.add(this.#caller(list.account), listId, {});
    const { deviceId } = device;
    this.#expected = { ...this.#expected, devices: withEntry(this.#expected.devices, token, { deviceId, listId }) };
    return { token, deviceId, listId };
  }

  async revoke(token: string): Promise<void> {
    const known = this.#expected.devices.get(token);
    const list = known === undefined ? undefined : this.#expected.lists.get(known.listId);
    if (known === undefined || list === undefined || this.#expected.suspended.has(list.account)) return;
    if (this.#isRemoved(list)) return;
    const { deviceId, listId } = known;
    await this.#service.devices.revoke(this.#caller(list.account), listId, deviceId);
    this.#undone.push({ deviceId });
    this.#expected = { ...this.#expected, revoked: new Set([...this.#expected.revoked, deviceId]) };
  }

  async runJobs(): Promise<void> {
    await this.#service.runJobs();
    this.#noteExpired();
    for (const list of this.lists) if (this.#isRemoved(list)) this.#forgetList(list);
  }

  /** Another process, of an older or newer release. */
  async restart(isUpgrade = false): Promise<void> {
    await this.#close();
    if (isUpgrade) this.#engineId = this.#engineId === ENGINE_ID ? OTHER_ENGINE_ID : ENGINE_ID;
    this.#node = await this.#open(this.#main);
    this.#noteExpired();
  }

  /** Wraps all keys again, and deletes the old key-encryption key. */
  async rotateKek(): Promise<void> {
    const next = this.#newKek();
    this.#keks = [next, ...this.#keks];
    await this.restart();
    const { unreadable } = await this.#service.rotation.rotate();
    promise(unreadable === 0, 'every key is wrapped anew');
    this.#keks = [next];
    await this.restart();
  }

  async backUp(): Promise<void> {
    const undone = this.#undone.length;
    this.#backups.push({ rows: await this.#main.read(), expected: this.#expected, undone, line: this.#line });
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
    this.#line += 1;
    this.#expected = restored(backup.expected, this.#undone.slice(backup.undone));
    this.#noteExpired();
  }

  /**
   * Answers a device.
   * @param onAnswer called with the answer before it is sent
   * @param mayHaveLostKey after a wipe, a failed disk may have kept only that the key pair is gone
   */
  async answer(call: SyncCall, onAnswer: (answer: Answer) => void, mayHaveLostKey = false): Promise<Reply> {
    // Makes the times of answers unique.
    this.#time.advance(1);
    const reply = await this.#service.sync(call);
    const token = call.authorization.slice('Bearer '.length);
    const known = this.#expected.devices.get(token);
    if (reply.status !== 200) {
      const isAnother = reply.status === 409 && mayHaveLostKey;
      promise(known === undefined || isAnother, `a device that is known is answered, and not by ${reply.status}`);
      return reply;
    }
    if (known === undefined) throw new Violation('only a device that is known is answered');
    const answer = answerOf(reply.body, this.#expected.lists.get(known.listId), this.#time.now());
    checkAnswer(answer, known, this.#expected, this.#time.now());
    onAnswer(answer);
    return reply;
  }

  /** Answers a device as a node whose database went back to an older backup while it ran. */
  async answerStale(nth: number | null, call: SyncCall, onAnswer: (answer: Answer) => void): Promise<Reply> {
    this.#time.advance(1);
    const ownLine = this.#backups.filter(({ line }) => line === this.#line);
    const backup = pick(ownLine, nth);
    if (backup === undefined) return this.answer(call, onAnswer);
    await this.#other.write(await this.#main.read());
    const node = await this.#open(this.#other);
    await this.#other.write(backup.rows);
    const reply = await node.sync(call).catch((error: unknown): Reply => {
      // A list that was deleted since has no key any more.
      if (!(error instanceof Error) || error.name !== 'KeyShreddedError') throw error;
      return { status: 500, mediaType: 'application/problem+json', body: new Uint8Array(), sent: async () => {} };
    });
    const known = backup.expected.devices.get(call.authorization.slice('Bearer '.length));
    if (reply.status === 200 && known !== undefined) {
      const list = backup.expected.lists.get(known.listId);
      onAnswer({ ...answerOf(reply.body, list, this.#time.now()), isStale: true });
    }
    await node.close();
    return reply;
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
    const page = await this.#service.people.page(this.#caller(list.account), list.listId, request);
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
      if (this.#isRemoved(list)) continue;
      const due = [...list.people].filter(([, { deleteAfterMs }]) => deleteAfterMs <= nowMs);
      for (const [personId] of due) this.#undone.push({ listId: list.listId, personId });
      const people = new Map([...list.people].filter(([, { deleteAfterMs }]) => deleteAfterMs > nowMs));
      this.#expected = withList(this.#expected, { ...list, people });
    }
  }

  /** Past its deadline: removed by the jobs. */
  #isRemoved({ deadlineMs }: ExpectedList): boolean {
    return deadlineMs !== null && deadlineMs <= this.#time.now();
  }

  #forgetList({ listId }: ExpectedList): void {
    this.#undone.push({ listId, personId: null });
    this.#expected = { ...this.#expected, lists: withoutEntry(this.#expected.lists, listId) };
  }

  /** A list that its owner can still change. */
  #mine(nth: number): ExpectedList | null {
    const list = this.list(nth);
    return list === null || this.#expected.suspended.has(list.account) ? null : list;
  }

  #caller(account: number): Caller {
    const caller = this.#callers[account];
    if (caller === undefined) throw new Error('no such account');
    return caller;
  }

  #open({ url }: DatabaseCopy): Promise<SimulatedNode> {
    return openSimulatedNode({
      ...{ databaseUrl: url, dataDirectory: this.#directory, keks: this.#keks, signingKey },
      engine: { engineId: this.#engineId, dimension: DIMENSION, matchThreshold: THRESHOLD },
      clock: this.#time,
      random: { bytes: (length) => this.#bytes(length) },
    });
  }

  #newKek(): string {
    return Buffer.from(this.#bytes(32)).toString('base64');
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
