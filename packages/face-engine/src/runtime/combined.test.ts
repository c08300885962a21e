import { loadCore } from '@svc/core';
import { openModelBundle } from '@svc/face-models/node';
import { expect, it } from 'vitest';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { createCombinedRuntime } from './combined.ts';

it('wipes input and output with the model', async () => {
  const runtime = createCombinedRuntime({ core: await loadCore(), fallback: new FakeRuntime([]) });
  const bundle = await openModelBundle({ addOnDirectory: null });
  const model = await runtime.load(await bundle.read('face-embedding'));
  const input = model.input(0).fill(99);
  await model.run();
  const output = model.output(0);
  expect(output.some((value) => value !== 0)).toBe(true);
  model.dispose();
  expect([...input, ...output].every((value) => value === 0)).toBe(true);
  runtime.dispose();
});
