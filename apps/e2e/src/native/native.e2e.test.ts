import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { NativeDoor } from './native-door.ts';

const JOURNEY_MS = 240_000;

describe.skipIf(chromiumPath === undefined)('the page of a native shell in Chromium', { timeout: JOURNEY_MS }, () => {
  let door: NativeDoor;

  beforeAll(async () => {
    door = await NativeDoor.open();
  }, JOURNEY_MS);

  afterAll(() => door?.close(), JOURNEY_MS);

  it('greets, is configured and syncs over the shell', async () => {
    await door.load();
    const { status } = await door.configure();
    expect(status).toMatchObject({ ready: false, notReady: { reason: 'never-synced' }, core: 'simd' });
    expect(await door.sync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(door.shell.statuses.at(-1)).toMatchObject({ ready: true, people: 1 });
    expect(door.shell.eraseAtMs).toBeGreaterThan(Date.now());
  });

  it('lets the guest in who turns as asked', async () => {
    await door.show({ seed: guests.anna });
    const { outcome, reason } = await door.verify();
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    const keys = door.shell.prompts.map((prompt) => prompt?.key ?? null);
    expect(keys).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished', null]));
    expect(door.complaints).toEqual([]);
  });
});
