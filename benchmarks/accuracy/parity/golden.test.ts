import { createLiteRtNodeRuntime, createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { type GoldenOutput, goldenInput, type ModelBundle } from '@svc/face-models';
import { addOnNames, openModelBundle } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryAddOn, temporaryAddOn } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { Deviation } from './embedded-chips.ts';
import { computeGoldens } from './goldens.ts';

if (sharedData('models') === null) console.log('skipped: no ../shared (golden outputs of add-ons)');

describe('golden outputs', () => {
  let addOn: TemporaryAddOn | null;
  let bundle: ModelBundle;
  let originals: Awaited<ReturnType<typeof computeGoldens>>;

  beforeAll(async () => {
    addOn = await temporaryAddOn(addOnNames);
    bundle = await openModelBundle({ addOnDirectory: addOn?.directory ?? null });
    originals = await computeGoldens();
  });
  afterAll(() => addOn?.remove());

  it('equal those of the originals', () => {
    const entries = Object.values(bundle.manifest.models);
    expect(entries.map(({ name }) => name).sort()).toEqual(Object.keys(originals).sort());
    for (const { name, golden } of entries) {
      const original = originals[name];
      expect(shapeOf(original)).toEqual(shapeOf(golden));
      const deviation = new Deviation();
      golden.outputs.forEach(({ values }, i) => {
        deviation.add(original?.outputs[i]?.values ?? [], values);
      });
      expect(deviation.absolute).toBeLessThanOrEqual(golden.tolerance / 5);
    }
  });

  it.each([
    ['tfjs-tflite', createTfjsTfliteNodeRuntime],
    ['LiteRT', createLiteRtNodeRuntime],
  ])('are reproduced by %s with room to spare', async (title, create) => {
    const runtime = await create();
    for (const entry of Object.values(bundle.manifest.models)) {
      const model = await runtime.load(await bundle.read(entry.name));
      model.input(0).set(goldenInput(entry));
      await model.run();
      const deviation = new Deviation();
      for (const { index, length, positions, values } of entry.golden.outputs) {
        const output = model.output(index);
        expect(output.length).toBe(length);
        deviation.add(
          positions.map((position) => output[position] ?? Number.NaN),
          values,
        );
      }
      deviation.report(`${entry.name}, golden outputs, ${title}`);
      expect(deviation.absolute).toBeLessThanOrEqual(entry.golden.tolerance / 5);
    }
    runtime.dispose();
  });

  it('detect another model', async () => {
    const runtime = await createTfjsTfliteNodeRuntime();
    const model = await runtime.load(await bundle.read('face-embedding'));
    const entry = bundle.manifest.models['face-embedding'];
    if (entry === undefined) throw new Error('no embedding');
    model.input(0).set(goldenInput({ ...entry, golden: { ...entry.golden, inputSeed: 2 } }));
    await model.run();
    const deviation = new Deviation();
    deviation.add(model.output(0), entry.golden.outputs[0]?.values ?? []);
    expect(deviation.absolute).toBeGreaterThan(1000 * entry.golden.tolerance);
    runtime.dispose();
  });
});

const shapeOf = (golden: GoldenOutput | undefined): unknown =>
  golden?.outputs.map(({ index, length, positions }) => ({ index, length, positions }));
