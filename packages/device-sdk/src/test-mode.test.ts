import { beforeEach, describe, expect, it } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import { answer, createHarness, type Harness, readyDevice, recorded, visit } from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';
import { verificationOutcomes } from './verification/result.ts';

/** Nothing of it may be used. */
const noCamera = {
  frames() {
    throw new Error('a camera was asked');
  },
} as unknown as Camera;

const kebab = (outcome: string) => outcome.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
  for (const outcome of verificationOutcomes) harness.service.enrol(`test-${kebab(outcome)}`, templateOf(3));
});

describe('a test list', () => {
  it('gives each result by the end of the ID, without a camera', async () => {
    harness.service.mode = 'test';
    const device = await readyDevice(harness);
    expect(device.status().mode).toBe('test');
    for (const outcome of verificationOutcomes) {
      expect(await answer(device, `test-${kebab(outcome)}`, noCamera)).toMatch(new RegExp(`^${outcome}/`));
    }
    expect(await answer(device, 'ticket-1', noCamera)).toBe('Match/verified');
    const { protections } = await device.verifyLiveAsync('ticket-1', noCamera);
    expect(protections).toMatchObject({ passive: 'absent-staff-in-view', passiveCalibration: null, active: 'staff' });
  });

  it('keeps every other rule: who is not enrolled, re-entry, the lease', async () => {
    harness.service.mode = 'test';
    harness.service.reEntry = 'refuse';
    const device = await readyDevice(harness);
    expect(await answer(device, 'test-match-of-nobody', noCamera)).toBe('NotEnrolled/not-on-list');
    expect(await answer(device, 'ticket-1', noCamera)).toBe('Match/verified');
    expect(await answer(device, 'ticket-1', noCamera)).toBe('NoMatch/already-let-in');
    await harness.time.advance(25 * 60 * 60_000);
    expect(await answer(device, 'ticket-2', noCamera)).toBe('LeaseExpired/lease-expired');
  });
});

it('a live list’s results never follow from an ID', async () => {
  const device = await readyDevice(harness);
  expect(device.status().mode).toBe('live');
  expect(await answer(device, 'test-match', recorded(visit(1, 'left')))).toMatch(/^NoMatch\//);
  expect(await answer(device, 'test-no-match', recorded(visit(3, 'left')))).toBe('Match/verified');
});
