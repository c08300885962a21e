import { generateKeyPairSync } from 'node:crypto';
import { createNodeAead } from '@svc/core/aead-node';
import { sealRecord } from '@svc/core/pack';
import {
  type ErrorCode,
  errorTable,
  isSecret,
  nonceHeaderSchema,
  SYNC_MEDIA_TYPE,
  syncCounterHeaderSchema,
  syncQuerySchema,
} from '@svc/protocol';
import type { KeyEncryption } from '../../crypto/key-encryption.ts';
import { createKeyRing } from '../../crypto/key-ring.ts';
import { createKeyRotation } from '../../crypto/key-rotation.ts';
import type { KeyStorage } from '../../crypto/key-storage.ts';
import { type SigningKey, toSigningKey } from '../../crypto/signing-key.ts';
import { createAccountDeletion } from '../../features/accounts/deletion.ts';
import { createAccountService } from '../../features/accounts/service.ts';
import type { AuditLog } from '../../features/audit/service.ts';
import type { ConsentService } from '../../features/consents/service.ts';
import { createDeviceService } from '../../features/devices/service.ts';
import { createEventService } from '../../features/events/service.ts';
import { createEpochService } from '../../features/lists/epochs.ts';
import { createListExpiry } from '../../features/lists/expiry.ts';
import { createListService } from '../../features/lists/service.ts';
import { createEnrolmentService } from '../../features/people/enrolment.ts';
import { createPersonExpiry } from '../../features/people/expiry.ts';
import { createPersonService } from '../../features/people/service.ts';
import { createEraseAgain } from '../../features/restore/erase-again.ts';
import { createRestoreService } from '../../features/restore/service.ts';
import { createRetentionService } from '../../features/retention/service.ts';
import { readDeviceKey } from '../../features/sync/device-key.ts';
import { createSyncService } from '../../features/sync/service.ts';
import { createUsageService } from '../../features/usage/service.ts';
import type { Outbox } from '../../features/webhooks/outbox.ts';
import { createEngines, type EngineIdentity } from '../../inference/engines.ts';
import type { Admission } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Clock, createIds, type Random } from '../../platform/ports.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMemoryStores, type MemoryStores } from './stores.ts';

/** Id of the service's only model; devices never see it. */
const MODEL_ID = 'mdl_01kdvdna00f3ab0bctdvgzftew';
const nothing = () => Promise.resolve();
/** Event recording is omitted: answers to devices do not depend on it. */
const outbox: Outbox = { publish: nothing, publishAboutPeople: nothing, forgetList: nothing };
const audit: AuditLog = { record: nothing };
const consents: ConsentService = { recordGiven: nothing, recordWithdrawn: nothing };
const requests = { forgetPeople: nothing, forgetList: nothing, purgeExpired: () => Promise.resolve(0) };
const mailings = { forgetTickets: nothing };
const BACKUP_RETENTION_DAYS = 35;

/** A device's sync request. */
export interface SyncCall {
  readonly authorization: string;
  readonly deviceKey: string;
  readonly nonce: string;
  readonly since: string;
  /** Absent when the device sends none. */
  readonly counter?: string | undefined;
}

/** The answer as sent. */
export interface SyncReply {
  readonly status: number;
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** Call it when the answer was sent completely. */
  sent(): void;
}

export interface MemoryServiceParts {
  readonly database: MemoryDatabase;
  readonly keyStorage: KeyStorage;
  readonly keyEncryption: KeyEncryption;
  readonly signingKey: SigningKey;
  readonly engine: Omit<EngineIdentity, 'modelId'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with errors that occur after an answer. */
  readonly onError: (error: unknown) => void;
  /** Replaces stores by faulty ones, for tests that must detect the fault. */
  readonly bend?: (stores: MemoryStores) => MemoryStores;
}

/** A new Ed25519 key in memory. */
export const createMemorySigningKey = (): SigningKey => toSigningKey(generateKeyPairSync('ed25519').privateKey);

const problem = (code: ErrorCode): SyncReply => ({
  status: errorTable[code].status,
  mediaType: 'application/problem+json',
  body: Buffer.from(JSON.stringify({ code })),
  sent: () => undefined,
});

/**
 * A node's services without HTTP, PostgreSQL and models, on memory stores that pass the contracts of the PostgreSQL
 * stores. An enrolment takes the template instead of photos. Omits what devices never see: audit log, webhooks, consent
 * ledger, idempotency keys, enrolment tokens.
 */
export function createMemoryService(o: MemoryServiceParts) {
  const { database, keyStorage, keyEncryption, clock, random, signingKey, onError } = o;
  const { keys: keyStore, erasures } = keyStorage;
  const stores = (o.bend ?? ((whole) => whole))(createMemoryStores(database));
  const ids = createIds(clock, random);
  const engine = { ...o.engine, modelId: MODEL_ID };
  const engines = createEngines({
    ...{ known: [engine], installed: [engine.engineId], standard: engine, checksPhotos: false },
  });
  const aead = createNodeAead();
  const keyRing = createKeyRing({ keyEncryption, keyStore, clock, random });
  const common = {
    database,
    keyRing,
    erasures,
    audit,
    outbox,
    requests,
    consents,
    engines,
    mailings,
    ids,
    clock,
    random,
  };
  const listStore = stores.lists;

  const epochs = createEpochService({ ...common, store: listStore, aead });
  const usage = createUsageService({ ...common, store: stores.usage });
  const events = createEventService({ ...common, store: stores.events, ends: stores.ends, counts: stores.counts });
  const accounts = createAccountService({ ...common, store: stores.accounts });
  const lists = createListService({
    ...{ ...common, store: listStore, epochs, events, checkInOrigins: [] },
    counts: { ...stores.counts, impact: () => Promise.reject(new Error('there are no enrolment tokens in memory')) },
  });
  const devices = createDeviceService({ ...common, store: stores.devices, epochs, lists, listStore, kioskUrl: null });
  const accountDeletion = createAccountDeletion({ ...common, store: stores.accounts, lists });
  const personExpiry = createPersonExpiry({
    ...common,
    store: stores.expiry,
    listStore,
    metrics: { peopleExpired: () => undefined },
  });
  const listExpiry = createListExpiry({ ...common, store: listStore, lists, people: personExpiry });
  const people = createPersonService({ ...common, people: stores.people, lists, listStore });
  const enrolments = createEnrolmentService({
    ...{ ...common, store: stores.enrolment, people: stores.people, lists: listStore, epochs, usage },
  });
  const retention = createRetentionService({
    ...common,
    store: stores.retention,
    deliveries: { deleteOlder: () => Promise.resolve(0) },
    webhooks: { dropFormerSecrets: () => Promise.resolve(0) },
    ledger: { purgeExpiredEvidence: () => Promise.resolve(0) },
  });
  const restore = createRestoreService({
    ...common,
    store: stores.restore,
    storage: keyStorage,
    again: createEraseAgain({ ...common, store: stores.restore, epochs, listStore, people: stores.people }),
    lists,
    accounts: accountDeletion,
    expiry: personExpiry,
    backupRetentionDays: BACKUP_RETENTION_DAYS,
  });
  const sync = createSyncService({
    ...common,
    store: stores.sync,
    signing: { current: () => Promise.resolve({ key: signingKey, announced: [signingKey.publicKey] }) },
    metrics: { syncAnswered: () => undefined },
    isReplayed: () => true,
    checkInOrigins: [],
    onError,
  });

  async function answer({ authorization, deviceKey, nonce, since, counter: shown }: SyncCall): Promise<SyncReply> {
    const token = /^Bearer +(\S+)$/.exec(authorization)?.[1] ?? '';
    if (!isSecret('svcd', token)) throw new ServiceError('invalid-credential');
    const caller = await sync.authenticate(token);
    const query = syncQuerySchema.parse({ since });
    const counter = shown === undefined ? null : syncCounterHeaderSchema.parse(shown);
    const request = {
      ...{ deviceKey: readDeviceKey(deviceKey), nonce: nonceHeaderSchema.parse(nonce), since: query.since, counter },
      software: { sdkVersion: null, engineIds: [] },
    };
    const { envelopeHead, payload, sent } = await sync.sync(caller, request);
    const body = Buffer.concat([envelopeHead, ...payload]);
    return { status: 200, mediaType: SYNC_MEDIA_TYPE, body, sent };
  }

  return {
    accounts,
    events,
    lists,
    devices,
    people,
    keyRing,
    rotation: createKeyRotation({ keyEncryption, keyStore }),
    /** The caller knows whose template it is. */
    admission: (template: Float32Array): Admission => ({
      async seal({ photo: _photo, additionalPhotos: _more, ...binding }) {
        const { dimension } = engine;
        return { ok: true, record: await sealRecord(aead, { ...binding, dimension, template }) };
      },
      release: () => undefined,
    }),
    enrolments,
    /** As at a node's start, before serving. */
    async start(): Promise<void> {
      await restore.attach({ inMain: false, acceptOldBackup: false });
      await keyRing.verify();
      await restore.replay();
    },
    /** Runs all background jobs once. */
    async runJobs(): Promise<void> {
      await listExpiry.removeExpired();
      await personExpiry.removeExpired();
      await epochs.dropEmpty();
      await accountDeletion.finishDeletions();
      await lists.finishDeletions();
      await retention.removals();
      await retention.devices();
      await restore.replay();
      await restore.forgetOld();
    },
    /** As the route does. */
    sync: async (call: SyncCall): Promise<SyncReply> => {
      try {
        return await answer(call);
      } catch (error) {
        if (error instanceof ServiceError) return problem(error.code);
        throw error;
      }
    },
    close: () => sync.close(),
  };
}

export type MemoryService = ReturnType<typeof createMemoryService>;
