import { type FaceCore, loadCore } from '@svc/core';
import type { ModelBundle } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { beforeAll, describe, expect, it } from 'vitest';
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
    await Promise.all(loaded.slice(2).map((model) => model.run()));
    expect(others.map(({ runs }) => runs)).toEqual([1, 1]);
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
});
