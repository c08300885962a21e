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
import { type TemporaryAddOn, temporaryAddOn } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { chipsOf, deviationsOf, noRuntime, portraits, type RecordedRun, recordRuns } from './embedded-chips.ts';
import { readRetail0095 } from './goldens.ts';
import { openVinoReference } from './openvino-reference.ts';

/** `SVC_TEST_PARITY_ALL=1` compares everything that docs/models.md reports. */
const share = process.env.SVC_TEST_PARITY_ALL === '1' ? { people: 16, portraits: 50 } : { people: 1, portraits: 2 };
const [{ engineId, model }] = engineRecipes;
const published = sharedData('models', model);
const faces = sharedData('data', 'faces');
if (published === null) console.log(`skipped: no ../shared (${model} against 64-bit floats)`);

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

  /** Chips are normalised before comparison, like templates. */
  const unit = (values: ArrayLike<number>): Float64Array => {
    const length = Math.hypot(...Array.from(values));
    return Float64Array.from(values, (value) => value / length);
  };

  async function compare(what: string, chips: readonly RecordedRun[]): Promise<void> {
    const original = (input: Float32Array) => openVinoReference(graph, input);
    const comparison = { original, recorded: 'tfjs-tflite', models, normalise: unit };
    for (const deviation of await deviationsOf(`${model}, ${what}`, chips, comparison)) {
      expect(deviation.comparisons).toBe(chips.length);
      expect(deviation.absolute).toBeLessThanOrEqual(1e-4);
      expect(deviation.cosine).toBeGreaterThanOrEqual(0.99999);
    }
  }

  it('agrees on rendered faces', async () => {
    const heads = Array.from({ length: share.people }, (_, i) =>
      renderHead({ seed: i + 1, yawDeg: i % 2 === 0 ? 10 : -15, width: 480, height: 480 }),
    );
    const chips = await chipsOf(engine, runs, heads);
    expect(chips.length).toBeGreaterThanOrEqual(1.5 * share.people);
    await compare('rendered faces', chips);
  }, 600_000);

  it.skipIf(faces === null)(
    'agrees on real faces',
    async () => {
      const chips = await chipsOf(engine, runs, portraits(faces ?? '', share.portraits));
      expect(chips.length).toBeGreaterThanOrEqual(1.8 * share.portraits);
      await compare('real faces', chips);
    },
    600_000,
  );
});
