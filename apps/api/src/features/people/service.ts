import { isPersonId } from '@svc/protocol';
import { openAccountVault } from '../../crypto/account-vault.ts';
import type { ErasureMemory, FaceErasureReason } from '../../crypto/erasure-memory.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import type { Engines } from '../../inference/engines.ts';
import { ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { Clock, Random } from '../../platform/ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { type AuditLog, actorOf } from '../audit/service.ts';
import type { ConsentService } from '../consents/service.ts';
import type { IdempotencyService } from '../idempotency/service.ts';
import type { ListService } from '../lists/service.ts';
import type { ListKey, ListStore } from '../lists/store.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { FaceKey, FoundPerson, PersonStore } from './store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A person, and the model of the face's template. */
export interface PersonView extends FoundPerson {
  readonly modelId: string;
}

/** A page of people, optionally of one model only. */
export interface PersonPageRequest extends PageRequest {
  readonly modelId?: string | undefined;
}

export interface PersonService {
  /** @throws ServiceError 'not-found' */
  get(caller: AccountCaller, listId: string, personId: string): Promise<PersonView>;
  /** The person, or an empty array. @throws ServiceError 'not-found' (the list) */
  named(caller: AccountCaller, listId: string, personId: string): Promise<readonly PersonView[]>;
  /** In the order of first enrolment. @throws ServiceError 'not-found', or 'invalid-request' for a foreign cursor */
  page(caller: AccountCaller, listId: string, request: PersonPageRequest): Promise<Page<PersonView>>;
  /**
   * Erases a person's face; devices remove it at their next sync.
   * @param withdrawn the person withdrew consent, which the ledger records
   * @throws ServiceError 'not-found'
   */
  erase(caller: AccountCaller, listId: string, personId: string, withdrawn: boolean): Promise<void>;
}

export function createPersonService(o: {
  readonly people: PersonStore;
  readonly lists: ListService;
  readonly listStore: ListStore;
  readonly engines: Pick<Engines, 'modelIdOf'>;
  readonly consents: ConsentService;
  readonly audit: AuditLog;
  readonly outbox: Outbox;
  readonly database: Pick<Database, 'transaction'>;
  readonly keyRing: KeyRing;
  readonly requests: Pick<IdempotencyService, 'forgetPeople'>;
  readonly erasures: Pick<ErasureMemory, 'remember'>;
  readonly clock: Clock;
  readonly random: Random;
}): PersonService {
  const now = () => new Date(o.clock.now());

  const view = (person: FoundPerson): PersonView => ({ ...person, modelId: o.engines.modelIdOf(person.engineId) });

  async function epochsOf(list: ListKey, modelId: string): Promise<readonly number[]> {
    const epochs = await o.listStore.epochs(list);
    return epochs.filter(({ engineId }) => o.engines.modelIdOf(engineId) === modelId).map(({ epoch }) => epoch);
  }

  async function named(caller: AccountCaller, listId: string, personId: string): Promise<readonly PersonView[]> {
    const list = await o.lists.get(caller, listId);
    const person = isPersonId(personId) ? await o.people.find(list, personId, now()) : null;
    return person === null ? [] : [view(person)];
  }

  /**
   * Called under the list's lock, so that the version is that of the erased face; before the commit, so that no backup
   * brings back a face whose erasure was answered.
   */
  async function rememberFace(
    tx: Transaction,
    { accountId, listId }: ListKey,
    { epoch, tag }: FaceKey,
    reason: FaceErasureReason,
  ): Promise<void> {
    const version = await o.people.faceVersion(tx, { accountId, listId }, { epoch, tag });
    if (version === null) return;
    const where = { accountId, listId, epoch, tag: tag.toString('base64url') };
    await o.erasures.remember([{ kind: 'face', ...where, version, reason }], o.clock.now());
  }

  return {
    async get(caller, listId, personId) {
      const [person] = await named(caller, listId, personId);
      if (person === undefined) throw new ServiceError('not-found');
      return person;
    },
    named,
    async page(caller, listId, { cursor, limit, modelId }) {
      const list = await o.lists.get(caller, listId);
      const after = decodeCursor(cursor, (key) => UUID.test(key));
      const epochs = modelId === undefined ? undefined : await epochsOf(list, modelId);
      const rows = await o.people.page(list, after, now(), limit + 1, epochs);
      return toPage(rows, limit, (person) => person.rowId, view);
    },
    async erase(caller, listId, personId, withdrawn) {
      const list = await o.lists.get(caller, listId);
      if (!isPersonId(personId)) throw new ServiceError('not-found');
      const vault = await openAccountVault(o.keyRing, o.random, list.accountId);
      try {
        await o.database.transaction(async (tx) => {
          const held = await o.listStore.lock(tx, list);
          const person = held === null ? null : await o.people.findAny(tx, list, personId);
          if (person === null) throw new ServiceError('not-found');
          const reason = withdrawn ? 'consent-withdrawn' : 'erased';
          await rememberFace(tx, list, person.face, reason);
          await o.people.remove(tx, list, personId);
          await o.people.removeFace(tx, list, person.face, await o.listStore.nextVersion(tx, list), now());
          const { accountId } = list;
          // The log outlives the face, so it does not name the person; the consent ledger does.
          await o.audit.record(tx, { accountId, actor: actorOf(caller), action: 'person.erase', target: listId });
          const subject = { accountId, listId, personId };
          await o.requests.forgetPeople(tx, vault, subject, [personId]);
          if (withdrawn) await o.consents.recordWithdrawn(tx, vault, subject, person.deleteAfter);
          const deleted = { type: 'person.deleted', accountId, data: { listId, personId, reason } } as const;
          await o.outbox.publishAboutPeople(tx, vault, [deleted]);
        });
      } finally {
        vault.close();
      }
    },
  };
}
