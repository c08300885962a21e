import { timingSafeEqual } from 'node:crypto';
import { admissionKeySealInfo, arrivalsSecretSealInfo, checkInSecretSealInfo, listKeySealInfo } from '@svc/core/pack';
import {
  FULL_WIPE_MS,
  MAX_INLINE_PAYLOAD_BYTES,
  type PayloadQuery,
  type SyncEpoch,
  type SyncManifest,
  WIPE_TOMBSTONE_MS,
  WITHHOLD_BEFORE_MS,
  type WipeReason,
} from '@svc/protocol';
import { LRUCache } from 'lru-cache';
import { withAccountVault } from '../../crypto/account-vault.ts';
import type { ErasureMemory, SeenVersion } from '../../crypto/erasure-memory.ts';
import { type KeyRing, KeyShreddedError } from '../../crypto/key-ring.ts';
import { secretSha256 } from '../../crypto/secrets.ts';
import type { Signing } from '../../crypto/signing.ts';
import type { SigningKey } from '../../crypto/signing-key.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { coalesce } from '../../platform/coalesce.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import { FairTurns, serverShare } from '../../platform/fair-share.ts';
import type { ListKey } from '../lists/store.ts';
import type { Uses } from '../uses.ts';
import {
  keepManifest,
  SHA256_OF_NOTHING,
  type SyncAnswer,
  type SyncRequest,
  signAnswer,
  wipeManifest,
} from './answer.ts';
import { DeltaCache, type ListState, SnapshotCache } from './caches.ts';
import { buildDelta } from './delta.ts';
import { DeviceNotices } from './notices.ts';
import { type LinkedPayload, payloadLink, secondsLeft } from './payload-link.ts';
import { SealedSecrets } from './sealed-keys.ts';
import { buildSnapshot, type PackParts } from './snapshot.ts';
import type { CountedSync, DeviceStanding, DueTimes, EpochHead, ListHead, SyncStore } from './store.ts';

const MAX_KNOWN = 100_000;

/** Packs that are built at one time for requests by link, and how long one waits for its turn. */
const [BUILDS_AT_ONCE, BUILD_WAIT_MS] = [2, 30_000];

/** The device of a token: one that is served, or one that is only told to wipe. */
export type DeviceCaller =
  | ({ readonly kind: 'served'; readonly tokenSha256: Buffer } & Omit<DeviceStanding, 'revokedAt'>)
  | {
      readonly kind: 'wiped';
      readonly accountId: string;
      readonly listId: string;
      readonly deviceId: string;
      readonly reason: WipeReason;
    };

export type ServedCaller = DeviceCaller & { readonly kind: 'served' };

export type SyncService = ReturnType<typeof createSyncService>;

/** The data for an answer to a served device, from one moment. */
interface Served {
  readonly head: ListHead;
  readonly state: ListState;
  /** Null when the device already has this version. */
  readonly news: {
    readonly kind: 'delta' | 'snapshot';
    /** Empty if only its length and hash were asked for. */
    readonly payload: PackParts;
    readonly bytes: number;
    readonly sha256: Buffer;
  } | null;
}

/** A payload as its manifest tells it. */
type ToldPayload = Pick<SyncManifest, 'fromVersion' | 'toVersion' | 'payloadSha256'>;

/** Whether the list's devices share whom they let in. */
export const sharesAdmissions = ({ reEntry, reEntryScope }: Pick<ListHead, 'reEntry' | 'reEntryScope'>): boolean =>
  reEntryScope === 'list' && reEntry !== 'off';

/** Characters of its id that name a device without a name. */
const DEVICE_NAME_CHARS = 6;

export const deviceNameOf = ({ name, deviceId }: { readonly name: string | null; readonly deviceId: string }): string =>
  name ?? deviceId.slice(-DEVICE_NAME_CHARS);

const PAYLOAD_KINDS = { snapshot: 1, delta: 2 } as const;

/** Irrevocable reasons first; a suspension can be lifted. */
function wipeReasonOf(device: DeviceStanding, nowMs: number): WipeReason | null {
  if (device.revokedAt !== null) return 'device-revoked';
  if (device.deletingAt !== null) return 'list-deleted';
  for (const deadline of [device.expiresAt, device.list.retentionDeadline]) {
    if (deadline !== null && deadline.getTime() <= nowMs) return 'retention-deadline';
  }
  return device.suspendedAt === null ? null : 'account-suspended';
}

export function createSyncService(
  o: Uses<'database' | 'outbox' | 'clock' | 'random'> & {
    readonly store: SyncStore;
    readonly keyRing: Pick<KeyRing, 'findListKey' | 'unwrapAccountKey'>;
    readonly erasures: Pick<ErasureMemory, 'noteVersion'>;
    readonly signing: Pick<Signing, 'current'>;
    readonly metrics: Pick<Metrics, 'syncAnswered' | 'payloadLink'>;
    /** False from a promotion until this database lacks no remembered erasure: a pack might bring somebody back. */
    readonly isReplayed: () => boolean;
    /** Origins that devices may send check-ins to. */
    readonly checkInOrigins: readonly string[];
    /** Origin of a cache that links lead to; null: links are paths of the service. */
    readonly payloadsOrigin: string | null;
    /** Called with errors that occur after the answer. */
    readonly onError: (error: unknown) => void;
  },
) {
  const cache = new SnapshotCache();
  const deltas = new DeltaCache();
  const turns = new FairTurns(BUILDS_AT_ONCE);
  const sealedSecrets = new SealedSecrets();
  const notices = new DeviceNotices(o);
  let forgotten = 0;

  const known = new LRUCache<string, number>({ max: MAX_KNOWN });
  /**
   * Records the highest version of each list sent to a device, before sending it. A restored database continues above it,
   * so that a device never sees two contents of one version. Versions that this node recorded are skipped.
   */
  async function noteVersion(seen: SeenVersion): Promise<void> {
    if ((known.get(seen.listId) ?? -1) >= seen.version) return;
    await o.erasures.noteVersion(seen);
    known.set(seen.listId, seen.version);
  }

  const issue = coalesce((syncs: readonly CountedSync[]) => o.store.issueCounters(syncs));
  const issuing = new Map<string, Promise<unknown>>();
  /**
   * Issues a sync counter, with one statement for concurrent syncs; those of one device go in separate statements.
   * @returns null for a deleted device
   */
  async function issueCounter(sync: CountedSync): Promise<number | null> {
    const { deviceId } = sync;
    const before = issuing.get(deviceId) ?? Promise.resolve();
    const issued = before.catch(() => undefined).then(() => issue(sync));
    issuing.set(deviceId, issued);
    try {
      return await issued;
    } finally {
      if (issuing.get(deviceId) === issued) issuing.delete(deviceId);
    }
  }

  /** What began before the database went back in time mixes two contents of a version. @throws ServiceError 'not-ready' */
  async function ofOneContent<T>(work: () => Promise<T>): Promise<T> {
    const before = forgotten;
    const result = await work();
    if (forgotten !== before) throw new ServiceError('not-ready');
    return result;
  }

  const dueTimes = (nowMs = o.clock.now()): DueTimes => ({
    ...{ ongoing: new Date(nowMs + WITHHOLD_BEFORE_MS), dated: new Date(nowMs) },
  });
  const findDevice = coalesce((tokenSha256s: readonly Buffer[]) => o.store.findDevices(tokenSha256s, dueTimes()));

  async function find(tokenSha256: Buffer): Promise<DeviceCaller> {
    const device = await findDevice(tokenSha256);
    const nowMs = o.clock.now();
    if (device !== null) {
      const { revokedAt, ...standing } = device;
      const reason = wipeReasonOf(device, nowMs);
      if (reason === null) return { kind: 'served', tokenSha256, ...standing };
      if (revokedAt !== null && revokedAt.getTime() + WIPE_TOMBSTONE_MS <= nowMs) {
        throw new ServiceError('invalid-credential');
      }
      const { accountId, listId, deviceId } = device;
      return { kind: 'wiped', accountId, listId, deviceId, reason };
    }
    const tombstone = await o.store.findTombstone(tokenSha256);
    if (tombstone === null || tombstone.expiresAt.getTime() <= nowMs) throw new ServiceError('invalid-credential');
    return { kind: 'wiped', ...tombstone };
  }

  /**
   * A stolen token is not enough: the first key is pinned, and list keys are sealed to it.
   * @returns false when the device was deleted meanwhile
   */
  async function requirePinned(caller: ServedCaller, request: SyncRequest): Promise<boolean> {
    const { raw, thumbprint } = request.deviceKey;
    const pinned = caller.publicKey ?? (await o.store.pinKey(caller, raw, thumbprint));
    if (pinned === null) return false;
    if (pinned.length !== raw.length || !timingSafeEqual(pinned, raw)) throw new ServiceError('device-key-mismatch');
    return true;
  }

  /** The list after withholding every face that is due; null when it was deleted meanwhile. */
  async function withhold(caller: ServedCaller): Promise<ListHead | null> {
    const nowMs = o.clock.now();
    const dueAt = new Date(caller.list.retentionDeadline === null ? nowMs + WITHHOLD_BEFORE_MS : nowMs);
    await o.database.transaction((tx) => o.store.withholdDue(tx, caller, dueAt, new Date(nowMs)));
    return o.store.inSnapshot((tx) => o.store.head(tx, caller));
  }

  /**
   * Whether all removals since the device's version are still known; a device without a sync for thirty days has wiped.
   */
  const mayHaveChanges = (heldAt: Date | null): boolean =>
    heldAt !== null && heldAt.getTime() + FULL_WIPE_MS > o.clock.now();

  /** @returns null when a whole pack is to be sent */
  async function readChanges(list: ListKey, head: ListHead, since: number): Promise<Served | null> {
    if (since === 0 || since >= head.version) return null;
    const known = cache.newest(list);
    // Without a base state the whole list must be read first.
    if (known === null || (known.version < head.version && known.state.buckets === null)) return null;
    const delta = await deltas.delta(list, since, head.version, () =>
      ofOneContent(() => buildDelta(o.store, list, since, known)),
    );
    if (delta === null) return null;
    const { payload, payloadSha256: sha256, state } = delta;
    cache.keep(list, delta.head.version, state);
    const latest = delta.head.version === head.version ? head : delta.head;
    return { head: latest, state, news: { kind: 'delta', payload: [payload], bytes: payload.length, sha256 } };
  }

  /**
   * @param isLinked whether the hash of a large pack is enough
   * @param inTurn carries out a build of a pack
   * @returns null when the list was deleted meanwhile
   */
  async function read(
    list: ListKey,
    head: ListHead,
    since: number,
    isLinked = false,
    inTurn: typeof ofOneContent = ofOneContent,
  ): Promise<Served | null> {
    const known = cache.state(list, head.version);
    if (known !== null && head.version === since) return { head, state: known, news: null };
    const changes = await readChanges(list, head, since);
    if (changes !== null) return changes;
    if (isLinked && known !== null && known.packSha256 !== null && known.packBytes > MAX_INLINE_PAYLOAD_BYTES) {
      const { packBytes: bytes, packSha256: sha256 } = known;
      return { head, state: known, news: { kind: 'snapshot', payload: [], bytes, sha256 } };
    }
    const snapshot = await cache.snapshot(list, head.version, (base) =>
      inTurn(() => buildSnapshot(o.store, list, base)),
    );
    if (snapshot === null) return null;
    // A deadline may have changed since the snapshot, without a new version.
    const latest = snapshot.head.version === head.version ? head : snapshot.head;
    // The state is known by now, and so is the result of the changes.
    const late = await readChanges(list, latest, since);
    if (late !== null) return late;
    const { payload, packBytes: bytes, packSha256: sha256 } = snapshot;
    return {
      head: latest,
      state: snapshot,
      news: latest.version === since ? null : { kind: 'snapshot', payload, bytes, sha256 },
    };
  }

  /** @throws ServiceError 'overloaded' */
  async function buildInTurn<T>({ accountId }: ListKey, work: () => Promise<T>): Promise<T> {
    const end = await turns.take(serverShare(accountId), new AbortController().signal, BUILD_WAIT_MS);
    if (end === null) throw new ServiceError('overloaded', { retryAfterSeconds: BUILD_WAIT_MS / 1_000 });
    return work().finally(end);
  }

  /** Address and length of a payload that does not follow its manifest. */
  function linkTo(key: SigningKey, { accountId, listId }: ListKey, told: ToldPayload, payloadBytes: number) {
    const { fromVersion: from, toVersion: to, payloadSha256 } = told;
    o.metrics.payloadLink('issued');
    const path = payloadLink(key, { account: accountId, list: listId, from, to, payloadSha256 }, o.clock.now());
    return { payloadUrl: `${o.payloadsOrigin ?? ''}${path}`, payloadBytes };
  }

  /** The key store is asked for each, so that a destroyed key is no longer served, whichever node destroyed it. */
  async function sealEpochs({ listId, deviceId }: ServedCaller, request: SyncRequest, epochs: readonly EpochHead[]) {
    const sealed: SyncEpoch[] = [];
    for (const { epoch, engineId, dimension, matchThreshold } of epochs) {
      const purpose = listKeySealInfo({ listId, deviceId, epoch });
      const listKey = await o.keyRing.findListKey(listId, epoch);
      const sealedListKey = await sealedSecrets.seal(request.deviceKey.raw, purpose, listKey);
      sealed.push({ epoch, engineId, dimension, matchThreshold, sealedListKey });
    }
    return sealed;
  }

  const openCheckInSecret = ({ accountId, listId }: ServedCaller, sealed: Buffer): Promise<Uint8Array> =>
    withAccountVault(o, accountId, (vault) => {
      const secret = vault.openCheckInSecret(listId, sealed);
      if (secret === null) throw new Error('the check-in secret of a list does not open');
      return secret;
    });

  /**
   * Nothing for an origin that the deployment allows no more. The key store is not asked: a list whose keys are destroyed
   * is not served at all.
   */
  async function checkInOf(caller: ServedCaller, request: SyncRequest, { checkIn }: ListHead) {
    if (checkIn === null || !o.checkInOrigins.includes(new URL(checkIn.url).origin)) return undefined;
    const { url, secretSealed: wrapped } = checkIn;
    const unwrap = () => openCheckInSecret(caller, wrapped);
    const sealedSecret = await sealedSecrets.seal(request.deviceKey.raw, checkInSecretSealInfo(caller), {
      ...{ wrapped, unwrap },
    });
    return { url, sealedSecret };
  }

  /** The secret follows from the account's key, and so stays as it is. */
  async function arrivalsOf(caller: ServedCaller, request: SyncRequest, { arrivals: policy }: ListHead) {
    if (policy === 'off') return { policy };
    const unwrap = () => withAccountVault(o, caller.accountId, (vault) => vault.arrivalsSecret(caller));
    const sealedSecret = await sealedSecrets.seal(request.deviceKey.raw, arrivalsSecretSealInfo(caller), {
      ...{ wrapped: new Uint8Array(), unwrap },
    });
    return { policy, sealedSecret };
  }

  /** Derived from the account's key: of each list another one, and the same at each sync. */
  async function admissionKeyOf(caller: ServedCaller, request: SyncRequest, head: ListHead) {
    if (!sharesAdmissions(head)) return undefined;
    const { accountId, listId } = caller;
    const unwrap = () => withAccountVault(o, accountId, (vault) => vault.admissionKey(listId));
    const stored = { wrapped: Buffer.from(listId), unwrap };
    return sealedSecrets.seal(request.deviceKey.raw, admissionKeySealInfo(caller), stored);
  }

  async function wipe(caller: DeviceCaller & { kind: 'wiped' }, request: SyncRequest): Promise<SyncAnswer> {
    const { key } = await o.signing.current();
    const manifest = wipeManifest(caller, request, o.clock.now(), caller.reason);
    o.metrics.syncAnswered('wipe');
    const { accountId, listId, deviceId, reason } = caller;
    const sent = () => notices.wiped({ accountId, listId, deviceId, reason, at: new Date(o.clock.now()) });
    return { ...signAnswer(key, manifest, 0), sent };
  }

  /**
   * An older device would serve the list as if staff watched it, and knows no wipe for that reason.
   * @throws ServiceError 'device-unsuited' for a device that does not tell what it can serve
   */
  async function refuse(caller: ServedCaller, request: SyncRequest): Promise<SyncAnswer> {
    if (request.software.attendances.length > 0) {
      return wipe({ ...caller, kind: 'wiped', reason: 'unattended-unsupported' }, request);
    }
    await o.store.recordUnsuited(caller);
    throw new ServiceError('device-unsuited');
  }

  async function keep(caller: ServedCaller, request: SyncRequest): Promise<SyncAnswer | null> {
    const issuedAtMs = o.clock.now();
    const list = caller.isAnyDue ? await withhold(caller) : caller.list;
    const storedAt = request.counter === caller.syncCounter ? caller.linkedAt : null;
    const hasCopy = mayHaveChanges(storedAt ?? caller.lastSyncAt);
    // Without all removals the device begins anew.
    const since = list?.version === request.since || hasCopy ? request.since : 0;
    const served = list === null ? null : await read(caller, list, since, request.payloads === 'by-link');
    if (served === null) return null;
    const { head, state, news } = served;
    const { attendances } = request.software;
    if (head.attendance === 'unattended' && !attendances.includes('unattended')) return refuse(caller, request);
    // A later epoch may have been opened because this device was revoked.
    const isLater = state.epochs.some(({ epoch }) => epoch > caller.newestEpoch);
    if (isLater && (await find(caller.tokenSha256)).kind === 'wiped') return null;
    const { accountId, listId, deviceId } = caller;
    const moment = { accountId, listId, deviceId, at: new Date(issuedAtMs) };
    const isLinked = request.payloads === 'by-link' && news !== null && news.bytes > MAX_INLINE_PAYLOAD_BYTES;
    const syncCounter = await issueCounter({ ...moment, shown: request.counter, isLinked });
    if (syncCounter === null) return null;
    if (news !== null) await noteVersion({ accountId, listId, version: head.version });
    const logo = news === null ? undefined : await o.store.logoOf(caller);
    const { key, announced } = await o.signing.current();
    const told = {
      fromVersion: news?.kind === 'snapshot' ? 0 : request.since,
      toVersion: head.version,
      payloadSha256: news?.sha256.toString('base64url') ?? SHA256_OF_NOTHING,
    };
    if (news !== null && request.payloads !== 'by-link' && request.payloads !== null) {
      o.metrics.payloadLink(request.payloads);
    }
    const link = isLinked ? linkTo(key, caller, told, news.bytes) : null;
    const manifest = keepManifest(caller, request, issuedAtMs, {
      ...{ ...told, ...link },
      recordCount: state.recordCount,
      stateHash: Buffer.from(state.stateHash).toString('base64url'),
      retentionDeadline: head.retentionDeadline?.toISOString() ?? null,
      enrollmentClosed: head.enrollmentClosed,
      headTurnAlternative: head.headTurnAlternative,
      epochs: await sealEpochs(caller, request, state.epochs),
      names: {
        ...{ organiser: head.accountName, event: head.eventName, list: head.name },
        device: deviceNameOf(caller),
        ...(logo === undefined ? {} : { logo: logo?.toString('base64') ?? null }),
      },
      reEntry: head.reEntry,
      reEntryScope: head.reEntryScope,
      sealedAdmissionKey: await admissionKeyOf(caller, request, head),
      attendance: head.attendance,
      // Nothing for a live list, so that a device's check of it is always made.
      ...(head.mode === 'test' ? { mode: head.mode } : {}),
      checkIn: await checkInOf(caller, request, head),
      arrivals: await arrivalsOf(caller, request, head),
      signingKeys: announced,
      syncCounter,
    });
    o.metrics.syncAnswered(news?.kind ?? 'unchanged');
    const synced = {
      ...{ accountId, listId, deviceId, heldVersion: request.since, software: request.software },
      pack: { version: head.version, people: state.recordCount },
    };
    if (storedAt !== null) notices.synced({ ...synced, at: storedAt });
    return {
      ...signAnswer(key, manifest, news === null ? 0 : PAYLOAD_KINDS[news.kind], link === null ? news?.payload : []),
      // By link, a door has it once its counter is shown. A device without a copy may hold one from now on.
      sent: () => (link === null || !hasCopy) && notices.synced({ ...synced, at: new Date(o.clock.now()) }),
    };
  }

  /** Drops what is kept of lists, after the database went back in time: a version may have another content now. */
  function forget(): void {
    forgotten += 1;
    cache.clear();
    deltas.clear();
  }

  return {
    /** @throws ServiceError 'invalid-credential' */
    authenticate: (token: string): Promise<DeviceCaller> => find(secretSha256(token)),
    /** @throws ServiceError 'device-key-mismatch', 'device-unsuited' */
    async sync(caller: DeviceCaller, request: SyncRequest): Promise<SyncAnswer> {
      if (caller.kind === 'wiped') return wipe(caller, request);
      let shredded: unknown = null;
      try {
        if (!o.isReplayed()) throw new ServiceError('not-ready');
        const answer = await ofOneContent(async () =>
          (await requirePinned(caller, request)) ? keep(caller, request) : null,
        );
        if (answer !== null) return answer;
      } catch (error) {
        if (!(error instanceof KeyShreddedError)) throw error;
        shredded = error;
      }
      // The list's key or row was deleted meanwhile. Only the database's present state may cause a wipe.
      const again = await find(caller.tokenSha256);
      if (again.kind === 'wiped') return wipe(again, request);
      throw shredded ?? new ServiceError('not-ready');
    },
    /**
     * The payload that a link leads to, with the seconds that the link still works. It is what a sync of the list would
     * send now: a version that the list has left may hold people who were erased since.
     * @param link path and query, as they were requested
     * @param needsBytes otherwise the payload is empty: what it is, the link's signature says
     * @throws ServiceError 'not-found' for a link that does not work, 'overloaded' while other packs are built
     */
    async payload(link: string, linked: PayloadQuery & LinkedPayload, needsBytes: boolean) {
      if (!o.isReplayed()) throw new ServiceError('not-ready');
      const nowMs = o.clock.now();
      const { announced } = await o.signing.current();
      const maxAgeSeconds = secondsLeft(announced, link, linked, nowMs);
      const list = { accountId: linked.account, listId: linked.list };
      const head = maxAgeSeconds === null ? null : await o.store.servedHead(list, dueTimes(nowMs));
      const isOver = head?.retentionDeadline != null && head.retentionDeadline.getTime() <= nowMs;
      const isServed = head?.version === linked.to && !isOver;
      const inTurn = <T>(work: () => Promise<T>) => ofOneContent(() => buildInTurn(list, work));
      const isRead = isServed && needsBytes;
      const news = isRead ? (await ofOneContent(() => read(list, head, linked.from, false, inTurn)))?.news : null;
      const isFound = needsBytes ? news?.sha256.toString('base64url') === linked.payloadSha256 : isServed;
      o.metrics.payloadLink(isFound ? 'fetched' : 'refused');
      if (!isFound || maxAgeSeconds === null) throw missing('payload');
      return { payload: news?.payload ?? [], maxAgeSeconds };
    },
    forget,
    /** Writes pending events of devices. */
    flush: (): Promise<void> => notices.flush(),
    /** As `flush`, and drops the snapshots. */
    async close(): Promise<void> {
      await notices.flush();
      forget();
      sealedSecrets.clear();
    },
  };
}
