import type { HeadTurnAlternative } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import type { CheckInDevice } from './check-in-device.ts';
import type { LightColour } from './light/colours.ts';
import { createHarness, type Harness, readyDevice, recorded, visit } from './testing/device-harness.ts';
import type { Head } from './testing/fake-engine.ts';
import type { Prompt } from './verification/states.ts';

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});

async function deviceOf(alternative: HeadTurnAlternative, over: Parameters<typeof readyDevice>[1] = {}) {
  harness.service.headTurnAlternative = alternative;
  return readyDevice(harness, over);
}

/** A person who looks ahead and never turns. */
const still = (who = 1, frames = 60): Head[] => Array.from({ length: frames }, () => ({ who, yawDeg: 0 }));

/** Records prompts and reacts to each as staff would. */
function heard(camera: ReturnType<typeof recorded>, onPrompt: (prompt: Prompt) => void): Camera {
  return {
    ...camera,
    prompt: (prompt) => {
      camera.prompt(prompt);
      onPrompt(prompt);
    },
  };
}

/** A visit where staff confirm as soon as they are asked. */
function withStaff(device: CheckInDevice, scenes = still(), scannedId = 'ticket-1') {
  const camera = recorded(scenes);
  const result = device.verifyLiveAsync(
    scannedId,
    heard(camera, ({ key }) => {
      if (key === 'staff-confirms') device.confirmByStaff();
    }),
    { headTurn: 'alternative' },
  );
  return { result, camera };
}

describe('a list without an alternative to the turn', () => {
  it('is the default of lists, and sends people who ask to staff without a camera', async () => {
    const device = await readyDevice(harness);
    expect(device.status().headTurnAlternative).toBe('none');
    const { result, camera } = withStaff(device);
    expect(await result).toMatchObject({ outcome: 'ChallengeFailed', reason: 'no-alternative' });
    expect(camera.prompts).toEqual([]);
    expect(harness.engine.calls.embed).toBe(0);
  });
});

describe('a list where staff confirm', () => {
  it('gives a match by the staff confirmation and two matches, and reports it', async () => {
    const device = await deviceOf('staff');
    expect(device.status().headTurnAlternative).toBe('staff');
    const { result, camera } = withStaff(device);
    const { outcome, reason, protections, timings } = await result;
    expect(`${outcome}/${reason}`).toBe('Match/staff-confirmed');
    expect(protections).toMatchObject({ passive: 'minifasnet', active: 'staff' });
    expect(timings.turnMs).toBeGreaterThan(0);
    const keys = new Set(camera.prompts.map(({ key }) => key));
    expect(keys).toEqual(new Set(['look-at-camera', 'staff-confirms', 'finished']));
  });

  it('asks all others for the turn, which a staff confirmation does not replace', async () => {
    const device = await deviceOf('staff');
    const camera = heard(recorded(still(1, 120)), () => device.confirmByStaff());
    expect(await device.verifyLiveAsync('ticket-1', camera)).toMatchObject({
      outcome: 'ChallengeFailed',
      reason: 'turn-not-made',
      protections: { active: 'head-turn' },
    });
    const turned = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
    expect(turned).toMatchObject({ outcome: 'Match', reason: 'verified' });
  });

  it('keeps its setting across a restart, and follows the next sync, also during an attempt', async () => {
    const first = await deviceOf('staff');
    await first.dispose();
    const device = await harness.create();
    expect(device.status().headTurnAlternative).toBe('staff');
    harness.service.headTurnAlternative = 'none';
    let synced: Promise<unknown> | null = null;
    const camera = heard(recorded(still()), ({ key }) => {
      if (key !== 'staff-confirms') return;
      synced ??= device.syncAsync();
      void synced.then(() => device.confirmByStaff());
    });
    const slow: Camera = {
      ...camera,
      async *frames(signal) {
        for await (const frame of camera.frames(signal)) {
          await synced;
          yield frame;
        }
      },
    };
    const result = await device.verifyLiveAsync('ticket-1', slow, { headTurn: 'alternative' });
    expect(result).toMatchObject({ outcome: 'ChallengeFailed', reason: 'no-alternative' });
    expect(device.status().headTurnAlternative).toBe('none');
  });
});

describe('a list with the light as alternative', () => {
  const lit = (shown: (LightColour | null)[]) => ({ show: (colour: LightColour | null) => void shown.push(colour) });

  it('gives no match without an answer to the light, on a device that otherwise has it off', async () => {
    const device = await deviceOf('light');
    const shown: (LightColour | null)[] = [];
    const camera = recorded(still(1, 95));
    const result = await device.verifyLiveAsync(
      'ticket-1',
      { ...camera, light: lit(shown) },
      { headTurn: 'alternative' },
    );
    // The fake engine's frames are black.
    expect(result.outcome).toBe('LivenessFailed');
    expect(result.protections).toMatchObject({ active: 'light', light: 'not-answered' });
    expect(shown.length).toBeGreaterThan(7);
    expect(camera.prompts.some(({ key }) => key === 'turn-head')).toBe(false);
  });

  it('sends the person to staff if the camera has no light', async () => {
    const device = await deviceOf('light');
    const result = await device.verifyLiveAsync('ticket-1', recorded(still()), { headTurn: 'alternative' });
    expect(result).toMatchObject({ outcome: 'ChallengeFailed', reason: 'no-alternative' });
  });
});
