import { loadCore } from '@svc/core';
import { createCombinedRuntime, createFaceEngine, type FaceEngine, type TfliteModel } from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput, type ModelBundle } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedData } from '../../inputs/shared-data.ts';
import { chipsOf, deviationsOf, portraits, type RecordedRun, recordRuns } from './embedded-chips.ts';
import { loadOriginalEmbedding, type OriginalEmbedding } from './goldens.ts';

/** `SVC_TEST_PARITY_ALL=1` compares everything that docs/models.md reports. */
const share = process.env.SVC_TEST_PARITY_ALL === '1' ? { people: 8, portraits: 50 } : { people: 3, portraits: 16 };
const faces = sharedData('data', 'faces');
if (faces === null) console.log('skipped: no ../shared (embedding of real faces against face-api)');

describe('face-embedding against face-api run by TensorFlow.js', () => {
  let original: OriginalEmbedding;
  let bundle: ModelBundle;
  let engine: FaceEngine;
  let runs: RecordedRun[];
  /** The same network on the core's own kernels. */
  let own: TfliteModel;
  let dispose: () => void;

  beforeAll(async () => {
    original = await loadOriginalEmbedding('wasm');
    bundle = await openModelBundle({ addOnDirectory: null });
    const core = await loadCore();
    const recorder = recordRuns(await createTfjsTfliteNodeRuntime(), [1, 150, 150, 3]);
    engine = await createFaceEngine({ core, runtime: recorder.runtime, bundle });
    runs = recorder.runs;
    const combined = createCombinedRuntime({ core, fallback: recorder.runtime });
    own = await combined.load(await bundle.read('face-embedding'));
    dispose = () => {
      engine.dispose();
      combined.dispose();
    };
  });
  afterAll(() => dispose());

  async function compare(what: string, chips: readonly RecordedRun[]): Promise<void> {
    const models = new Map([['the core’s kernels', own]]);
    const comparison = { original, recorded: 'tfjs-tflite', models };
    for (const deviation of await deviationsOf(`face-embedding, ${what}`, chips, comparison)) {
      expect(deviation.absolute).toBeLessThanOrEqual(1e-5);
      expect(deviation.cosine).toBeGreaterThanOrEqual(0.99999);
    }
  }

  it('agrees on drawn heads', async () => {
    const entry = bundle.manifest.models['face-embedding'];
    if (entry === undefined) throw new Error('no embedding');
    const runtime = await createTfjsTfliteNodeRuntime();
    const model = await runtime.load(await bundle.read('face-embedding'));
    const chips: RecordedRun[] = [];
    for (let inputSeed = 0; inputSeed < share.people; inputSeed++) {
      const input = goldenInput({ ...entry, golden: { ...entry.golden, inputSeed } });
      model.input(0).set(input);
      await model.run();
      chips.push({ input, output: model.output(0).slice() });
    }
    runtime.dispose();
    await compare('drawn heads', chips);
  });

  it('agrees on rendered faces', async () => {
    const heads = Array.from({ length: share.people }, (_, i) =>
      [-15, 10].map((yawDeg) => renderHead({ seed: i + 1, yawDeg, width: 480, height: 480 })),
    );
    const chips = await chipsOf(engine, runs, heads.flat());
    expect(chips.length).toBeGreaterThanOrEqual(3.5 * share.people);
    await compare('rendered faces', chips);
  }, 180_000);

  it.skipIf(faces === null)(
    'agrees on real faces',
    async () => {
      const chips = await chipsOf(engine, runs, portraits(faces ?? '', share.portraits));
      expect(chips.length).toBeGreaterThanOrEqual(1.8 * share.portraits);
      await compare('real faces', chips);
    },
    180_000,
  );
});
