import { loadCore } from '@svc/core';
import {
  createCombinedRuntime,
  createFaceEngine,
  type FaceEngine,
  type TfliteModel,
  type TfliteRuntime,
} from '@svc/face-engine';
import { createLiteRtNodeRuntime, createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { engineRecipes } from '@svc/face-models';
import { type IrGraph, openModelBundle } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedData } from '../../inputs/shared-data.ts';
import { type TemporaryAddOn, temporaryAddOn } from '../../inputs/temporary-add-on.ts';
import { Deviation } from './deviation.ts';
import { embeddedChips, portraits, type RecordedRun, recordRuns } from './embedded-chips.ts';
import { readRetail0095 } from './goldens.ts';
import { openVinoReference } from './openvino-reference.ts';

/** `SVC_TEST_PARITY_ALL=1` compares all that docs/models.md tells of. */
const share = process.env.SVC_TEST_PARITY_ALL === '1' ? { people: 16, portraits: 50 } : { people: 2, portraits: 4 };
const [{ engineId, model }] = engineRecipes;
const published = sharedData('models', model);
const faces = sharedData('data', 'faces');
if (published === null) console.log(`skipped: no ../shared (${model} against 64-bit floats)`);

/** In the place of a fallback: what the core does not compute is not compared as if it did. */
const noRuntime: TfliteRuntime = {
  name: 'none',
  load: () => Promise.reject(new Error('the core does not compute this network')),
  dispose: () => undefined,
};

describe.skipIf(published === null)(`${model} against a forward pass in 64-bit floats`, () => {
  let addOn: TemporaryAddOn | null;
  let graph: IrGraph;
  let engine: FaceEngine;
  let runs: RecordedRun[];
  const models = new Map<string, TfliteModel>();
  const runtimes: TfliteRuntime[] = [];

  beforeAll(async () => {
    addOn = await temporaryAddOn([model]);
    graph = await readRetail0095(published ?? '');
    const bundle = await openModelBundle({ addOnDirectory: addOn?.directory ?? null });
    const core = await loadCore();
    const recorder = recordRuns(await createTfjsTfliteNodeRuntime(), [1, 128, 128, 3]);
    runtimes.push(recorder.runtime);
    engine = await createFaceEngine({ core, runtime: recorder.runtime, bundle, engineId });
    runs = recorder.runs;
    const litert = await createLiteRtNodeRuntime();
    const combined = createCombinedRuntime({ core, fallback: noRuntime });
    runtimes.push(litert, combined);
    models.set('LiteRT', await litert.load(await bundle.read(model)));
    models.set('the core’s kernels', await combined.load(await bundle.read(model)));
  });
  afterAll(async () => {
    engine?.dispose();
    for (const runtime of runtimes) runtime.dispose();
    await addOn?.remove();
  });

  /** Chips are made unit vectors before they are compared, as templates are. */
  const unit = (values: ArrayLike<number>): Float64Array => {
    const length = Math.hypot(...Array.from(values));
    return Float64Array.from(values, (value) => value / length);
  };

  async function compare(what: string, chips: readonly RecordedRun[]): Promise<void> {
    const deviations = new Map(['tfjs-tflite', ...models.keys()].map((name) => [name, new Deviation()]));
    for (const { input, output } of chips) {
      const expected = unit(openVinoReference(graph, input));
      deviations.get('tfjs-tflite')?.add(unit(output), expected);
      for (const [name, one] of models) {
        one.input(0).set(input);
        await one.run();
        deviations.get(name)?.add(unit(one.output(0)), expected);
      }
    }
    for (const [name, deviation] of deviations) {
      deviation.report(`${model}, ${what}, ${name}`);
      expect(deviation.comparisons).toBe(chips.length);
      expect(deviation.absolute).toBeLessThanOrEqual(1e-4);
      expect(deviation.cosine).toBeGreaterThanOrEqual(0.99999);
    }
  }

  it('agrees on rendered faces', async () => {
    const chips: RecordedRun[] = [];
    for (let person = 1; person <= share.people; person++) {
      const image = renderHead({ seed: person, yawDeg: person % 2 === 0 ? -15 : 10, width: 480, height: 480 });
      chips.push(...(await embeddedChips(engine, runs, image)));
    }
    expect(chips.length).toBeGreaterThanOrEqual(1.5 * share.people);
    await compare('rendered faces', chips);
  }, 600_000);

  it.skipIf(faces === null)(
    'agrees on real faces',
    async () => {
      const chips: RecordedRun[] = [];
      for await (const image of portraits(faces ?? '', share.portraits))
        chips.push(...(await embeddedChips(engine, runs, image)));
      expect(chips.length).toBeGreaterThanOrEqual(1.8 * share.portraits);
      await compare('real faces', chips);
    },
    600_000,
  );
});
