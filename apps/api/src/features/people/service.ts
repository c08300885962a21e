import { isDeepStrictEqual } from 'node:util';
import {
  consentVersionSchema,
  isPersonId,
  type Metadata,
  type MetadataChange,
  type PeopleSummary,
  type PersonQuery,
  type PersonResource,
  WITHHOLD_BEFORE_MS,
} from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import { found, missing } from '../../platform/errors.ts';
import { decodeCursor, encodeCursor, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { AdmissionService } from '../admissions/service.ts';
import { actOf } from '../audit/service.ts';
import type { ConsentService } from '../consents/service.ts';
import type { ListService } from '../lists/service.ts';
import type { ListKey, ListRecord, ListStore } from '../lists/store.ts';
import type { MailingStore } from '../mailings/store.ts';
import { changedMetadata, metadataRefs, openMetadata, sealMetadata } from '../metadata.ts';
import type { Uses } from '../uses.ts';
import { toErasures } from './expiry.ts';
import type { ExpiryStore } from './expiry-store.ts';
import type { FoundPerson, PeopleFilter, PeopleOrder, PersonStore } from './store.ts';

/** People erased in one transaction, which limits how long the list stays locked. */
const ERASED_AT_ONCE = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEADLINE_PLACE = /^([0-9]{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * The keys of cursors in one order of people. They hold no personId that could be read: query strings are logged by
 * proxies.
 */
export interface Places {
  isKey(key: string): boolean;
  /** @param key undefined for the first page */
  orderAfter(key: string | undefined): PeopleOrder;
  keyOf(person: FoundPerson): string;
}

export function placesByEnrolment(by: 'oldest' | 'newest'): Places {
  const mark = by === 'newest' ? '-' : '';
  const rowIdOf = (key: string) => key.slice(mark.length);
  return {
    isKey: (key) => key.startsWith(mark) && UUID.test(rowIdOf(key)),
    orderAfter: (key) => ({ by, after: key === undefined ? undefined : { rowId: rowIdOf(key) } }),
    keyOf: ({ rowId }) => mark + rowId,
  };
}

export const placesByDeadline: Places = {
  isKey: (key) => DEADLINE_PLACE.test(key),
  orderAfter(key = '') {
    const [, deleteAfterMs, rowId] = DEADLINE_PLACE.exec(key) ?? [];
    const by = 'deadline' as const;
    return rowId === undefined ? { by } : { by, after: { deleteAfter: new Date(Number(deleteAfterMs)), rowId } };
  },
  keyOf: ({ deleteAfter, rowId }) => `${deleteAfter.getTime()}.${rowId}`,
};

/** The personId is sealed; so the place stays when the person is erased meanwhile. */
export function placesByPersonId(vault: AccountVault, listId: string): Places {
  const open = (key: string) => vault.openPlace(listId, Buffer.from(key, 'base64url'));
  return {
    isKey: (key) => open(key) !== null,
    orderAfter(key) {
      const personId = key === undefined ? null : open(key);
      return { by: 'personId', after: personId === null ? undefined : { personId } };
    },
    keyOf: ({ personId }) => vault.sealPlace(listId, personId).toString('base64url'),
  };
}

/** What is told of a person. */
export type SeenPerson = Pick<FoundPerson, 'personId' | 'engineId' | 'consentVersion' | 'enrolledAt' | 'deleteAfter'>;

/** A page of people. */
type PersonPageRequest = Omit<PersonQuery, 'personId'>;
/** Which people are meant; what is absent leaves nobody out. */
type PeopleQuery = Omit<PersonPageRequest, 'cursor' | 'limit' | 'order' | 'search'>;

export type PersonService = ReturnType<typeof createPersonService>;

export function createPersonService(
  o: Uses<'database' | 'audit' | 'outbox' | 'keyRing' | 'erasures' | 'requests' | 'engines' | 'clock' | 'random'> & {
    readonly people: PersonStore;
    readonly expiryStore: Pick<ExpiryStore, 'takeNamed' | 'noteRemovals'>;
    readonly lists: ListService;
    readonly listStore: ListStore;
    readonly consents: ConsentService;
    readonly mailings: Pick<MailingStore, 'forgetTickets'>;
    readonly admissions: Pick<AdmissionService, 'forget'>;
  },
) {
  const now = () => new Date(o.clock.now());

  /** When the list's devices no longer get a face: as the sync withholds it. */
  function dueAtOf({ retentionDeadline }: ListRecord): Date {
    return new Date(o.clock.now() + (retentionDeadline === null ? WITHHOLD_BEFORE_MS : 0));
  }

  function viewIn(list: ListRecord): (person: SeenPerson) => PersonResource {
    const current = o.engines.modelIdOf(list.engineId);
    const dueAt = dueAtOf(list);
    return (person) => {
      const modelId = o.engines.modelIdOf(person.engineId);
      const state = modelId === current ? 'enrolled' : 'other-model';
      return {
        ...{ personId: person.personId, modelId, state: person.deleteAfter <= dueAt ? 'leaving' : state },
        consentVersion: consentVersionSchema.parse(person.consentVersion),
        enrolledAt: person.enrolledAt.toISOString(),
        deleteAfter: person.deleteAfter.toISOString(),
      };
    };
  }

  /** With their metadata; the account's key is needed only where there is some. */
  async function tell(list: ListRecord, people: readonly FoundPerson[]): Promise<PersonResource[]> {
    const view = viewIn(list);
    const told = (metadataOf: (person: FoundPerson) => Metadata) =>
      people.map((person) => ({ ...view(person), metadata: metadataOf(person) }));
    if (people.every(({ metadataSealed }) => metadataSealed === null)) return told(() => ({}));
    return withAccountVault(o, list.accountId, (vault) => told((person) => openMetadata(vault, person)));
  }

  /** The person, or an empty array. @throws ServiceError 'not-found' (the list) */
  async function named(
    caller: AccountCaller,
    listId: string,
    personId: string,
    query: PeopleQuery & Pick<PersonPageRequest, 'search'> = {},
  ) {
    const list = await o.lists.get(caller, listId);
    const person = isPersonId(personId) ? await o.people.find(list, personId, now()) : null;
    if (person === null) return [];
    const { modelId = null, state = null, personIdPrefix = '', search = '', deleteBefore, metadata = {} } = query;
    const told = await tell(list, [person]);
    const isMeant = (found: PersonResource) =>
      (modelId === null || found.modelId === modelId) &&
      (state === null || found.state === state) &&
      Object.entries(metadata).every(([key, value]) => found.metadata?.[key] === value) &&
      personId.startsWith(personIdPrefix) &&
      personId.toLowerCase().includes(search.toLowerCase()) &&
      (deleteBefore === undefined || person.deleteAfter < new Date(deleteBefore));
    return told.filter(isMeant);
  }

  async function filterOf(list: ListRecord, query: PeopleQuery): Promise<PeopleFilter> {
    const { modelId, state, personIdPrefix: prefix, deleteBefore, metadata } = query;
    const current = o.engines.modelIdOf(list.engineId);
    const dueAt = dueAtOf(list);
    const isMeant = (model: string) =>
      (modelId === undefined || model === modelId) &&
      (state === undefined || state === 'leaving' || (model === current) === (state === 'enrolled'));
    const ofAll = modelId === undefined && (state === undefined || state === 'leaving');
    const epochs = ofAll ? undefined : await epochsOf(list, isMeant);
    const before = deleteBefore === undefined ? [] : [new Date(deleteBefore)];
    // Deadlines are stored in milliseconds.
    if (state === 'leaving') before.push(new Date(dueAt.getTime() + 1));
    const refsIn = (vault: AccountVault) => metadataRefs(vault, list.listId, metadata ?? {});
    return {
      ...{ epochs, prefix },
      metadataRefs: metadata && (await withAccountVault(o, list.accountId, refsIn)),
      deadlineAfter: state === undefined || state === 'leaving' ? now() : dueAt,
      deadlineBefore: before.sort((a, b) => a.getTime() - b.getTime())[0],
    };
  }

  async function epochsOf(list: ListKey, isMeant: (modelId: string) => boolean): Promise<readonly number[]> {
    const epochs = await o.listStore.epochs(list);
    return epochs.filter(({ engineId }) => isMeant(o.engines.modelIdOf(engineId))).map(({ epoch }) => epoch);
  }

  /** How a list's people are told, and what decides about their states: epochs of the current model, and when due. */
  async function termsOf(list: ListRecord) {
    const current = o.engines.modelIdOf(list.engineId);
    const epochs = await epochsOf(list, (modelId) => modelId === current);
    return { view: viewIn(list), epochs, dueAt: dueAtOf(list) };
  }

  /** In one transaction. @returns those who were there */
  async function eraseNamed(
    caller: AccountCaller,
    list: ListRecord,
    personIds: readonly string[],
    withdrawn: boolean,
  ): Promise<ReadonlySet<string>> {
    const { accountId, listId } = list;
    const reason = withdrawn ? 'consent-withdrawn' : 'erased';
    return withAccountVault(o, accountId, (vault) =>
      o.database.transaction(async (tx) => {
        const held = await o.listStore.lock(tx, list);
        const taken = held === null ? [] : await o.expiryStore.takeNamed(tx, list, personIds);
        if (taken.length === 0) return new Set();
        // Under the list's lock, so that the versions are those of the erased faces; before the commit, so that no
        // backup brings back a face whose erasure was answered.
        await o.erasures.remember(toErasures(list, taken, reason), o.clock.now());
        await o.expiryStore.noteRemovals(tx, list, taken, now());
        const gone = taken.map(({ personId }) => personId);
        // The log outlives the face, so it does not name the person; the consent ledger does.
        for (const _one of gone) await o.audit.record(tx, actOf(caller, 'person.erase', listId));
        await o.requests.forgetPeople(tx, vault, list, gone);
        await o.admissions.forget(tx, vault, list, gone);
        const tickets = gone.map((personId) => vault.ticketPseudonym(listId, personId));
        await o.mailings.forgetTickets(tx, list, tickets, 'erased');
        for (const { personId, deleteAfter } of withdrawn ? taken : [])
          await o.consents.recordWithdrawn(tx, vault, { accountId, listId, personId }, deleteAfter);
        const type = 'person.deleted' as const;
        const events = gone.map((personId) => ({ type, accountId, data: { listId, personId, reason } }) as const);
        await o.outbox.publishAboutPeople(tx, vault, events);
        return new Set(gone);
      }),
    );
  }

  return {
    /** @throws ServiceError 'not-found' */
    async get(caller: AccountCaller, listId: string, personId: string): Promise<PersonResource> {
      const [person] = await named(caller, listId, personId);
      if (person === undefined) throw missing('person');
      return person;
    },
    named,
    termsOf,
    /** @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor */
    async page(caller: AccountCaller, listId: string, { cursor, limit, order, search, ...query }: PersonPageRequest) {
      const list = await o.lists.get(caller, listId);
      const by = order ?? (query.personIdPrefix === undefined ? 'oldest' : 'personId');
      const filter = await filterOf(list, query);
      const read = async (places: Places) => {
        const after = places.orderAfter(decodeCursor(cursor, places.isKey));
        const found =
          search === undefined
            ? { people: await o.people.page(list, filter, after, limit + 1), edge: null }
            : await o.people.search(list, filter, after, search, limit + 1);
        const { items, nextCursor } = toPage(found.people, limit, places.keyOf);
        const edge = found.edge && encodeCursor(places.keyOf(found.edge));
        return { items: await tell(list, items), nextCursor: nextCursor ?? edge };
      };
      if (by !== 'personId') return read(by === 'deadline' ? placesByDeadline : placesByEnrolment(by));
      return withAccountVault(o, list.accountId, (vault) => read(placesByPersonId(vault, listId)));
    },
    /** @throws ServiceError 'not-found' */
    async overview(caller: AccountCaller, listId: string, query: Omit<PeopleQuery, 'state'>): Promise<PeopleSummary> {
      const list = await o.lists.get(caller, listId);
      const terms = await termsOf(list);
      const { people, due, ofOtherEpochs, nextDeadline } = await o.people.count(
        list,
        await filterOf(list, query),
        terms,
      );
      const enrolled = people - due - ofOtherEpochs;
      return {
        people,
        enrolled,
        otherModel: ofOtherEpochs,
        leaving: due,
        nextDeadline: nextDeadline?.toISOString() ?? null,
      };
    },
    /** @throws ServiceError 'not-found', or 'invalid-request' for too many keys */
    async update(caller: AccountCaller, listId: string, personId: string, change: MetadataChange | undefined) {
      const list = await o.lists.get(caller, listId);
      if (!isPersonId(personId)) throw missing('person');
      return withAccountVault(o, list.accountId, (vault) =>
        o.database.transaction(async (tx) => {
          // An enrolment writes what it has read under the same lock.
          const held = await o.listStore.lock(tx, list);
          const person = found(held === null ? null : await o.people.find(list, personId, now(), tx), 'person');
          const before = openMetadata(vault, person);
          const metadata = changedMetadata(before, change);
          if (!isDeepStrictEqual(metadata, before)) {
            const sealed = sealMetadata(vault, listId, person.rowId, metadata);
            await o.people.setMetadata(tx, list, personId, sealed, now());
            await o.audit.record(tx, actOf(caller, 'person.update', listId));
          }
          return { ...viewIn(list)(person), metadata };
        }),
      );
    },
    /**
     * Erases a person's face; devices remove it at their next sync.
     * @param withdrawn the person withdrew consent, which the ledger records
     * @throws ServiceError 'not-found'
     */
    async erase(caller: AccountCaller, listId: string, personId: string, withdrawn: boolean): Promise<void> {
      const list = await o.lists.get(caller, listId);
      const gone = isPersonId(personId) ? await eraseNamed(caller, list, [personId], withdrawn) : new Set();
      if (gone.size === 0) throw missing('person');
    },
    /** The same for many, some in a transaction. @returns whether each was there @throws ServiceError 'not-found' (the list) */
    async eraseMany(caller: AccountCaller, listId: string, personIds: readonly string[], withdrawn: boolean) {
      const list = await o.lists.get(caller, listId);
      const gone = new Set<string>();
      for (let from = 0; from < personIds.length; from += ERASED_AT_ONCE) {
        const some = personIds.slice(from, from + ERASED_AT_ONCE);
        for (const personId of await eraseNamed(caller, list, some, withdrawn)) gone.add(personId);
      }
      return personIds.map((personId) => gone.has(personId));
    },
    /** @returns each person, null for one who is not there @throws ServiceError 'not-found' (the list) */
    async lookUp(caller: AccountCaller, listId: string, personIds: readonly string[]) {
      const list = await o.lists.get(caller, listId);
      const people = await tell(list, await o.people.findNamed(list, personIds, now()));
      const known = new Map(people.map((person) => [person.personId, person]));
      return personIds.map((personId) => known.get(personId) ?? null);
    },
  };
}
