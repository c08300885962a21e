import { createLiteRtNodeRuntime, createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput } from '@svc/face-models';
import { compilePresence } from '@svc/face-models/node';
import { untrainedPresence } from '@svc/face-models/testing';
import { describe, expect, it } from 'vitest';
import { Deviation } from './deviation.ts';
import { presenceInput } from './goldens.ts';
import { presenceReference } from './presence-reference.ts';
import { presenceWeights } from './presence-weights.ts';

describe.each([
  ['untrained', untrainedPresence()],
  ['committed', presenceWeights()],
] as const)('presence, %s', (weights, state) => {
  it.each(['context', 'texture'] as const)('%s computes what its training defines', async (branch) => {
    const golden = { inputSeed: 1, faceHeight: 0.5, tolerance: 0, outputs: [] };
    const crop = goldenInput({ name: `passive-${branch}`, inputs: [presenceInput], golden });
    const logit = presenceReference(state, branch, crop);
    for (const create of [createTfjsTfliteNodeRuntime, createLiteRtNodeRuntime]) {
      const runtime = await create();
      const model = await runtime.load(compilePresence(state, branch, branch));
      model.input(0).set(crop);
      await model.run();
      const deviation = new Deviation();
      deviation.add(model.output(0), [logit]);
      deviation.report(`passive-${branch}, ${weights}, ${runtime.name}, against 64-bit floats`);
      runtime.dispose();
      expect(deviation.absolute).toBeLessThanOrEqual(5e-5);
    }
  });
});
