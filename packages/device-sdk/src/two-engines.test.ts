import { describe, expect, it } from 'vitest';
import { answer, createHarness, type Harness } from './testing/device-harness.ts';
import { OTHER_ENGINE_ID, templateOf } from './testing/fake-engine.ts';
import { ENGINE_ID } from './testing/fake-service.ts';

const UNKNOWN = 'unknown-engine/9';
const FORMER = 'former-engine/1';

/** Epochs, newest first: the engine of each, and its people. */
function fill({ service }: Harness, epochs: readonly (readonly [engineId: string, ...people: number[]])[]): void {
  service.epochs = epochs.map(([engineId, ...listed], i) => ({
    epoch: epochs.length - i,
    engineId,
    listKey: new Uint8Array(32).fill(10 + i),
    people: new Map(
      listed.map((who) => [
        `ticket-${who}`,
        {
          template: templateOf(who, engineId === FORMER ? ENGINE_ID : engineId),
          deleteAfterMs: service.nowMs + 86_400_000_000,
        },
      ]),
    ),
  }));
}

/** The engine of these templates: the two have opposite signs. */
const engineOf = (template: Float32Array): number => Math.sign(template.reduce((sum, value) => sum + value, 0));

describe('a list of two engines’ epochs', () => {
  it.each([
    ['ticket-1', 'Match/verified', OTHER_ENGINE_ID],
    ['ticket-2', 'NoMatch/below-threshold', ENGINE_ID],
    ['ticket-3', 'NotEnrolled/engine-mismatch', null],
    ['ticket-4', 'NotEnrolled/not-on-list', null],
  ])('compares %s with a template of its own engine only: %s', async (scannedId, expected, engineId) => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    const { engine } = harness;
    const compared: (readonly [number, number])[] = [];
    const cosine = (a: Float32Array, b: Float32Array) => {
      compared.push([engineOf(a), engineOf(b)]);
      return engine.core.cosine(a, b);
    };
    fill(harness, [
      [UNKNOWN, 1, 3],
      [OTHER_ENGINE_ID, 1],
      [ENGINE_ID, 1, 2],
    ]);
    const device = await harness.create({ engine: { ...engine, core: { ...engine.core, cosine } } });
    await device.syncAsync();
    expect(device.status().engineMismatch).toBe(false);
    expect(await answer(device, scannedId)).toBe(expected);
    const used = engine.asked.filter(({ what }) => what === 'embed').flatMap(({ engineIds }) => engineIds);
    expect([...new Set(used)]).toEqual(engineId === null ? [] : [engineId]);
    for (const [probe, reference] of compared) expect(probe).toBe(reference);
  });

  it('that the device has none of is a mismatch', async () => {
    const harness = createHarness([ENGINE_ID]);
    fill(harness, [[UNKNOWN, 1]]);
    const device = await harness.create();
    await device.syncAsync();
    expect(device.status().engineMismatch).toBe(true);
  });

  it.each([
    [0.5, 'ticket-1', 'Match/verified'],
    [0.5, 'ticket-2', 'NoMatch/below-threshold'],
    // A cosine is at most 1: nobody reaches it.
    [1.01, 'ticket-1', 'NoMatch/below-threshold'],
  ])('of a former version goes on with its engine, at the threshold between the two, %d: %s', async (...row) => {
    const [matchThreshold, scannedId, expected] = row;
    const harness = createHarness([ENGINE_ID]);
    const { engine } = harness;
    fill(harness, [[FORMER, 1, 2]]);
    const former = [{ engineId: FORMER, modelId: `mdl_${'1'.repeat(26)}`, matchThreshold }];
    const recipes = engine.recipes.map((recipe) => ({ ...recipe, former }));
    const device = await harness.create({ engine: { ...engine, recipes } });
    await device.syncAsync();
    expect(device.status()).toMatchObject({ engineMismatch: false, engineIds: [ENGINE_ID, FORMER] });
    expect(await answer(device, scannedId)).toBe(expected);
    expect(new Set(engine.asked.flatMap(({ engineIds }) => engineIds))).toEqual(new Set([ENGINE_ID]));
  });

  it('is compared at each epoch’s own threshold', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    fill(harness, [[OTHER_ENGINE_ID, 1]]);
    // Unreachable for a template that is not exactly the guest's: a cosine is at most 1.
    harness.service.newest.matchThreshold = 1;
    const template = new Float32Array(8).fill(-Math.sqrt(1 / 8));
    harness.service.newest.people.set('ticket-1', { template, deleteAfterMs: harness.service.nowMs + 86_400_000 });
    const device = await harness.create();
    await device.syncAsync();
    expect(await answer(device)).toBe('NoMatch/below-threshold');
  });
});
