import type { HeadTurnAlternative } from '@svc/protocol';
import { expect, it } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import type { LightColour } from './light/colours.ts';
import { createHarness, readyDevice, recorded } from './testing/device-harness.ts';
import type { Prompt } from './verification/states.ts';

async function deviceOf(alternative?: HeadTurnAlternative) {
  const harness = createHarness();
  if (alternative !== undefined) harness.service.headTurnAlternative = alternative;
  return { harness, device: await readyDevice(harness) };
}

/** A person who looks ahead and never turns, and what happens at each prompt. */
function still(onPrompt: (prompt: Prompt) => void = () => undefined, frames = 60) {
  const camera = recorded(Array.from({ length: frames }, () => ({ who: 1 })));
  const prompt = (given: Prompt) => {
    camera.prompt(given);
    onPrompt(given);
  };
  return { ...camera, prompt };
}

const alternative = { headTurn: 'alternative' } as const;
const noAlternative = { outcome: 'ChallengeFailed', reason: 'no-alternative' };

it('a list has no alternative by default, and sends people who ask to staff without a camera', async () => {
  const { harness, device } = await deviceOf();
  expect(device.status().headTurnAlternative).toBe('none');
  const camera = still();
  expect(await device.verifyLiveAsync('ticket-1', camera, alternative)).toMatchObject(noAlternative);
  expect(camera.prompts).toEqual([]);
  expect(harness.engine.calls.embed).toBe(0);
});

it('staff confirm between two matches where the list says so, and the result reports it', async () => {
  const { device } = await deviceOf('staff');
  const camera = still(({ key }) => {
    if (key === 'staff-confirms') device.confirmByStaff();
  });
  const { outcome, reason, protections, timings } = await device.verifyLiveAsync('ticket-1', camera, alternative);
  expect(`${outcome}/${reason}`).toBe('Match/staff-confirmed');
  expect(protections).toMatchObject({ passive: 'minifasnet', active: 'staff' });
  expect(timings.turnMs).toBeGreaterThan(0);
  const keys = new Set(camera.prompts.map(({ key }) => key));
  expect(keys).toEqual(new Set(['look-at-camera', 'staff-confirms', 'finished']));
});

it('staff cannot confirm for whom the list asks for the turn', async () => {
  const { device } = await deviceOf('staff');
  const camera = still(() => device.confirmByStaff(), 120);
  expect(await device.verifyLiveAsync('ticket-1', camera)).toMatchObject({
    ...{ outcome: 'ChallengeFailed', reason: 'turn-not-made' },
    protections: { active: 'head-turn' },
  });
});

it('the alternative outlives a restart, and follows the next sync, also during an attempt', async () => {
  const { harness, device: first } = await deviceOf('staff');
  await first.dispose();
  const device = await harness.create();
  expect(device.status().headTurnAlternative).toBe('staff');
  harness.service.headTurnAlternative = 'none';
  let synced: Promise<unknown> | null = null;
  const camera = still(({ key }) => {
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
  expect(await device.verifyLiveAsync('ticket-1', slow, alternative)).toMatchObject(noAlternative);
  expect(device.status().headTurnAlternative).toBe('none');
});

it('the light stands for the turn only where it is answered, also on a device that has it off', async () => {
  const { device } = await deviceOf('light');
  const shown: (LightColour | null)[] = [];
  const light = { show: (colour: LightColour | null) => void shown.push(colour) };
  const camera = still(undefined, 95);
  // The fake engine's frames are black.
  const result = await device.verifyLiveAsync('ticket-1', { ...camera, light }, alternative);
  expect(result.outcome).toBe('LivenessFailed');
  expect(result.protections).toMatchObject({ active: 'light', light: 'not-answered' });
  expect(shown.length).toBeGreaterThan(7);
  expect(camera.prompts.some(({ key }) => key === 'turn-head')).toBe(false);
  expect(await device.verifyLiveAsync('ticket-1', still(), alternative)).toMatchObject(noAlternative);
});
