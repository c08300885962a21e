import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { installAddOn } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { DeviceProcess, scan, writeExpectedSecrets } from './child.ts';
import { type Batch, type DeviceTask, judgeFlatness } from './messages.ts';

const hasProcfs = existsSync('/proc/self/maps');
if (!hasProcfs) process.stdout.write('searching memory: skipped: no /proc\n');
/** Growth is measured over so many. */
const realAttempts = Number(process.env.SVC_TEST_MEMORY_ATTEMPTS ?? 200);
const LEAKING_ATTEMPTS = 60;
/** A tenth of a frame. */
const LEAK_BYTES = 65_536;
/** Films to either side. */
const MOST_FRAMES = 120;
const BATCHES = 20;
const LIMIT_MS = 3_600_000;
const FPS = 4;
const personId = 'ticket-of-anna';

const seed = guests.anna;
const strangerSeed = guests.stranger;

describe('what a check-in device holds in memory', { timeout: LIMIT_MS }, () => {
  let root: string;
  let service: EnrolmentService;
  let listId: string;
  let addOnDirectory: string | null = null;
  const children: DeviceProcess[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-memory-'));
    const upstream = sharedData('models', 'minifasnet');
    if (upstream === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
    else {
      addOnDirectory = join(root, 'add-ons');
      await installAddOn('minifasnet', { from: upstream, addOnDirectory });
    }
    service = await startEnrolmentService();
    listId = await service.createList();
    const photo = await encodeJpeg(renderHead({ seed, width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId, photo });
    expect((await service.customer.request('POST', `/v1/lists/${listId}/people`, body)).status).toBe(201);
  }, LIMIT_MS);

  afterAll(async () => {
    for (const child of children) await child.end();
    await service?.close();
    await rm(root, { recursive: true, force: true });
  }, LIMIT_MS);

  const films = () => join(root, 'films');

  async function newToken(): Promise<string> {
    const { body } = await service.customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`);
    return body.token;
  }

  /** A separate device that has synced. */
  async function openDevice(name: string): Promise<DeviceProcess> {
    const task: DeviceTask = {
      deviceToken: await newToken(),
      region: { baseUrl: service.api.url, signingKeys: [service.api.admin.region().signingKey] },
      directory: join(root, name),
      addOnDirectory,
      personId,
      seed,
      strangerSeed,
      fps: FPS,
      films: films(),
    };
    const device = DeviceProcess.start();
    children.push(device);
    await device.tell('open', task);
    expect(await device.tell('sync', null)).toMatchObject({ ok: true, people: 1 });
    return device;
  }

  async function batches(device: DeviceProcess, attempts: number, leak = 0): Promise<readonly Batch[]> {
    const size = Math.max(1, Math.round(attempts / BATCHES));
    const samples: Batch[] = [];
    for (let done = 0; done < attempts; done += size)
      samples.push(await device.tell('batch', { attempts: size, leak }));
    return samples;
  }

  /** Every attempt ran in full, and only the first ones rendered frames. */
  function expectMatches(samples: readonly Batch[], attempts: number): void {
    const matches = samples.reduce((sum, { outcomes }) => sum + (outcomes['Match/verified'] ?? 0), 0);
    expect(matches).toBe(attempts);
    expect(samples.at(-1)?.framesRendered).toBeLessThan(MOST_FRAMES);
  }

  /** Prints the figures. */
  function report(what: string, samples: readonly Batch[]): 'flat' | 'growing' {
    const { rss, live, isFlat } = judgeFlatness(samples);
    const verdict = isFlat ? 'flat' : 'growing';
    const trend = ({ slope, margin, growth }: typeof rss) =>
      `${slope.toFixed(1)} ± ${margin.toFixed(1)} B an attempt, ${(growth / 1024).toFixed(0)} KiB in all`;
    const last = samples.at(-1);
    process.stdout.write(
      `memory: ${what}: ${last?.attempts} attempts, ${((last?.rss ?? 0) / 2 ** 20).toFixed(0)} MiB resident: ${trend(rss)}; ` +
        `in use ${((last?.live ?? 0) / 2 ** 20).toFixed(1)} MiB: ${trend(live)}; ${verdict}\n`,
    );
    return verdict;
  }

  it.skipIf(!hasProcfs)(
    'is no template, probe, landmark or key once an attempt has ended, as a core dump would show',
    async () => {
      const needles = join(root, 'needles.json');
      const wasm = join(root, 'wasm');
      const { signingKey, keyId } = service.api.admin.region();
      await writeExpectedSecrets({
        service: { url: service.api.url, signingKey, keyId },
        token: await newToken(),
        listId,
        personId,
        addOnDirectory,
        seed,
        strangerSeed,
        fps: FPS,
        films: films(),
        needles,
      });
      const device = await openDevice('searched');
      const search = async () => (await scan(needles, { pid: device.pid })).found.map(({ name }) => name).sort();
      const searchWasm = async () => {
        const memories = await device.tell('dumpWasm', { path: wasm });
        return { memories, found: (await scan(needles, { file: wasm })).found.map(({ name }) => name) };
      };

      const paused = device.paused();
      const attempt = device.tell('visit', { pause: true });
      await paused;
      // A control without planting: during an attempt the template is in memory, and so is the tracked face.
      expect(await search()).toEqual(['landmarks f32', 'template f32']);
      await device.tell('resume', null);
      expect(await attempt).toBe('Match/verified');
      expect(await search()).toEqual([]);
      const wasmMemories = await searchWasm();
      expect(wasmMemories.found).toEqual([]);
      // The memories of the core, the runtime, and Node itself.
      expect(wasmMemories.memories).toBeGreaterThanOrEqual(2);
      // Allows eight missing frames and their means.
      expect(await device.tell('visit', { pause: false, stranger: true })).toBe('NoMatch/below-threshold');
      expect(await search()).toEqual([]);
      expect((await searchWasm()).found).toEqual([]);
      await device.tell('visit', { pause: false });
      await device.tell('dispose', null);
      expect(await search()).toEqual([]);

      const planted = [
        'template f16',
        'template f32',
        'probe f32',
        'mean probe f32',
        'list key',
        'record key',
        'padded lookup key',
      ];
      await device.tell('plant', { needles, names: planted });
      expect(await search()).toEqual(expect.arrayContaining(planted));
      expect((await searchWasm()).found).toEqual(expect.arrayContaining(planted));
    },
  );

  it('does not grow with attempts', async () => {
    const samples = await batches(await openDevice('real'), realAttempts);
    expectMatches(samples, realAttempts);
    expect(report('attempts', samples)).toBe('flat');
  });

  it('is seen to grow if a part of each attempt is kept', async () => {
    const samples = await batches(await openDevice('leaking'), LEAKING_ATTEMPTS, LEAK_BYTES);
    expect(report(`${LEAK_BYTES} bytes kept of each on purpose`, samples)).toBe('growing');
  });
});
