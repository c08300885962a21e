import { loadCore } from '@svc/core';
import { createCombinedRuntime } from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { expect, it } from 'vitest';
import { Deviation, noRuntime } from './embedded-chips.ts';

const side = 192;

/** A rendered head as input of the mesh, turned by up to 40 degrees. */
function head(seed: number): Float32Array {
  const { data } = renderHead({ seed, yawDeg: 20 * ((seed % 5) - 2), width: side, height: side });
  const channels = data.length / (side * side);
  return Float32Array.from(
    { length: side * side * 3 },
    (_, i) => (data[Math.floor(i / 3) * channels + (i % 3)] ?? 0) / 255,
  );
}

it('gives on the core’s kernels the same mesh as tfjs-tflite', async () => {
  const bundle = await openModelBundle({ addOnDirectory: null });
  const entry = bundle.manifest.models['face-mesh'];
  if (entry === undefined) throw new Error('no mesh');
  const tflite = await createTfjsTfliteNodeRuntime();
  const combined = createCombinedRuntime({ core: await loadCore(), fallback: noRuntime });
  const bytes = await bundle.read('face-mesh');
  const [own, other] = [await combined.load(bytes), await tflite.load(bytes)];
  const [landmarks, flag] = [new Deviation(), new Deviation()];
  const inputs = [goldenInput(entry), ...Array.from({ length: 5 }, (_, seed) => head(seed + 1))];
  for (const input of inputs) {
    for (const model of [own, other]) {
      model.input(0).set(input);
      await model.run();
    }
    expect(own.output(0)).toHaveLength(468 * 3);
    landmarks.add(own.output(0), other.output(0));
    flag.add(own.output(1), other.output(1));
  }
  landmarks.report('face-mesh, landmarks, the core’s kernels');
  flag.report('face-mesh, flag, the core’s kernels');
  expect(landmarks.comparisons).toBe(inputs.length);
  expect(Math.max(landmarks.absolute, flag.absolute)).toBeLessThanOrEqual(1e-3);
  combined.dispose();
  tflite.dispose();
});
