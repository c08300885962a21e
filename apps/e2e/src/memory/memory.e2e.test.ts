import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import { type Program, startProgram } from '@svc/benchmarks/inputs/program';
import { median } from '@svc/benchmarks/inputs/summary';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { photoOf, ticketOf } from '../support/guests.ts';
import { type Service, startService, syncDeviceOf } from '../support/service.ts';
import type { DeviceProcess } from './device-process.ts';
import { expectedSecrets } from './expected-secrets.ts';
import { searchProcess } from './needles.ts';

const hasProcfs = existsSync('/proc/self/maps');
if (!hasProcfs) process.stdout.write('searching memory: skipped: no /proc\n');
const ATTEMPTS = Number(process.env.SVC_TEST_MEMORY_ATTEMPTS ?? 200);
const BATCHES = 20;
const LIMIT_MS = 3_600_000;
/** Growth that only many more attempts could tell from none. */
const FLAT_BYTES = 2 ** 19;

describe('what a check-in device holds in memory', { timeout: LIMIT_MS }, () => {
  const root = temporaryFolder();
  let service: Service;
  let listId: string;
  let addOn: Awaited<ReturnType<typeof temporaryAddOn>>;
  const programs: Program<DeviceProcess>[] = [];

  beforeAll(async () => {
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
  }, LIMIT_MS);

  /** A separate device that has synced. */
  async function openDevice(name: string): Promise<Program<DeviceProcess>> {
    const device = startProgram<DeviceProcess>(new URL('device-process.ts', import.meta.url));
    programs.push(device);
    const { token: deviceToken } = await service.addDevice(listId);
    const place = { directory: join(root, name), addOnDirectory: addOn?.directory ?? null };
    await device.ask('open', { deviceToken, region: service.region, ...place });
    expect(await device.ask('sync')).toMatchObject({ ok: true, people: 1 });
    return device;
  }

  it.skipIf(!hasProcfs)(
    'is no template, probe, landmark or key once an attempt has ended, as a core dump would show',
    async () => {
      const another = syncDeviceOf(service.api, (await service.addDevice(listId)).token);
      const needles = await expectedSecrets(another, listId, addOn?.directory ?? null);
      const device = await openDevice('searched');
      const search = async () => (await searchProcess(device.pid, needles)).found;

      const paused = device.ask('paused');
      const attempt = device.ask('visit', 'anna pauses');
      await paused;
      // A control without planting: during an attempt the template is in memory, and so is the tracked face.
      expect(await search()).toEqual(['landmarks f32', 'template f32']);
      await device.ask('resume');
      expect(await attempt).toBe('Match/verified');
      expect(await search()).toEqual([]);
      expect(await device.ask('visit', 'stranger')).toBe('NoMatch/below-threshold');
      expect(await search()).toEqual([]);
      await device.ask('dispose');
      expect(await search()).toEqual([]);

      const planted = ['list key', 'mean probe f32', 'padded lookup key', 'probe f32', 'record key', 'template f16'];
      const chosen = needles.filter(({ name }) => planted.includes(name));
      await device.ask(
        'plant',
        chosen.map(({ bytes }) => Buffer.from(bytes).toString('hex')),
      );
      expect(await search()).toEqual(expect.arrayContaining(planted));
    },
  );

  it('does not grow with attempts', async () => {
    const device = await openDevice('real');
    const size = Math.ceil(ATTEMPTS / BATCHES);
    const inUse: number[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const { matches, inUse: bytes } = await device.ask('batch', size);
      expect(matches).toBe(size);
      inUse.push(bytes);
    }
    // At first caches fill, the frames of both turns are drawn, and functions are compiled.
    const settled = inUse.slice(BATCHES / 5);
    expect(median(settled.slice(-4)) - median(settled.slice(0, 4)), inUse.join()).toBeLessThan(FLAT_BYTES);
  });
});
