import { testModels } from '@svc/api/testing';
import type { Camera, CheckInDevice, Region } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { createNodeCheckInDevice, type SharedEngine } from '@svc/device-sdk-node';

/** Turns of the head as a visitor makes them when asked, in degrees. */
const LOOKS_AHEAD = [0, 0, 0, 0, 0, 0, 0, 0];
const TURNS = [6, 12, 18, 24, 30, 33, 24, 14, 4, 0, 0, 0, 0, 0, 0, 0];
const FRAME_MS = 100;

/** An engine that finds in every frame the face that the service's fake engine finds in every photo. */
function oneFaceEngine(): SharedEngine {
  const { base } = testModels;
  const fake = createFakeEngine([base.engineId]);
  const { engineId, dimension, matchThreshold } = base;
  const embed = async () => new Float32Array(dimension).fill(1 / Math.sqrt(dimension));
  const engine = Object.assign(fake, { engineId, dimension, matchThreshold, recipes: [base], embed });
  return { engine, passiveLiveness: fake.passive };
}

/** A visitor who turns as asked. */
function visitor(): Camera {
  let sign = 1;
  return {
    timing: 'recorded',
    prompt(prompt) {
      if ('direction' in prompt) sign = prompt.direction === 'left' ? 1 : -1;
    },
    async *frames() {
      let at = 0;
      for (const degrees of [...LOOKS_AHEAD, ...TURNS]) {
        yield frameOf({ heads: [{ who: 1, yawDeg: sign * degrees }] }, at);
        at += FRAME_MS;
      }
    },
  };
}

/** A door that lets people in without a pause. */
export interface BusyDoor {
  readonly device: CheckInDevice;
  readonly matches: number;
  /** Results that were not a match. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

/** @param people the IDs that it scans, in turn, all in its list after its first sync */
export async function openBusyDoor(
  deviceToken: string,
  region: Region,
  directory: string,
  people: readonly string[],
): Promise<BusyDoor> {
  const device = await createNodeCheckInDevice({ deviceToken, region, directory, engine: oneFaceEngine() });
  const first = await device.syncAsync();
  if (!first.ok) throw new Error(`the first sync failed: ${first.reason}`);
  const failures: string[] = [];
  let matches = 0;
  let isStopped = false;
  const work = (async () => {
    for (let turn = 0; !isStopped; turn += 1) {
      const { outcome, reason } = await device.verifyLiveAsync(people[turn % people.length] ?? '', visitor());
      if (outcome === 'Match') matches += 1;
      else failures.push(`${outcome} ${reason}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    device,
    get matches() {
      return matches;
    },
    failures,
    async stop() {
      isStopped = true;
      await work;
      await device.dispose();
    },
  };
}
