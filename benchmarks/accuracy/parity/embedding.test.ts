import { loadCore } from '@svc/core';
import { createCombinedRuntime, createFaceEngine, type FaceEngine, type TfliteModel } from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput, type ModelBundle } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedData } from '../../inputs/shared-data.ts';
import { Deviation } from './deviation.ts';
import { embeddedChips, portraits, type RecordedRun, recordRuns } from './embedded-chips.ts';
import { loadOriginalEmbedding, type OriginalEmbedding } from './original-embedding.ts';

/** `SVC_TEST_PARITY_ALL=1` compares all that docs/models.md tells of. */
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
    const [byTfjs, byCore] = [new Deviation(), new Deviation()];
    for (const { input, output } of chips) {
      const expected = await original(input);
      byTfjs.add(output, expected);
      own.input(0).set(input);
      await own.run();
      byCore.add(own.output(0), expected);
    }
    byTfjs.report(`face-embedding, ${what}`);
    byCore.report(`face-embedding on the core's kernels, ${what}`);
    for (const deviation of [byTfjs, byCore]) {
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
    const chips: RecordedRun[] = [];
    for (let person = 1; person <= share.people; person++) {
      for (const yawDeg of [-15, 10]) {
        const image = renderHead({ seed: person, yawDeg, width: 480, height: 480 });
        chips.push(...(await embeddedChips(engine, runs, image)));
      }
    }
    expect(chips.length).toBeGreaterThanOrEqual(3.5 * share.people);
    await compare('rendered faces', chips);
  }, 180_000);

  it.skipIf(faces === null)(
    'agrees on real faces',
    async () => {
      const chips: RecordedRun[] = [];
      for await (const image of portraits(faces ?? '', share.portraits))
        chips.push(...(await embeddedChips(engine, runs, image)));
      expect(chips.length).toBeGreaterThanOrEqual(1.8 * share.portraits);
      await compare('real faces', chips);
    },
    180_000,
  );
});
