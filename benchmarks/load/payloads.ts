import { createECDH, createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnvelope } from '@svc/core/pack';
import type { AddedDevice, SyncManifest } from '@svc/protocol';
import { each } from '../speed/service/pace.ts';
import { type BenchService, startService } from '../speed/service/start-service.ts';
import { createDoorTransport } from './door-device.ts';
import { AT_ONCE, addLists, fillPeople } from './fill.ts';
import { type CacheCounts, startVarnish, type Varnish, varnishVersion } from './varnish.ts';

export interface CampaignOptions {
  readonly devices: number;
  readonly people: number;
  readonly lists: number;
  /** People who come to each list before the second round. */
  readonly changes: number;
}

/** Sync times are recorded up to a second late; before, a device gets no changes. */
const RECORDED_MS = 2_000;

/** As the fleet: ten devices a list. */
export const CAMPAIGN: CampaignOptions = { devices: 10_000, people: 1_000_000, lists: 1_000, changes: 60 };

/** One sync of every device. */
export interface CampaignRound {
  readonly seconds: number;
  /** To the devices, from the service and the cache together. */
  readonly receivedBytes: number;
  /** That left the node: to devices and to the cache. */
  readonly nodeBytes: number;
  readonly apiProcessorMs: number;
  readonly databaseProcessorMs: number | null;
  /** Of the cache in this round; null without one. */
  readonly cache: CacheCounts | null;
}

interface CampaignRounds {
  readonly plain: CampaignRound;
  /** Null without Varnish. */
  readonly cached: CampaignRound | null;
}

export interface CampaignResult {
  readonly options: CampaignOptions;
  /** Null: Varnish is not installed. */
  readonly varnish: string | null;
  readonly whole: CampaignRounds;
  readonly changes: CampaignRounds;
  readonly failures: readonly string[];
}

/** A device's requests of docs/internals/sync.md, and the hash of what it fetched; the SDK's other checks are left out. */
class Caller {
  readonly #url: string;
  readonly #token: string;
  readonly #key = createECDH('prime256v1').generateKeys('base64url', 'uncompressed');
  received = { service: 0, cache: 0 };
  since = 0;
  /** Where payloads are fetched, as `SVC_PAYLOADS_URL` says; null: from the service. */
  cacheUrl: string | null = null;

  constructor(
    url: string,
    readonly deviceId: string,
    token: string,
  ) {
    [this.#url, this.#token] = [url, token];
  }

  async #get(url: string, headers: Readonly<Record<string, string>> = {}) {
    const from = url.startsWith(this.#url) ? 'service' : 'cache';
    const transport = createDoorTransport(({ receivedBytes }) => {
      this.received[from] += receivedBytes;
    });
    const { status, body } = await transport({ url, headers, signal: new AbortController().signal });
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    return { status, bytes: Buffer.concat(parts) };
  }

  /** The manifest, without the payload. */
  async ask(): Promise<SyncManifest> {
    const { status, bytes } = await this.#get(`${this.#url}/v1/device/sync?since=${this.since}`, {
      Authorization: `Bearer ${this.#token}`,
      'Svc-Device-Key': this.#key,
      'Svc-Nonce': randomBytes(16).toString('base64url'),
      'Svc-Payloads': 'by-link',
    });
    if (status !== 200) throw new Error(`a sync was answered ${status}`);
    return JSON.parse(Buffer.from(parseEnvelope(bytes).manifest).toString()) as SyncManifest;
  }

  /** Status of a payload's address, and whether the bytes are the manifest's. */
  async fetch({ payloadUrl = '', payloadSha256 }: SyncManifest) {
    const { status, bytes } = await this.#get(new URL(payloadUrl, this.cacheUrl ?? this.#url).href);
    return { status, isIt: createHash('sha256').update(bytes).digest('base64url') === payloadSha256 };
  }

  /** @throws Error unless it gets its news by link */
  async sync(): Promise<void> {
    const manifest = await this.ask();
    if (!(await this.fetch(manifest)).isIt) throw new Error('a payload is not the manifest’s');
    this.since = manifest.toVersion;
  }
}

async function round(
  service: BenchService,
  varnish: Varnish | null,
  callers: readonly Caller[],
): Promise<CampaignRound> {
  const [before, cacheBefore] = [await service.processorMs(), (await varnish?.counts()) ?? null];
  for (const caller of callers) {
    caller.received = { service: 0, cache: 0 };
    caller.cacheUrl = varnish?.url ?? null;
  }
  const startedAt = performance.now();
  // The devices of a list do not come one after the other.
  await each(callers.length, AT_ONCE, async (i) => callers[i]?.sync());
  const seconds = (performance.now() - startedAt) / 1000;
  const [after, cacheAfter] = [await service.processorMs(), (await varnish?.counts()) ?? null];
  const less = (key: keyof CacheCounts) => (cacheAfter?.[key] ?? 0) - (cacheBefore?.[key] ?? 0);
  const cache =
    cacheAfter === null
      ? null
      : {
          hits: less('hits'),
          misses: less('misses'),
          fetchedBytes: less('fetchedBytes'),
          processorMs: less('processorMs'),
        };
  const from = (key: 'service' | 'cache') => callers.reduce((sum, { received }) => sum + received[key], 0);
  return {
    seconds,
    receivedBytes: from('service') + from('cache'),
    nodeBytes: from('service') + (cache?.fetchedBytes ?? 0),
    apiProcessorMs: after.api - before.api,
    databaseProcessorMs: after.database === null || before.database === null ? null : after.database - before.database,
    cache,
  };
}

const TWO_HOURS_MS = 2 * 3_600_000;

/** What must give nothing new, although the cache is asked: the ways in which it did. */
async function refusals(
  service: BenchService,
  o: CampaignOptions,
  listIds: readonly string[],
  callers: readonly Caller[],
) {
  const failures: string[] = [];
  const first = o.people / o.lists;
  /** A link that nobody has fetched, then `change`, then its fetch; afterwards the device's own manifest. */
  const tried = async (
    i: number,
    what: string,
    reason: string | null,
    change: (caller: Caller) => Promise<unknown>,
  ) => {
    const caller = callers[i] as Caller;
    await fillPeople(service, [listIds[i] ?? ''], first + 2 * o.changes, first + o.changes + 1);
    const manifest = await caller.ask();
    await change(caller);
    const { status, isIt } = await caller.fetch(manifest);
    if (manifest.payloadUrl === undefined || status !== 404 || isIt)
      failures.push(`${what}: the link was answered ${status}`);
    const { command, reason: told } = await caller.ask();
    if (reason !== null && (command !== 'wipe' || told !== reason)) failures.push(`${what}: no wipe`);
  };
  await tried(0, 'a revoked device', 'device-revoked', ({ deviceId }) =>
    service.call('DELETE', `/v1/lists/${listIds[0]}/devices/${deviceId}`),
  );
  await tried(1, 'a deleted list', 'list-deleted', () => service.call('DELETE', `/v1/lists/${listIds[1]}`));
  await tried(2, 'an expired link', null, () => service.advance(TWO_HOURS_MS));
  return failures;
}

/** A cache of ten devices a list leaves the node this share of the bytes at most. */
const MOST_LEFT = 0.25;

/** Every device of many lists syncs the whole list, then changes: each without a cache, and through Varnish. */
export async function runPayloads(o: CampaignOptions, say: (line: string) => void): Promise<CampaignResult> {
  const version = varnishVersion();
  if (version === null) say('Varnish is not installed (apt-get install varnish): only the rounds without a cache');
  const service = await startService({ inference: 'fake', workers: 1 });
  const varnish = version === null ? null : await startVarnish(service.url);
  try {
    const listIds = await addLists(service, o.lists);
    const first = o.people / o.lists;
    await fillPeople(service, listIds, first);
    const callers = await each(o.devices, AT_ONCE, async (i) => {
      const { id, token } = await service.call<AddedDevice>('POST', `/v1/lists/${listIds[i % o.lists]}/devices`, {});
      return new Caller(service.url, id, token);
    });
    const rounds = async (since: number) => {
      const made = [];
      for (const cache of [null, varnish]) {
        if (cache === null && made.length > 0) continue;
        // With caches of the node as empty as before the other round.
        await service.kill();
        await service.restart();
        for (const caller of callers) caller.since = since;
        say(`${o.devices} syncs since version ${since}, ${cache === null ? 'without a cache' : 'through Varnish'}`);
        made.push(await round(service, cache, callers));
      }
      const [plain, cached = null] = made;
      if (plain === undefined) throw new Error('no round');
      return { plain, cached };
    };
    const whole = await rounds(0);
    await fillPeople(service, listIds, first + o.changes, first + 1);
    await sleep(RECORDED_MS);
    const changes = await rounds(first + 1);
    const failures = varnish === null ? [] : await refusals(service, o, listIds, callers);
    if (whole.cached !== null && whole.cached.nodeBytes > MOST_LEFT * whole.plain.nodeBytes) {
      failures.push('the cache leaves the node more than a quarter of the bytes');
    }
    return { options: o, varnish: version, whole, changes, failures };
  } finally {
    await varnish?.close();
    await service.close();
  }
}
