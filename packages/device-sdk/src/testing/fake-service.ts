import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { createNobleAead } from '@svc/core/aead-noble';
import {
  admissionKeySealInfo,
  arrivalsSecretSealInfo,
  checkInSecretSealInfo,
  encodeDelta,
  encodeEnvelope,
  encodePack,
  envelopeSigningInput,
  listKeySealInfo,
  parsePack,
  recordTag,
  sealCheckRecord,
  sealRecord,
} from '@svc/core/pack';
import {
  ADMISSIONS_PATH,
  ARRIVALS_PATH,
  type Attendance,
  DEVICE_KEY_HEADER,
  formatId,
  formatSecret,
  type HeadTurnAlternative,
  NONCE_HEADER,
  PAYLOADS_HEADER,
  type ReEntryPolicy,
  type ReEntryScope,
  type SignedArrivalsReport,
  type SyncManifest,
  type ToldNames,
  uuidv7,
} from '@svc/protocol';
import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import { fromBase64Url, toBase64Url } from '../platform/bytes.ts';
import type { Clock } from '../platform/platform.ts';
import type { Transport, TransportAnswer, TransportRequest } from '../platform/transport.ts';
import { type RegionSettings, signingKeyId } from '../trust/region.ts';
import { sealSecret } from './contracts.ts';
import { FakeAdmissions } from './fake-admissions.ts';

export const ENGINE_ID = 'fake-engine/1';
export const DIMENSION = 8;
export const THRESHOLD = 0.9;
const DAY = 24 * 60 * 60_000;

const seeded = (seed: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => sha256(Uint8Array.of(seed, i))[0] ?? 0);
const id = (prefix: 'lst' | 'dev', seed: number): string => formatId(prefix, uuidv7(1, seeded(seed, 10)));
export const token = (seed: number): string => formatSecret('svcd', seeded(seed, 32));

/** The parts of one answer, which a test can change before they are assembled. */
export interface Draft {
  payloadKind: 0 | 1 | 2;
  manifest: SyncManifest;
  /** Replaces the manifest's JSON. */
  manifestBytes?: Uint8Array;
  payload: Uint8Array;
  keyId: string;
  sign: (message: Uint8Array) => Uint8Array;
  /** Applied last, to the bytes on the wire. */
  body?: (bytes: Uint8Array) => Uint8Array;
}

export interface Person {
  readonly template: Float32Array;
  readonly deleteAfterMs: number;
}

/** A list's engine. */
export interface ListEngine {
  readonly engineId: string;
  readonly dimension: number;
  readonly matchThreshold: number;
}

const FAKE_ENGINE: ListEngine = { engineId: ENGINE_ID, dimension: DIMENSION, matchThreshold: THRESHOLD };

/** A sync server of one list that conforms to the protocol, with hooks for dishonest answers. */
export class FakeService {
  readonly listId = id('lst', 1);
  readonly deviceId = id('dev', 2);
  readonly #aead = createNobleAead();
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #engine: ListEngine;
  /** Sealed records, so that an unchanged list keeps its state hash. */
  readonly #sealed = new Map<string, Uint8Array>();
  readonly signingSecret = seeded(50, 32);
  /** Server clock minus wall clock. */
  skewMs = 0;
  version = 1;
  /** `matchThreshold`: default is the list's engine's. */
  epochs: {
    epoch: number;
    engineId: string;
    listKey: Uint8Array;
    people: Map<string, Person>;
    matchThreshold?: number;
  }[];
  retentionDeadline: string | null = null;
  enrollmentClosed = false;
  headTurnAlternative: HeadTurnAlternative = 'none';
  /** Sent if set, as are the following; older services send none. */
  names: ToldNames | null = null;
  reEntry: ReEntryPolicy | null = null;
  reEntryScope: ReEntryScope | null = null;
  mode: SyncManifest['mode'];
  attendance: Attendance | null = null;
  readonly admissions = new FakeAdmissions();
  checkIn: { readonly url: string; readonly secret: Uint8Array } | null = null;
  /** The secret that signs the device's reports; null: nothing is said of arrivals, as by an older service. */
  arrivals: Uint8Array | 'off' | null = null;
  /** Reports that were taken, and what the network does with one. */
  readonly reports: SignedArrivalsReport[] = [];
  takeReport: () => Promise<number> = async () => 204;
  syncCounter = 0;
  wipe: SyncManifest['reason'] | null = null;
  /** Packs that were sent, by version: the bases of requested changes. */
  readonly #sent = new Map<number, Uint8Array>();
  /** Whether to send changes to a device that holds an earlier version. */
  sendsDeltas = false;
  /** Whether requests for the whole list are answered. */
  sendsWhole = true;
  /** Payloads above this length are sent by link to a device that takes links; null: an older service, which has none. */
  linksAbove: number | null = null;
  /** What links begin with: an origin; empty for paths of the service. */
  linkOrigin = '';
  /** Answers a request for a payload. */
  fetched = (bytes: Uint8Array): TransportAnswer | Promise<TransportAnswer> => syncAnswer(bytes, { mediaType: '' });
  readonly #linked = new Map<string, Uint8Array>();
  /** Replaces the answer of a sync. */
  answer: ((draft: () => Promise<Uint8Array>) => Promise<TransportAnswer>) | null = null;
  bend: (draft: Draft) => void | Promise<void> = () => undefined;
  readonly requests: { readonly url: string; readonly headers: Readonly<Record<string, string>> }[] = [];

  /** The sent envelopes. */
  readonly answered: Uint8Array[] = [];

  constructor(clock: Pick<Clock, 'wallMs'>, engine = FAKE_ENGINE) {
    this.#clock = clock;
    this.#engine = engine;
    this.epochs = [{ epoch: 1, engineId: engine.engineId, listKey: seeded(3, 32), people: new Map() }];
  }

  get region(): RegionSettings {
    return { baseUrl: 'https://api.test', signingKeys: [toBase64Url(ed25519.getPublicKey(this.signingSecret))] };
  }

  get nowMs(): number {
    return this.#clock.wallMs() + this.skewMs;
  }

  /** The pack that was last sent, whole or as changes. */
  get newestPack(): Uint8Array {
    return [...this.#sent.values()].at(-1) ?? new Uint8Array();
  }

  get newest() {
    const [epoch] = this.epochs;
    if (epoch === undefined) throw new Error('no epoch');
    return epoch;
  }

  enrol(personId: string, template: Float32Array, deleteAfterMs = this.nowMs + 400 * DAY): void {
    this.version += 1;
    this.newest.people.set(personId, { template, deleteAfterMs });
  }

  erase(personId: string): void {
    this.version += 1;
    for (const { people } of this.epochs) people.delete(personId);
  }

  readonly transport: Transport = async (request) => {
    const { url, headers, body: sent, signal } = request;
    if (url.endsWith(ADMISSIONS_PATH)) return this.#shareAdmissions(request);
    if (url.endsWith(ARRIVALS_PATH)) {
      const status = await this.takeReport();
      if (status === 204) this.reports.push(JSON.parse(new TextDecoder().decode(sent)) as SignedArrivalsReport);
      return { status, mediaType: '', contentLength: null, body: (async function* () {})() };
    }
    this.requests.push({ url, headers });
    const linked = this.#linked.get(url);
    if (linked !== undefined) return this.fetched(linked);
    const respond = () => {
      const since = Number(new URL(url).searchParams.get('since'));
      const takesLinks = headers[PAYLOADS_HEADER] === 'by-link';
      return this.respond(since, headers[DEVICE_KEY_HEADER] ?? '', headers[NONCE_HEADER] ?? '', takesLinks);
    };
    if (!this.sendsWhole && new URL(url).searchParams.get('since') === '0') throw new Error('no route');
    if (this.answer !== null) return this.answer(respond);
    const body = await respond();
    this.answered.push(body.slice());
    if (signal.aborted) throw new Error('aborted');
    return syncAnswer(body);
  };

  async #shareAdmissions(request: TransportRequest): Promise<TransportAnswer> {
    const { listId, deviceId } = this;
    const { answer, arrived } = await this.admissions.answer(request, { listId, deviceId });
    const manifest = new TextEncoder().encode(JSON.stringify(answer));
    const { keyId, sign } = this.#signing();
    const signature = sign(envelopeSigningInput(0, manifest));
    await arrived();
    return syncAnswer(encodeEnvelope({ payloadKind: 0, manifest, keyId, signature, payload: new Uint8Array() }));
  }

  async pack(): Promise<Uint8Array> {
    const { dimension } = this.#engine;
    const epochs = [];
    for (const { epoch, engineId, listKey, people } of this.epochs) {
      const context = { listId: this.listId, epoch, engineId, dimension, listKey };
      const checkRecord = await this.#once(`${epoch}`, () => sealCheckRecord(this.#aead, context));
      const records = [];
      for (const [personId, person] of people) {
        const what = `${epoch} ${personId} ${person.deleteAfterMs} ${person.template.join()}`;
        records.push(await this.#once(what, () => sealRecord(this.#aead, { ...context, ...person, personId })));
      }
      epochs.push({ epoch, engineId, dimension, checkRecord, records });
    }
    return encodePack({ listId: this.listId, listVersion: this.version, epochs });
  }

  async #once(what: string, seal: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const sealed = this.#sealed.get(what) ?? (await seal());
    this.#sealed.set(what, sealed);
    return sealed;
  }

  /** The envelope, with this service's modifications. `key` and `nonce` are base64url. */
  async respond(since: number, key: string, nonce: string, takesLinks = false): Promise<Uint8Array> {
    const deviceKey = fromBase64Url(key) ?? new Uint8Array();
    const draft = this.wipe === null ? await this.#keep(since, deviceKey, nonce) : this.#wiping(deviceKey, nonce);
    if (takesLinks && this.linksAbove !== null && draft.payload.length > this.linksAbove) this.#link(draft);
    await this.bend(draft);
    const manifest = draft.manifestBytes ?? new TextEncoder().encode(JSON.stringify(draft.manifest));
    const signature = draft.sign(envelopeSigningInput(draft.payloadKind, manifest));
    const { payloadKind, keyId, payload } = draft;
    const bytes = encodeEnvelope({ payloadKind, manifest, keyId, signature, payload });
    return draft.body?.(bytes) ?? bytes;
  }

  #link(draft: Draft): void {
    const payloadUrl = `${this.linkOrigin}/v1/packs/${draft.manifest.payloadSha256}?to=${draft.manifest.toVersion}`;
    this.#linked.set(new URL(payloadUrl, this.region.baseUrl).href, draft.payload);
    draft.manifest = { ...draft.manifest, payloadUrl, payloadBytes: draft.payload.length };
    draft.payload = new Uint8Array();
  }

  #signing(): Pick<Draft, 'keyId' | 'sign'> {
    const secret = this.signingSecret;
    return {
      keyId: signingKeyId(ed25519.getPublicKey(secret)),
      sign: (message) => ed25519.sign(message, secret),
    };
  }

  #common(deviceKey: Uint8Array, nonce: string) {
    const issuedAtMs = this.nowMs;
    return {
      format: 1,
      listId: this.listId,
      deviceId: this.deviceId,
      deviceKeyThumbprint: toBase64Url(sha256(deviceKey)),
      nonce,
      issuedAt: new Date(issuedAtMs).toISOString(),
      leaseExpiresAt: new Date(issuedAtMs + DAY).toISOString(),
      retentionDeadline: this.retentionDeadline,
      enrollmentClosed: this.enrollmentClosed,
      headTurnAlternative: this.headTurnAlternative,
    } as const;
  }

  #wiping(deviceKey: Uint8Array, nonce: string): Draft {
    const manifest: SyncManifest = {
      ...this.#common(deviceKey, nonce),
      command: 'wipe',
      reason: this.wipe ?? 'device-revoked',
      fromVersion: 0,
      toVersion: 0,
      recordCount: 0,
      payloadSha256: toBase64Url(sha256(new Uint8Array())),
      stateHash: '',
      epochs: [],
    };
    return { payloadKind: 0, manifest, payload: new Uint8Array(), ...this.#signing() };
  }

  async #keep(since: number, deviceKey: Uint8Array, nonce: string): Promise<Draft> {
    const snapshot = await this.pack();
    const parsed = parsePack(snapshot);
    const held = this.#sent.get(since);
    this.#sent.set(this.version, snapshot);
    const [payloadKind, payload] = this.#payload(since, snapshot, held);
    const epochs = await Promise.all(
      this.epochs.map(async ({ epoch, engineId, listKey, matchThreshold = this.#engine.matchThreshold }) => ({
        epoch,
        engineId,
        dimension: this.#engine.dimension,
        matchThreshold,
        sealedListKey: await this.sealTo(deviceKey, listKey, epoch),
      })),
    );
    if (this.arrivals !== null) this.syncCounter += 1;
    const manifest: SyncManifest = {
      ...this.#common(deviceKey, nonce),
      command: 'keep',
      fromVersion: payloadKind === 1 ? 0 : since,
      toVersion: this.version,
      recordCount: parsed.recordCount,
      payloadSha256: toBase64Url(sha256(payload)),
      stateHash: toBase64Url(parsed.stateHash()),
      epochs,
      ...(this.names === null ? {} : { names: this.names }),
      ...(this.reEntry === null ? {} : { reEntry: this.reEntry }),
      ...(this.reEntryScope === null ? {} : { reEntryScope: this.reEntryScope }),
      ...(this.reEntryScope === 'list' ? { sealedAdmissionKey: await this.#admissionKeyFor(deviceKey) } : {}),
      ...(this.attendance === null ? {} : { attendance: this.attendance }),
      ...(this.mode === undefined ? {} : { mode: this.mode }),
      ...(this.checkIn === null ? {} : { checkIn: await this.#checkInFor(deviceKey, this.checkIn) }),
      ...(this.arrivals === null
        ? {}
        : { arrivals: await this.#arrivalsFor(deviceKey, this.arrivals), syncCounter: this.syncCounter }),
    };
    return { payloadKind, manifest, payload, ...this.#signing() };
  }

  #payload(since: number, snapshot: Uint8Array, held: Uint8Array | undefined): readonly [0 | 1 | 2, Uint8Array] {
    if (since === this.version) return [0, new Uint8Array()];
    if (this.sendsDeltas && held !== undefined) return [2, deltaOf(held, snapshot)];
    return [1, snapshot];
  }

  sealTo(deviceKey: Uint8Array, listKey: Uint8Array, epoch: number, deviceId = this.deviceId) {
    return sealedFor(deviceKey, listKey, listKeySealInfo({ listId: this.listId, deviceId, epoch }));
  }

  #admissionKeyFor(deviceKey: Uint8Array) {
    const { listId, deviceId } = this;
    return sealedFor(deviceKey, this.admissions.key, admissionKeySealInfo({ listId, deviceId }));
  }

  async #checkInFor(deviceKey: Uint8Array, { url, secret }: { readonly url: string; readonly secret: Uint8Array }) {
    const { listId, deviceId } = this;
    return { url, sealedSecret: await sealedFor(deviceKey, secret, checkInSecretSealInfo({ listId, deviceId })) };
  }

  async #arrivalsFor(deviceKey: Uint8Array, secret: Uint8Array | 'off') {
    if (secret === 'off') return { policy: secret } as const;
    const { listId, deviceId } = this;
    const sealedSecret = await sealedFor(deviceKey, secret, arrivalsSecretSealInfo({ listId, deviceId }));
    return { policy: 'counts', sealedSecret } as const;
  }
}

/** Seals a secret to a device's public key, as manifests carry it. */
export async function sealedFor(deviceKey: Uint8Array, secret: Uint8Array, info: Uint8Array) {
  const { enc, ciphertext } = await sealSecret(deviceKey, secret, info);
  return { enc: toBase64Url(enc), ciphertext: toBase64Url(ciphertext) };
}

/** The changes from one pack to another. */
export function deltaOf(before: Uint8Array, after: Uint8Array): Uint8Array {
  const [from, to] = [parsePack(before), parsePack(after)];
  const epochs = to.epochs.map((epoch) => {
    const held = from.epochs.find((candidate) => candidate.epoch === epoch.epoch);
    const isHeld = (record: Uint8Array) => {
      const same = held?.find(recordTag(record));
      return same !== undefined && same !== null && Buffer.compare(same, record) === 0;
    };
    return {
      ...epoch,
      upserts: [...epoch.records()].filter((record) => !isHeld(record)),
      removals: [...(held?.records() ?? [])].map(recordTag).filter((tag) => epoch.find(tag) === null),
    };
  });
  return encodeDelta({ listId: to.listId, fromVersion: from.listVersion, toVersion: to.listVersion, epochs });
}

export function syncAnswer(body: Uint8Array, over: Partial<TransportAnswer> = {}): TransportAnswer {
  return {
    status: 200,
    mediaType: 'application/vnd.svc.sync',
    contentLength: body.length,
    body: (async function* () {
      // In pieces, as from a network.
      for (let at = 0; at < body.length; at += 1_000) yield body.subarray(at, at + 1_000);
    })(),
    ...over,
  };
}

/** What a receiver got. */
export interface ReceivedCheckIn {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An organiser's server that verifies each check-in by the library of Standard Webhooks, and drops repeated ids. */
export class FakeReceiver {
  readonly #webhook: Webhook;
  readonly #nowMs: () => number;
  /** Each id once, in the order of arrival. */
  readonly received: ReceivedCheckIn[] = [];
  /** All arrivals, repeated ones too. */
  requests = 0;
  /** Status of the answer to a check-in, which counts as received from 200 to 299. */
  status: (checkIn: ReceivedCheckIn) => number = () => 204;
  /** What the network does before and after the request; a rejection is a lost connection. */
  before: (body: string) => Promise<void> = async () => undefined;
  after: () => Promise<void> = async () => undefined;

  constructor(secret: Uint8Array, nowMs: () => number) {
    this.#webhook = new Webhook(Buffer.from(secret).toString('base64'));
    this.#nowMs = nowMs;
  }

  readonly transport: Transport = async ({ body, headers, signal }) => {
    const text = new TextDecoder().decode(body);
    await this.before(text);
    signal.throwIfAborted();
    this.requests += 1;
    // The library asks the system for the time.
    const now = vi.spyOn(Date, 'now').mockReturnValue(this.#nowMs());
    try {
      this.#webhook.verify(text, { ...headers });
    } finally {
      now.mockRestore();
    }
    const checkIn = { id: headers['webhook-id'] ?? '', ...(JSON.parse(text) as Omit<ReceivedCheckIn, 'id'>) };
    const status = this.status(checkIn);
    const isNew = !this.received.some(({ id }) => id === checkIn.id);
    if (status >= 200 && status < 300 && isNew) this.received.push(checkIn);
    await this.after();
    return { status, mediaType: '', contentLength: null, body: (async function* () {})() };
  };
}
