import { beforeEach, describe, expect, it } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import { type LightColour, restingLight } from './light/colours.ts';
import { createHarness, type Harness, readyDevice, recorded, visit } from './testing/device-harness.ts';

/** A visit with a camera and a lit screen; the fake engine's frames are black, so nothing responds. */
function litVisit(frames = 90): { readonly camera: Camera; readonly shown: (LightColour | null)[] } {
  const shown: (LightColour | null)[] = [];
  const [first] = visit(1, 'left');
  if (first === undefined) throw new Error('nobody visits');
  const still = Array.from({ length: frames }, () => first);
  return { camera: { ...recorded(still), light: { show: (colour) => void shown.push(colour) } }, shown };
}

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});

describe('the light challenge of a device', () => {
  it('runs if the camera has a light, and cannot be bypassed', async () => {
    const device = await readyDevice(harness, { lightChallenge: 'when-possible' });
    const { camera, shown } = litVisit();
    const { outcome, reason, protections, timings } = await device.verifyLiveAsync('ticket-1', camera);
    expect(`${outcome}/${reason}`).toBe('LivenessFailed/light-not-held');
    expect(protections.light).toBe('not-answered');
    expect(timings.lightMs).toBeGreaterThan(2 * 2_380);
    // Twice seven colours, each ending at rest, and the screen restored.
    expect(shown).toHaveLength(1 + 2 * 8 + 1);
    expect(shown[0]).toEqual(restingLight);
    expect(shown.at(-1)).toBeNull();
  });

  it('restores the screen however the attempt ends', async () => {
    const device = await readyDevice(harness, { lightChallenge: 'when-possible' });
    for (const scannedId of ['ticket-1', 'ticket-2']) {
      const { camera, shown } = litVisit(12);
      await device.verifyLiveAsync(scannedId, camera);
      expect(shown.at(-1)).toBeNull();
    }
  });

  it('is off by default', async () => {
    const device = await readyDevice(harness);
    expect(device.status().protections.light).toBe('off');
    const { camera, shown } = litVisit(12);
    const result = await device.verifyLiveAsync('ticket-1', camera);
    expect(result.protections.light).toBe('off');
    expect(shown).toEqual([]);
  });

  it('is off if the camera has no light, and the visit is unchanged', async () => {
    const device = await readyDevice(harness, { lightChallenge: 'when-possible' });
    expect(device.status().protections.light).toBe('when-possible');
    const result = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
    expect(result).toMatchObject({ outcome: 'Match', protections: { light: 'off' }, timings: { lightMs: null } });
  });
});
