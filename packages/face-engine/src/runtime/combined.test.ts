import { type FaceCore, loadCore } from '@svc/core';
import { goldenInput, type ModelBundle } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTfjsTfliteNodeRuntime } from '../node.ts';
import { FakeModel, FakeRuntime } from '../testing/fake-runtime.ts';
import { createCombinedRuntime } from './combined.ts';

let core: FaceCore;
let bundle: ModelBundle;
beforeAll(async () => {
  core = await loadCore();
  bundle = await openModelBundle({ addOnDirectory: null });
});

const fake = () => new FakeModel({ inputLength: 1, run: (input) => [input] });

describe('createCombinedRuntime', () => {
  it('takes the embedding and the mesh itself and leaves every other model to the other runtime', async () => {
    const others = [fake(), fake()];
    const runtime = createCombinedRuntime({ core, fallback: new FakeRuntime(others) });
    expect(runtime.name).toBe('core+fake');
    const names = ['face-embedding', 'face-mesh', 'face-detection-short', 'face-detection-full'] as const;
    const loaded = [];
    for (const name of names) loaded.push(await runtime.load(await bundle.read(name)));
    expect(loaded.slice(2)).toEqual(others);
    expect(loaded[0]?.inputs).toEqual([{ shape: [1, 150, 150, 3] }]);
    expect(loaded[0]?.outputs).toEqual([{ shape: [1, 128] }]);
    expect(loaded[1]?.outputs).toEqual([{ shape: [1, 1, 1, 1404] }, { shape: [1, 1, 1, 1] }]);
    runtime.dispose();
  });

  it('wipes input and output with the model', async () => {
    const runtime = createCombinedRuntime({ core, fallback: new FakeRuntime([]) });
    const model = await runtime.load(await bundle.read('face-embedding'));
    const input = model.input(0).fill(99);
    await model.run();
    const output = model.output(0);
    expect(output.some((value) => value !== 0)).toBe(true);
    model.dispose();
    expect([...input, ...output].every((value) => value === 0)).toBe(true);
    runtime.dispose();
  });

  it('agrees with the other runtime on the embedding within 1e-6 of unit length', async () => {
    const fallback = await createTfjsTfliteNodeRuntime();
    const runtime = createCombinedRuntime({ core, fallback });
    const bytes = await bundle.read('face-embedding');
    const [own, other] = [await runtime.load(bytes), await fallback.load(bytes)];
    const entry = bundle.manifest.models['face-embedding'];
    if (entry === undefined) throw new Error('no embedding');
    for (let inputSeed = 0; inputSeed < 4; inputSeed++) {
      const input = goldenInput({ ...entry, golden: { ...entry.golden, inputSeed } });
      const outputs = [];
      for (const model of [own, other]) {
        model.input(0).set(input);
        await model.run();
        outputs.push(model.output(0).slice());
      }
      const [ours = new Float32Array(0), theirs = new Float32Array(0)] = outputs;
      const norm = Math.hypot(...theirs);
      const worst = ours.reduce((most, value, i) => Math.max(most, Math.abs(value - (theirs[i] ?? Number.NaN))), 0);
      expect(worst / norm).toBeLessThan(1e-6);
      expect(core.cosine(ours, theirs)).toBeGreaterThan(0.999999);
    }
    runtime.dispose();
  });
});
