import { expect, it } from 'vitest';
import { type LightColour, restingLight } from './light/colours.ts';
import { createHarness, readyDevice, recorded, visit } from './testing/device-harness.ts';

it('the light challenge runs where the camera has a light, cannot be bypassed, and restores the screen', async () => {
  const device = await readyDevice(createHarness(), { lightChallenge: 'when-possible' });
  const shown: (LightColour | null)[] = [];
  // The fake engine's frames are black, so nothing responds.
  const still = recorded(Array.from({ length: 90 }, () => ({ who: 1 })));
  const camera = { ...still, light: { show: (colour: LightColour | null) => void shown.push(colour) } };
  const { outcome, reason, protections, timings } = await device.verifyLiveAsync('ticket-1', camera);
  expect(`${outcome}/${reason}`).toBe('LivenessFailed/light-not-held');
  expect(protections.light).toBe('not-answered');
  expect(timings.lightMs).toBeGreaterThan(2 * 2_380);
  // Twice seven colours, each ending at rest, and the screen restored.
  expect(shown).toHaveLength(1 + 2 * 8 + 1);
  expect(shown[0]).toEqual(restingLight);
  expect(shown.at(-1)).toBeNull();
});

it('the light challenge restores the screen of an attempt that is aborted', async () => {
  const device = await readyDevice(createHarness(), { lightChallenge: 'when-possible' });
  const stop = new AbortController();
  const shown: (LightColour | null)[] = [];
  const show = (colour: LightColour | null) => {
    shown.push(colour);
    if (shown.length === 3) stop.abort();
  };
  const camera = { ...recorded(Array.from({ length: 90 }, () => ({ who: 1 }))), light: { show } };
  expect(await device.verifyLiveAsync('ticket-1', camera, { signal: stop.signal })).toMatchObject({
    reason: 'cancelled',
  });
  expect(shown).toHaveLength(4);
  expect(shown.at(-1)).toBeNull();
});

it.each([
  ['by default', {}, 'off', true],
  ['where the camera has no light', { lightChallenge: 'when-possible' }, 'when-possible', false],
] as const)('the light challenge is off %s, and the visit is unchanged', async (_when, over, setting, hasLight) => {
  const device = await readyDevice(createHarness(), over);
  expect(device.status().protections.light).toBe(setting);
  const light = { show: () => expect.unreachable() };
  const camera = { ...recorded(visit(1, 'left')), ...(hasLight ? { light } : {}) };
  const result = await device.verifyLiveAsync('ticket-1', camera);
  expect(result).toMatchObject({ outcome: 'Match', protections: { light: 'off' }, timings: { lightMs: null } });
});
