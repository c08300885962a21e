import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import { trendOf } from '@svc/benchmarks/inputs/summary';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { photoOf, ticketOf } from '../support/guests.ts';
import { type Program, startProgram } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';
import type { DeviceProcess } from './device-process.ts';
import type { ExpectedSecrets } from './expected-secrets.ts';
import { scan } from './needles.ts';

const hasProcfs = existsSync('/proc/self/maps');
if (!hasProcfs) process.stdout.write('searching memory: skipped: no /proc\n');
/** Growth is measured over so many. */
const realAttempts = Number(process.env.SVC_TEST_MEMORY_ATTEMPTS ?? 200);
/** Films to either side. */
const MOST_FRAMES = 120;
const BATCHES = 20;
const LIMIT_MS = 3_600_000;
/** Of resident memory and in use: growth that only many more attempts could tell from none. */
const FLAT_BYTES = { rss: 4 * 2 ** 20, live: 2 ** 19 };

type Batch = Awaited<ReturnType<DeviceProcess['batch']>>;

/**
 * Flat: the slope's 95 % interval includes 0 or lies below it, or the total growth is under the bound. The first fifth
 * is left out, while caches fill and functions are compiled. Prints the figures.
 */
function isFlat(what: string, samples: readonly Batch[]): boolean {
  const settled = samples.slice(Math.ceil(samples.length / 5));
  const flat = (['rss', 'live'] as const).map((of) => {
    const { slope, margin, growth } = trendOf(settled.map((sample) => ({ x: sample.attempts, y: sample[of] })));
    const trend = `${slope.toFixed(1)} ± ${margin.toFixed(1)} B an attempt, ${(growth / 1024).toFixed(0)} KiB in all`;
    process.stdout.write(`memory: ${what}: ${of} ${trend}\n`);
    return slope - margin <= 0 || growth <= FLAT_BYTES[of];
  });
  return flat.every(Boolean);
}

describe('what a check-in device holds in memory', { timeout: LIMIT_MS }, () => {
  let root: string;
  let service: Service;
  let listId: string;
  let addOn: Awaited<ReturnType<typeof temporaryAddOn>>;
  const programs: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-memory-'));
    addOn = await temporaryAddOn();
    if (addOn === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
    service = await startService();
    listId = await service.createList();
    expect((await service.enrol(listId, ticketOf('anna'), await photoOf('anna'))).status).toBe(201);
  }, LIMIT_MS);

  afterAll(async () => {
    for (const program of programs) await program.stop();
    await service?.close();
    await addOn?.remove();
    await rm(root, { recursive: true, force: true });
  }, LIMIT_MS);

  const shared = () => ({ addOnDirectory: addOn?.directory ?? null, films: join(root, 'films') });

  /** A separate device that has synced. */
  async function openDevice(name: string): Promise<Program<DeviceProcess>> {
    const device = startProgram<DeviceProcess>(new URL('device-process.ts', import.meta.url));
    programs.push(device);
    const { token: deviceToken } = await service.addDevice(listId);
    await device.ask('open', { deviceToken, region: service.region, directory: join(root, name), ...shared() });
    expect(await device.ask('sync')).toMatchObject({ ok: true, people: 1 });
    return device;
  }

  async function batches(device: Program<DeviceProcess>, attempts: number): Promise<readonly Batch[]> {
    const size = Math.max(1, Math.round(attempts / BATCHES));
    const samples: Batch[] = [];
    for (let done = 0; done < attempts; done += size) samples.push(await device.ask('batch', size));
    return samples;
  }

  it.skipIf(!hasProcfs)(
    'is no template, probe, landmark or key once an attempt has ended, as a core dump would show',
    async () => {
      const needles = join(root, 'needles.json');
      const wasm = join(root, 'wasm');
      const secrets = startProgram<ExpectedSecrets>(new URL('expected-secrets.ts', import.meta.url));
      programs.push(secrets);
      const { signingKey, keyId } = service.api.admin.region();
      const { token } = await service.addDevice(listId);
      const at = { url: service.url, signingKey, keyId };
      await secrets.ask('write', { service: at, token, listId, needles, ...shared() });
      const device = await openDevice('searched');
      const search = async () => [...(await scan(needles, device.pid)).found].sort();
      const searchWasm = async () => {
        // The memories of the core, the runtime, and Node itself.
        expect(await device.ask('dumpWasm', wasm)).toBeGreaterThanOrEqual(2);
        return (await scan(needles, wasm)).found;
      };

      const paused = device.ask('paused');
      const attempt = device.ask('visit', 'anna pauses');
      await paused;
      // A control without planting: during an attempt the template is in memory, and so is the tracked face.
      expect(await search()).toEqual(['landmarks f32', 'template f32']);
      await device.ask('resume');
      expect(await attempt).toBe('Match/verified');
      expect(await search()).toEqual([]);
      expect(await searchWasm()).toEqual([]);
      expect(await device.ask('visit', 'stranger')).toBe('NoMatch/below-threshold');
      expect(await search()).toEqual([]);
      expect(await searchWasm()).toEqual([]);
      await device.ask('dispose');
      expect(await search()).toEqual([]);

      const planted = ['template f16', 'template f32', 'probe f32', 'mean probe f32'];
      planted.push('list key', 'record key', 'padded lookup key');
      await device.ask('plant', needles, planted);
      expect(await search()).toEqual(expect.arrayContaining(planted));
      expect(await searchWasm()).toEqual(expect.arrayContaining(planted));
    },
  );

  it('does not grow with attempts', async () => {
    const samples = await batches(await openDevice('real'), realAttempts);
    // Every attempt ran in full, and only the first ones rendered frames.
    expect(samples.reduce((sum, { matches }) => sum + matches, 0)).toBe(realAttempts);
    expect(samples.at(-1)?.framesRendered).toBeLessThan(MOST_FRAMES);
    expect(isFlat('attempts', samples)).toBe(true);
  });
});
