import { recordTag } from '@svc/core/pack';
import { type ConsentVersion, consentTimeError, type EnrolPersonRequest } from '@svc/protocol';
import { type AccountVault, openAccountVault } from '../../crypto/account-vault.ts';
import { type KeyRing, KeyShreddedError } from '../../crypto/key-ring.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import type { Admission } from '../../inference/port.ts';
import type { Clock, Random } from '../../ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { ConsentService, Shown } from '../consents/service.ts';
import type { EpochService } from '../lists/epochs.ts';
import { consentVersionOf, hasEnded } from '../lists/service.ts';
import type { EpochRecord, ListKey, ListRecord, ListStore } from '../lists/store.ts';
import type { UsageService } from '../usage/service.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { PersonStore } from './store.ts';

const DAY_MS = 24 * 60 * 60_000;

export interface Enrolment extends Omit<EnrolPersonRequest, 'imageBase64'> {
  /** The photo's bytes, not yet looked at; handed over to the worker. */
  readonly photo: Uint8Array<ArrayBuffer>;
}

export interface Enrolled {
  readonly personId: string;
  readonly modelId: string;
  readonly deleteAfter: Date;
}

/** What goes along with an enrolment. */
export interface EnrolmentTerms {
  /** Who showed the wording; the organiser where absent. */
  readonly shown?: Shown;
  /** Called when all but the photo is known to be right, before the photo is looked at. What it throws ends the enrolment. */
  readonly beforePhoto?: () => Promise<void>;
  /**
   * Called at the end of the transaction that stores the face, under the list's lock and behind the account's. What it throws
   * undoes the enrolment. May be called again when the transaction is.
   */
  readonly whenStored?: (tx: Transaction, stored: Enrolled & { readonly rowId: string }) => Promise<void>;
}

/** What of an account decides about the wording. */
type Account = Pick<AccountCaller, 'country' | 'billingCurrency'>;

export interface EnrolmentService {
  /**
   * Enrols a person, or replaces his face. Resolves only once the transaction is committed.
   * @throws ServiceError in this order: 'invalid-request' (givenAt), 'not-found', 'list-ended', 'enrolment-closed', 'consent-version-mismatch',
   *   'no-plan', 'plan-limit-reached', 'image-invalid', and what the photo lacks
   */
  enrol(
    caller: Account,
    key: ListKey,
    enrolment: Enrolment,
    admission: Admission,
    terms?: EnrolmentTerms,
  ): Promise<Enrolled>;
}

/** A deadline that was moved while the photo was worked on may only shorten what was sealed. */
function earlier(sealed: Date, deadline: Date | null): Date {
  return deadline !== null && deadline < sealed ? deadline : sealed;
}

interface Sealed {
  readonly epoch: EpochRecord;
  readonly record: Uint8Array;
  readonly deleteAfter: Date;
  readonly consentVersion: ConsentVersion;
}

interface OpenList {
  readonly list: ListRecord;
  readonly accepted: ConsentVersion;
}

export function createEnrolmentService(o: {
  readonly people: PersonStore;
  readonly lists: ListStore;
  readonly epochs: EpochService;
  readonly usage: UsageService;
  readonly consents: ConsentService;
  readonly outbox: Outbox;
  readonly database: Pick<Database, 'transaction'>;
  readonly keyRing: KeyRing;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
}): EnrolmentService {
  /** The list's side of the matter, looked at before the photo and again under the list's lock. */
  function requireOpen(caller: Account, list: ListRecord | null, consentVersion: string): OpenList {
    if (list === null) throw new ServiceError('not-found');
    if (hasEnded(list, o.clock.now())) throw new ServiceError('list-ended');
    if (list.enrollmentClosedAt !== null) throw new ServiceError('enrolment-closed');
    const accepted = consentVersionOf(caller, list);
    if (consentVersion !== accepted) throw new ServiceError('consent-version-mismatch');
    return { list, accepted };
  }

  async function seal(list: ListRecord, { personId, photo }: Enrolment, deleteAfter: Date, admission: Admission) {
    const epoch = await o.epochs.current(list);
    const { listId } = list;
    const listKey = await o.keyRing.unwrapListKey(listId, epoch.epoch).catch((error: unknown) => {
      throw error instanceof KeyShreddedError ? new ServiceError('not-found') : error;
    });
    try {
      const { engineId } = epoch;
      const deleteAfterMs = deleteAfter.getTime();
      const result = await admission.seal({
        photo,
        listKey,
        listId,
        epoch: epoch.epoch,
        engineId,
        personId,
        deleteAfterMs,
      });
      if (result.ok) return { epoch, record: result.record };
      const { measured, limit } = result;
      throw new ServiceError(result.reason, {
        ...(measured === undefined ? {} : { measured }),
        ...(limit === undefined ? {} : { limit }),
      });
    } finally {
      listKey.fill(0);
    }
  }

  async function store(
    tx: Transaction,
    caller: Account,
    list: ListRecord,
    { personId, consent }: Enrolment,
    sealed: Sealed,
    vault: AccountVault,
    terms: EnrolmentTerms,
  ): Promise<Enrolled> {
    const { list: held } = requireOpen(caller, await o.lists.lockAtNextVersion(tx, list), consent.consentVersion);
    const { accountId, listId } = list;
    const { consentVersion } = sealed;
    const deleteAfter = earlier(sealed.deleteAfter, held.retentionDeadline);
    const before = await o.people.findAny(tx, list, personId);
    const at = new Date(o.clock.now());
    // Somebody whose time is over may not have been removed yet: his row makes way, and he is new.
    const present = before !== null && before.deleteAfter > at ? before : null;
    await o.usage.bill(tx, vault, { accountId, personId, replaces: present !== null });

    const version = held.listVersion;
    const modelId = o.ids.next('mdl');
    const face = { epoch: sealed.epoch.epoch, tag: Buffer.from(recordTag(sealed.record)) };
    if (before !== null && !(before.face.epoch === face.epoch && before.face.tag.equals(face.tag))) {
      await o.people.removeFace(tx, list, before.face, version, at);
    }
    const record = Buffer.from(sealed.record);
    const { rowId, enrolledAt } = present ?? { rowId: o.ids.nextUuid(), enrolledAt: at };
    const person = { personId, rowId, modelId, consentVersion, face, deleteAfter, enrolledAt };
    await o.people.put(tx, list, person, { record, version }, at);
    const shown = terms.shown ?? ({ by: 'organiser' } as const);
    await o.consents.recordGiven(tx, vault, { accountId, listId, personId }, consent, deleteAfter, shown);
    const data = { listId, personId, modelId, deleteAfter: deleteAfter.toISOString() };
    await o.outbox.publishAboutPeople(tx, vault, [{ type: 'person.enrolled', accountId, data }]);
    const enrolled = { personId, modelId, deleteAfter };
    await terms.whenStored?.(tx, { ...enrolled, rowId });
    return enrolled;
  }

  return {
    async enrol(caller, key, enrolment, admission, terms = {}) {
      const { personId, consent } = enrolment;
      const early = consentTimeError(consent, o.clock.now());
      if (early !== null) throw new ServiceError('invalid-request', { errors: [early] });
      const { list, accepted } = requireOpen(caller, await o.lists.find(key), consent.consentVersion);
      const vault = await openAccountVault(o.keyRing, o.random, list.accountId);
      try {
        const now = new Date(o.clock.now());
        const replaces = async () => (await o.people.find(list, personId, now)) !== null;
        await o.usage.check(vault, { accountId: list.accountId, personId }, replaces);
        const deleteAfter = list.retentionDeadline ?? new Date(now.getTime() + list.retainDays * DAY_MS);
        await terms.beforePhoto?.();
        const { epoch, record } = await seal(list, enrolment, deleteAfter, admission);
        const sealed = { epoch, record, deleteAfter, consentVersion: accepted };
        return await o.database.transaction((tx) => store(tx, caller, list, enrolment, sealed, vault, terms));
      } finally {
        vault.close();
      }
    },
  };
}
