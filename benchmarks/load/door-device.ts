import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNodeAead } from '@svc/core/testing/peers';
import { CheckInDevice, type PackStore, type RegionSettings, type SyncResult, type Transport } from '@svc/device-sdk';
import { createMemoryKeyStore, createMemoryPackStore, webClock, webRandom } from '@svc/device-sdk/adapters';
import { createFakeEngine } from '@svc/device-sdk/testing';
import { PACKS_PATH } from '@svc/protocol';

/** A request of a device, from its first byte to the last byte of the answer, or to its failure. */
export interface Exchange {
  /** `performance.now()`. */
  readonly sentAtMs: number;
  readonly tookMs: number;
  /** Null without an answer. */
  readonly status: number | null;
  /** Of the answer: head and body, as TCP carried them. */
  readonly receivedBytes: number;
  /** A payload by link, which belongs to the sync before it. */
  readonly isPayload: boolean;
}

/** What arrives, no faster than a line of this speed would bring it. */
async function* paced(body: AsyncIterable<Uint8Array>, bytesPerSecond: number): AsyncGenerator<Uint8Array> {
  const startedAtMs = performance.now();
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    const earlyMs = startedAtMs + (received / bytesPerSecond) * 1000 - performance.now();
    if (earlyMs > PACE_MS) await sleep(earlyMs);
    yield chunk;
  }
}

const PACE_MS = 20;

/**
 * One TCP connection per request: a device that syncs every five minutes keeps none open, and neither does a proxy for
 * it.
 * @param bytesPerSecond speed of the device's line; default: as fast as it comes
 */
export function createDoorTransport(onExchange: (exchange: Exchange) => void, bytesPerSecond?: number): Transport {
  return ({ url, headers, signal }) =>
    new Promise((resolve, reject) => {
      const sentAtMs = performance.now();
      const isPayload = url.includes(PACKS_PATH);
      let isOver = false;
      // The SDK aborts every request at its end, also one that was answered.
      const end = (status: number | null, receivedBytes: number) => {
        if (!isOver) onExchange({ sentAtMs, tookMs: performance.now() - sentAtMs, status, receivedBytes, isPayload });
        isOver = true;
      };
      const sent = request(url, { headers, signal, agent: false }, (response) => {
        const { statusCode = 0, socket } = response;
        const length = response.headers['content-length'];
        response.once('end', () => end(statusCode, socket.bytesRead));
        resolve({
          status: statusCode,
          mediaType: response.headers['content-type'] ?? '',
          contentLength: length === undefined ? null : Number(length),
          body: bytesPerSecond === undefined ? response : paced(response, bytesPerSecond),
        });
      });
      sent.once('error', (error) => {
        end(null, 0);
        reject(error);
      });
      sent.end();
    });
}

/** Contents of packs, each in memory once however many devices hold it. */
export class SharedPacks {
  readonly #held = new Map<string, WeakRef<Uint8Array>>();

  share(bytes: Uint8Array): Uint8Array {
    const name = createHash('sha256').update(bytes).digest('base64');
    const held = this.#held.get(name)?.deref() ?? bytes;
    this.#held.set(name, new WeakRef(held));
    return held;
  }
}

/** A device's disk in memory; only equal packs of different devices are stored once. */
function createSharedPackStore(shared: SharedPacks): PackStore {
  const packs = new Map<number, Uint8Array>();
  return {
    ...createMemoryPackStore(),
    async writePack(generation, parts) {
      const kept: Uint8Array[] = [];
      for await (const part of parts) kept.push(Uint8Array.from(part));
      packs.set(generation, shared.share(Buffer.concat(kept)));
    },
    async openPack(generation) {
      const bytes = packs.get(generation);
      if (bytes === undefined) return null;
      return {
        byteLength: bytes.length,
        read: async (offset, length) => Uint8Array.from(bytes.subarray(offset, offset + length)),
        close: async () => undefined,
      };
    },
    deletePack: async (generation) => void packs.delete(generation),
    listPacks: async () => [...packs.keys()],
  };
}

export interface DoorOptions {
  readonly token: string;
  readonly region: RegionSettings;
  readonly shared: SharedPacks;
  /** The engine of the list's records. It recognises nobody: these devices only sync. */
  readonly engineId: string;
  /** Timers run this many times as fast; 1 for a measurement. */
  readonly speed: number;
  readonly onExchange: (exchange: Exchange) => void;
  /** Called at the end of each sync. */
  readonly onSync: (result: SyncResult) => void;
}

const aead = createNodeAead();
/** The SDK's default. */
const SYNC_TIMEOUT_MS = 120_000;
const engines = new Map<string, ReturnType<typeof createFakeEngine>>();

/**
 * The SDK's own device: key pair, signature, HPKE, check record, state hash, storage, schedule and jitter are what a
 * door runs. Only its disk is memory and its engine sees nothing.
 */
export async function createDoor(o: DoorOptions): Promise<CheckInDevice> {
  const engine = engines.get(o.engineId) ?? createFakeEngine([o.engineId]);
  engines.set(o.engineId, engine);
  const device = await CheckInDevice.create({
    deviceToken: o.token,
    region: o.region,
    engine,
    passiveLiveness: 'absent-staff-in-view',
    syncTimeoutMs: SYNC_TIMEOUT_MS * o.speed,
    ports: {
      keyStore: createMemoryKeyStore(),
      packStore: createSharedPackStore(o.shared),
      clock: webClock,
      timers: {
        after(delayMs, callback) {
          const timer = setTimeout(callback, delayMs / o.speed).unref();
          return () => clearTimeout(timer);
        },
      },
      random: webRandom,
      transport: createDoorTransport(o.onExchange),
      aead,
      sha256: () => createHash('sha256'),
    },
  });
  let last: SyncResult | null = null;
  device.onStatus(({ lastSync, syncing }) => {
    if (syncing || lastSync === null || lastSync === last) return;
    last = lastSync;
    o.onSync(lastSync);
  });
  // The fake engine remembers its calls for tests.
  [engine.asked.length, engine.handedOut.length] = [0, 0];
  return device;
}
