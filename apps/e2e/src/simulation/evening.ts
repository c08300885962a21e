import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMigratedDatabase,
  createSeededRandom,
  newSigningKey,
  openSimulatedNode,
  parseSigningKeys,
  type SimulatedNode,
} from '@svc/api/testing';
import { createNodeAead } from '@svc/core/testing/peers';
import type { TransportAnswer, TransportRequest } from '@svc/device-sdk/adapters';
import { DIMENSION, ENGINE_ID, openVerifiedDoor, THRESHOLD, templateOf } from '@svc/device-sdk/testing';
import { createFileKeyStore, createFilePackStore } from '@svc/device-sdk-node';
import {
  ADMISSIONS_PATH,
  ARRIVALS_PATH,
  admissionsRequestSchema,
  type CreateListRequest,
  DEVICE_KEY_HEADER,
  HOUR_MS,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  type SignedArrivalsReport,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
} from '@svc/protocol';
import { SimulatedDisk } from './simulated-disk.ts';
import { TrueTime } from './true-time.ts';

const BASE_URL = 'https://api.simulated.test';
/** The only person who is enrolled; everybody else is verified by the test. */
const ENROLLED = 'guest';
const CONSENT = {
  consentVersion: 'eu-v2',
  explicitBiometricConsent: true,
  writtenRelease: true,
  under16: false,
  guardianConsent: false,
} as const;

type Account = Parameters<SimulatedNode['lists']['get']>[0];
type Random = ReturnType<typeof createSeededRandom>;
const bytesOf = (random: Random) => ({
  bytes: (length: number) => Uint8Array.from({ length }, () => random.between(0, 255)),
});
const answerOf = (status: number, mediaType: string, body: Uint8Array): TransportAnswer => ({
  ...{ status, mediaType, contentLength: body.length },
  body: (async function* () {
    yield body;
  })(),
});

/** The machine of a door: its disk outlives kills, and its network can be away. */
export class EveningDoor {
  readonly deviceId: string;
  readonly disk = new SimulatedDisk();
  isOffline = false;
  /** Whether the service hears the door, and its answers about admissions are lost. */
  isDeaf = false;
  readonly #open: () => ReturnType<typeof openVerifiedDoor>;
  #door: ReturnType<typeof openVerifiedDoor> | null = null;

  constructor(deviceId: string, open: (door: EveningDoor) => ReturnType<typeof openVerifiedDoor>) {
    this.deviceId = deviceId;
    this.#open = () => open(this);
  }

  /** The running program, started where there is none. */
  running() {
    this.#door ??= this.#open();
    return this.#door;
  }

  sync = async () => (await this.running()).sync();

  admit = async (ticket: string) => (await this.running()).admit(ticket, ENROLLED);

  /** Ends the program at a write of what it does, and starts it again. @returns whether it was cut */
  async killIn(deed: () => Promise<unknown>, at: number): Promise<boolean> {
    await this.running();
    this.disk.cutAt(at, 'torn', 'kill');
    await deed().catch(() => undefined);
    const wasCut = this.disk.isOff;
    this.disk.switchOff('kill');
    this.#door = null;
    return wasCut;
  }
}

/** An event of three hours at a true service with a database: its list, its doors, and the organiser who looks. */
export class Evening {
  readonly time: TrueTime;
  readonly node: SimulatedNode;
  readonly account: Account;
  readonly listId: string;
  readonly #region: { readonly baseUrl: string; readonly signingKeys: string[] };
  readonly #random: Random;

  private constructor(o: Pick<Evening, 'time' | 'node' | 'account' | 'listId'>, signingKey: string, random: Random) {
    [this.time, this.node, this.account, this.listId] = [o.time, o.node, o.account, o.listId];
    const signingKeys = parseSigningKeys(signingKey).map(({ publicKey }) => publicKey);
    this.#region = { baseUrl: BASE_URL, signingKeys };
    this.#random = random;
  }

  /** @param settings of the list @param work is done before everything is closed */
  static async during(
    postgres: Parameters<typeof createMigratedDatabase>[0],
    settings: Partial<CreateListRequest>,
    work: (evening: Evening) => Promise<void>,
  ): Promise<void> {
    const [time, random, signingKey] = [new TrueTime(), createSeededRandom(35), newSigningKey().value];
    const dataDirectory = await mkdtemp(join(tmpdir(), 'svc-evening-'));
    const node = await openSimulatedNode({
      ...{ databaseUrl: await createMigratedDatabase(postgres), dataDirectory, signingKey, clock: time },
      keks: [Buffer.alloc(32, 7).toString('base64')],
      engine: { engineId: ENGINE_ID, dimension: DIMENSION, matchThreshold: THRESHOLD },
      random: bytesOf(random),
    });
    try {
      const of = { name: 'organiser', country: 'DE', billingCurrency: 'EUR', plan: 'pilot' } as const;
      const { accountId } = await node.accounts.create(of, { kind: 'system' });
      const rights = { scopes: null, expiresAt: null };
      const account: Account = {
        ...{ accountId, keyId: 'key', rights },
        country: 'DE',
        billingCurrency: 'EUR',
        mode: 'live',
      };
      const [startsAt = '', endsAt = ''] = [0, 3 * HOUR_MS].map((ms) => new Date(time.now() + ms).toISOString());
      const { eventId } = await node.events.create(account, { name: 'Fair', startsAt, endsAt });
      const { listId } = await node.lists.create(account, { name: 'Guests', eventId, retainDays: 1, ...settings });
      const consent = { ...CONSENT, givenAt: startsAt };
      const person = { personId: ENROLLED, consent, photo: new Uint8Array() };
      const found = await node.enrolments.find({ accountId, listId });
      await node.enrolments.enrol(account, found, person, node.admission(templateOf(1)));
      await work(new Evening({ time, node, account, listId }, signingKey, random));
    } finally {
      await node.close();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  }

  async addDoor(name: string): Promise<EveningDoor> {
    const { device, token: deviceToken } = await this.node.devices.add(this.account, this.listId, { name });
    return new EveningDoor(device.deviceId, async (door) => {
      const fs = door.disk.mount();
      const { clock, timers } = this.time.boot(0);
      const ports = {
        ...{ keyStore: await createFileKeyStore('door', fs), packStore: await createFilePackStore('door', fs) },
        ...{ clock, timers, random: bytesOf(this.#random.fork()), aead: createNodeAead() },
        transport: (request: TransportRequest) => this.#carry(door, request),
      };
      return openVerifiedDoor(ports, { deviceToken, region: this.#region, engineIds: [ENGINE_ID] });
    });
  }

  async #carry({ isOffline, isDeaf }: EveningDoor, { url, headers, body }: TransportRequest): Promise<TransportAnswer> {
    if (isOffline) throw new Error('no route');
    const authorization = headers.Authorization ?? '';
    if (url.endsWith(ARRIVALS_PATH)) {
      const report = JSON.parse(new TextDecoder().decode(body)) as SignedArrivalsReport;
      return answerOf(await this.node.reportArrivals(authorization, report), '', new Uint8Array());
    }
    if (url.endsWith(ADMISSIONS_PATH)) {
      const request = admissionsRequestSchema.parse(JSON.parse(new TextDecoder().decode(body)));
      const [nonce, signature] = [headers[NONCE_HEADER] ?? '', headers[SIGNATURE_HEADER] ?? ''];
      const envelope = await this.node.shareAdmissions(authorization, nonce, signature, request);
      if (isDeaf) throw new Error('the answer was lost');
      return answerOf(200, SYNC_MEDIA_TYPE, envelope);
    }
    const [deviceKey, nonce] = [headers[DEVICE_KEY_HEADER] ?? '', headers[NONCE_HEADER] ?? ''];
    const since = new URL(url).searchParams.get('since') ?? '';
    const counter = headers[SYNC_COUNTER_HEADER];
    const reply = await this.node.sync({ authorization, deviceKey, nonce, since, counter });
    await reply.sent();
    return answerOf(reply.status, SYNC_MEDIA_TYPE, reply.body);
  }
}
