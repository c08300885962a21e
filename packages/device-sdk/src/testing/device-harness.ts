import type { Aead } from '@svc/core/aead';
import type { Camera } from '../attempt/camera.ts';
import { type AttemptInput, runAttempt } from '../attempt/run-attempt.ts';
import { CheckInDevice } from '../check-in-device.ts';
import { coreAead, type DeviceConfig, type DevicePorts } from '../config.ts';
import { webClock, webTimers } from '../platform/platform.ts';
import { createMemoryKeyStore, createMemoryPackStore } from '../storage/memory-stores.ts';
import type { Prompt, TurnDirection } from '../verification/states.ts';
import { createFakeEngine, type FakeEngine, frameOf, type Head, type Scene, templateOf } from './fake-engine.ts';
import { FakeService, token } from './fake-service.ts';
import { createFakeTime, type FakeTime } from './fake-time.ts';
import { contentsOf } from './watched-stores.ts';

/** A device over memory stores, with its own service, engine and time. */
export interface Harness {
  readonly time: FakeTime;
  readonly service: FakeService;
  readonly engine: FakeEngine;
  readonly ports: DevicePorts & { readonly aead: Aead };
  /** The next direction to be drawn. */
  direction: TurnDirection;
  create(
    over?: Partial<Omit<DeviceConfig, 'ports'>> & { readonly ports?: Partial<DevicePorts> },
  ): Promise<CheckInDevice>;
}

/** @param engineIds engines whose templates it can make */
export function createHarness(engineIds?: readonly string[]): Harness {
  const time = createFakeTime();
  const service = new FakeService(time.clock);
  const engine = createFakeEngine(engineIds);
  let drawn = 0;
  const harness: Harness = {
    time,
    service,
    engine,
    direction: 'left',
    ports: {
      keyStore: createMemoryKeyStore(),
      packStore: createMemoryPackStore(),
      clock: time.clock,
      timers: time.timers,
      random: {
        bytes: (length) => {
          if (length === 1) return Uint8Array.of(harness.direction === 'left' ? 4 : 7);
          drawn += 1;
          // Unique also past 255 draws: ids are made of it.
          return Uint8Array.from({ length }, (_, i) => drawn >> (8 * (i % 4)));
        },
      },
      transport: (request) => service.transport(request),
      aead: coreAead,
    },
    create: ({ ports, ...over } = {}) =>
      CheckInDevice.create({
        deviceToken: token(1),
        region: service.region,
        engine,
        passiveLiveness: engine.passive,
        ...over,
        ports: { ...harness.ports, ...ports },
      }),
  };
  return harness;
}

export interface RecordedCamera extends Camera {
  readonly prompts: Prompt[];
}

/** A recorded camera: one frame per scene, 100 ms apart. */
export function recorded(scenes: readonly (Scene | Head)[], stepMs = 100): RecordedCamera {
  const prompts: Prompt[] = [];
  return {
    timing: 'recorded',
    prompts,
    prompt: (prompt) => void prompts.push(prompt),
    async *frames() {
      for (const [i, scene] of scenes.entries()) {
        yield frameOf('heads' in scene ? scene : { heads: [scene] }, i * stepMs);
      }
    },
  };
}

/** An attempt of the first person, asked to turn left. */
export const attempt = (engine: FakeEngine, camera: Camera, over: Partial<AttemptInput> = {}) =>
  runAttempt({
    engine,
    passiveLiveness: engine.passive,
    reference: templateOf(1),
    engineId: engine.engineId,
    matchThreshold: engine.matchThreshold,
    direction: 'left',
    camera,
    clock: webClock,
    timers: webTimers,
    ...over,
  });

const repeat = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);

/** A genuine visit: frontal, a turn in the requested direction, and back. */
export function visit(who: number, direction: TurnDirection, over: Partial<Head> = {}): Head[] {
  const sign = direction === 'left' ? 1 : -1;
  return [
    ...repeat(8, { who, yawDeg: 0, ...over }),
    ...[6, 12, 18, 24, 30, 33].map((yaw) => ({ who, yawDeg: sign * yaw, ...over })),
    ...[24, 14, 4, 0].map((yaw) => ({ who, yawDeg: sign * yaw, ...over })),
    ...repeat(6, { who, yawDeg: 0, ...over }),
  ];
}

/** A device that has synced a list of two people, `ticket-1` and `ticket-2`. */
export async function readyDevice(
  harness: Harness,
  over: Parameters<Harness['create']>[0] = {},
): Promise<CheckInDevice> {
  harness.service.enrol('ticket-1', templateOf(1));
  harness.service.enrol('ticket-2', templateOf(2));
  const device = await harness.create(over);
  const result = await device.syncAsync();
  if (!result.ok) throw new Error(`the first sync failed: ${result.reason}`);
  return device;
}

/** A harness, a new one by default, with a {@link readyDevice}. */
export async function readyHarness(over: Parameters<Harness['create']>[0] = {}, harness = createHarness()) {
  return { harness, device: await readyDevice(harness, over) };
}

/** Outcome and reason of an attempt. @param who a camera, or who shows the ID; by default the first person */
export async function answer(device: CheckInDevice, scannedId = 'ticket-1', who: Camera | number = 1): Promise<string> {
  const camera = typeof who === 'number' ? recorded(visit(who, 'left')) : who;
  const { outcome, reason } = await device.verifyLiveAsync(scannedId, camera);
  return `${outcome}/${reason}`;
}

/** Number of packs and keys in the stores that an attacker could still use. */
export async function remains(harness: Harness): Promise<{ readonly packs: number; readonly listKeys: number }> {
  const { packs, listKeys } = await contentsOf(harness.ports);
  return { packs: Object.keys(packs).length, listKeys: Object.keys(listKeys).length };
}
export const NOTHING = { packs: 0, listKeys: 0 };
