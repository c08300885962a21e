import { ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckInDevice } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { checkHuman, frameHeight, frameWidth, withoutAlpha } from '../inputs/photo.ts';
import { createHuman } from '../peers/human.ts';
import { wholeFrameStages } from '../peers/human-config.ts';
import { type Door, type DoorOptions, personIdOf } from './door.ts';
import { type Clocks, timeAttempt } from './time-attempt.ts';
import { chooseDirections } from './visitor.ts';

/** Processor time of this process with all its threads. */
const clocks: Clocks = {
  wallMs: () => performance.now(),
  processorMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

interface NodeDoorOptions extends DoorOptions {
  readonly loaded: NodeFaceEngine;
}

/** Devices in this process, all on the engine given. */
export async function openNodeDoor({ loaded, service, film, variants, face }: NodeDoorOptions): Promise<Door> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-door-'));
  const devices = new Map<boolean, CheckInDevice>();
  const { engine, passiveLiveness } = loaded;
  for (const passive of variants) {
    const device = await createNodeCheckInDevice({
      deviceToken: service.deviceToken,
      region: service.region,
      directory: join(directory, passive ? 'with' : 'without'),
      engine: { engine, passiveLiveness },
      ...(passive ? {} : { passiveLiveness: 'absent-staff-in-view' }),
    });
    devices.set(passive, device);
    const synced = await device.syncAsync();
    ok(synced.ok, 'the device has to sync');
  }
  const choose = chooseDirections();

  const first = film.frame(0, { tick: 0, yawDeg: 0 });
  const rgb = withoutAlpha(first.data);
  const human = await createHuman(wholeFrameStages, true, { width: frameWidth, height: frameHeight });

  return {
    where: 'Node',
    attempt({ person, direction, passive }) {
      const device = devices.get(passive);
      if (device === undefined) throw new Error('no such device');
      choose(direction);
      return timeAttempt({
        device,
        personId: personIdOf(person),
        picture: async (moment) => film.frame(person, moment),
        clocks,
      });
    },
    async human() {
      const startedAtMs = performance.now();
      const faces = await human.detect(rgb);
      const wallMs = performance.now() - startedAtMs;
      checkHuman(faces, face);
      return wallMs;
    },
    async close() {
      for (const device of devices.values()) await device.dispose();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
