import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHarness, type Harness, recorded, visit } from './testing/device-harness.ts';
import { OTHER_ENGINE_ID, templateOf } from './testing/fake-engine.ts';
import { ENGINE_ID } from './testing/fake-service.ts';

const engines = [ENGINE_ID, OTHER_ENGINE_ID, 'unknown-engine/9'];
const unknown = engines[2];

interface Drawn {
  /** The engine of each epoch, newest first, and its people. */
  readonly epochs: readonly { readonly engineId: string; readonly people: readonly number[] }[];
  readonly scanned: number;
  readonly visitor: number;
}

const people = fc.integer({ min: 1, max: 4 });
const draws: fc.Arbitrary<Drawn> = fc.record({
  epochs: fc.array(
    fc.record({ engineId: fc.constantFrom(...engines), people: fc.uniqueArray(people, { maxLength: 4 }) }),
    { minLength: 1, maxLength: 4 },
  ),
  scanned: people,
  visitor: people,
});

function fill({ service }: Harness, { epochs }: Drawn): void {
  service.epochs = epochs.map(({ engineId, people: listed }, i) => ({
    epoch: epochs.length - i,
    engineId,
    listKey: new Uint8Array(32).fill(10 + i),
    people: new Map(
      listed.map((who) => [
        `ticket-${who}`,
        { template: templateOf(who, engineId), deleteAfterMs: service.nowMs + 86_400_000_000 },
      ]),
    ),
  }));
}

/** The engine of these templates: the two have opposite signs. */
const engineOf = (template: Float32Array): number => Math.sign(template.reduce((sum, value) => sum + value, 0));

describe('a list of two engines’ epochs', () => {
  it('compares each record with a template of its own engine only', async () => {
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(draws, async (drawn) => {
        const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
        const { engine } = harness;
        const compared: (readonly [number, number])[] = [];
        const { cosine } = engine.core;
        const core = {
          ...engine.core,
          cosine: (a: Float32Array, b: Float32Array) => {
            compared.push([engineOf(a), engineOf(b)]);
            return cosine(a, b);
          },
        };
        fill(harness, drawn);
        const device = await harness.create({ engine: { ...engine, core } });
        expect(await device.syncAsync()).toMatchObject({ ok: true });
        expect(device.status().engineMismatch).toBe(drawn.epochs.every(({ engineId }) => engineId === unknown));
        const found = drawn.epochs.find((epoch) => epoch.engineId !== unknown && epoch.people.includes(drawn.scanned));
        const { outcome, reason } = await device.verifyLiveAsync(
          `ticket-${drawn.scanned}`,
          recorded(visit(drawn.visitor, 'left')),
        );
        const embedded = engine.asked.filter(({ what }) => what === 'embed');
        if (found === undefined) {
          const isListed = drawn.epochs.some((epoch) => epoch.people.includes(drawn.scanned));
          expect(`${outcome}/${reason}`).toBe(isListed ? 'NotEnrolled/engine-mismatch' : 'NotEnrolled/not-on-list');
          expect(embedded).toEqual([]);
        } else {
          expect(outcome).toBe(drawn.visitor === drawn.scanned ? 'Match' : 'NoMatch');
          expect(embedded.length).toBeGreaterThan(0);
          for (const { engineIds } of embedded) expect(engineIds).toEqual([found.engineId]);
        }
        for (const [probe, reference] of compared) expect(probe).toBe(reference);
        if (outcome === 'Match') matches += 1;
        await device.dispose();
      }),
      { numRuns: 60 },
    );
    // A property test that never sees a match would prove nothing.
    expect(matches).toBeGreaterThan(2);
  });

  it('is compared at each epoch’s own threshold', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    fill(harness, {
      epochs: [
        { engineId: OTHER_ENGINE_ID, people: [1] },
        { engineId: ENGINE_ID, people: [1, 2] },
      ],
      scanned: 1,
      visitor: 1,
    });
    const [newest] = harness.service.epochs;
    // Unreachable: a cosine is at most 1.
    if (newest !== undefined) newest.matchThreshold = 1;
    harness.service.newest.people.set('ticket-1', {
      template: new Float32Array(8).fill(-Math.sqrt(1 / 8)),
      deleteAfterMs: harness.service.nowMs + 86_400_000_000,
    });
    const device = await harness.create();
    await device.syncAsync();
    const outcome = async (who: number) =>
      (await device.verifyLiveAsync(`ticket-${who}`, recorded(visit(who, 'left')))).outcome;
    expect(await outcome(1)).toBe('NoMatch');
    expect(await outcome(2)).toBe('Match');
  });
});
