import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadCore } from '@svc/core';
import { openModelBundle } from '@svc/face-models/node';
import { expect, it } from 'vitest';
import { createCoreRuntime } from './core-runtime.ts';

it('wipes input and output with the model', async () => {
  const runtime = createCoreRuntime(await loadCore());
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

it('keeps the weights in wasm memory alone', async () => {
  const runtime = createCoreRuntime(await loadCore());
  const bytes = await (await openModelBundle({ addOnDirectory: null })).read('face-embedding');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const arrays = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  // From here on wasm memory is large enough.
  (await runtime.load(bytes)).dispose();
  const before = arrays();
  const model = await runtime.load(bytes);
  expect(arrays() - before).toBeLessThan(2 ** 20);
  model.dispose();
  runtime.dispose();
});
