import { loadCore } from '@svc/core';
import { createFaceEngine, type FaceEngine } from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { openModelBundle } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedData } from '../support/shared-data.ts';
import { Deviation } from './deviation.ts';
import { embeddedChips } from './embedded-chips.ts';
import type { OriginalEmbedding } from './original-embedding.ts';
import { loadOriginalFaceRes } from './original-faceres.ts';
import { portraits } from './portraits.ts';
import { type RecordedRun, recordRuns } from './recording-runtime.ts';

const faces = sharedData('data', 'faces');
if (faces === null) console.log('skipped: no ../shared (the second embedding of real faces against Human)');

describe('face-embedding-faceres against Human’s files run by TensorFlow.js', () => {
  let original: OriginalEmbedding;
  let engine: FaceEngine;
  let runs: RecordedRun[];
  let dispose: () => void;

  beforeAll(async () => {
    original = await loadOriginalFaceRes('wasm');
    const recorder = recordRuns(await createTfjsTfliteNodeRuntime(), [1, 224, 224, 3]);
    const bundle = await openModelBundle({ addOnDirectory: null });
    const { runtime } = recorder;
    engine = await createFaceEngine({ core: await loadCore(), runtime, bundle, engineId: 'dlib-faceres-1152/2' });
    runs = recorder.runs;
    dispose = () => {
      engine.dispose();
      runtime.dispose();
    };
  });
  afterAll(() => dispose());

  async function compare(what: string, chips: readonly RecordedRun[]): Promise<void> {
    const deviation = new Deviation();
    for (const { input, output } of chips) deviation.add(output, await original(input));
    deviation.report(`face-embedding-faceres, ${what}`);
    expect(deviation.absolute).toBeLessThanOrEqual(5e-5);
    expect(deviation.cosine).toBeGreaterThanOrEqual(0.99999);
  }

  it('agrees on rendered faces', async () => {
    const chips: RecordedRun[] = [];
    for (let person = 1; person <= 3; person++) {
      const image = renderHead({ seed: person, yawDeg: 9 * person - 18, width: 480, height: 480 });
      chips.push(...(await embeddedChips(engine, runs, image)));
    }
    expect(chips).toHaveLength(3);
    await compare('rendered faces', chips);
  }, 180_000);

  it.skipIf(faces === null)(
    'agrees on real faces',
    async () => {
      const chips: RecordedRun[] = [];
      for await (const image of portraits(faces ?? '', 8)) chips.push(...(await embeddedChips(engine, runs, image)));
      expect(chips.length).toBeGreaterThanOrEqual(7);
      await compare('real faces', chips);
    },
    180_000,
  );
});
