import { readFileSync } from 'node:fs';
import { createLiteRtNodeRuntime, createNodeFaceEngine, createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput } from '@svc/face-models';
import { compilePresence } from '@svc/face-models/node';
import { untrainedPresence } from '@svc/face-models/testing';
import { describe, expect, it } from 'vitest';
import { meanOf } from '../../statistics/summary.ts';
import { openUngatedModels } from '../presence/ungated-models.ts';
import { Deviation } from './embedded-chips.ts';
import { presenceInput } from './goldens.ts';
import { presenceReference, presenceWeights } from './presence-reference.ts';

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

/** PyTorch's results for a frame, as written by `presence/export.py`. */
interface Probe {
  readonly width: number;
  readonly height: number;
  /** Bounds of the face's mesh: x, y, width, height. */
  readonly face: readonly [number, number, number, number];
  readonly logOdds: Readonly<Record<'context' | 'texture', number>>;
}

const settings = new URL('../../../packages/face-models/training/weights/presence.json', import.meta.url);

/** The frame of `presence/export.py`, pixel by pixel. */
function frameOf({ width, height }: Probe) {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++) {
        const value =
          100 +
          50 * Math.sin(x / (5 + c)) * Math.cos(y / (7 - c)) +
          ((x * x * 7 + y * y * 13 + x * y * 5 + c * 29) % 97);
        data[(y * width + x) * 3 + c] = Math.min(255, Math.max(0, Math.floor(value)));
      }
  return { data, width, height, channels: 3 } as const;
}

it('presence gives PyTorch’s results for a frame: crops, reduction and compiled networks equal those of the training', async () => {
  const { probe } = JSON.parse(readFileSync(settings, 'utf8')) as { readonly probe: Probe };
  const { engine, runtime, bundle } = await createNodeFaceEngine({ addOnDirectory: null, passiveModel: null });
  const models = await openUngatedModels({ engine, runtime, bundle, passiveLiveness: null });
  const image = engine.open(frameOf(probe));
  try {
    const presence = models.find(({ name }) => name === 'presence') ?? expect.unreachable();
    const [x, y, width, height] = probe.face;
    // Other face properties are only read for limits, and there are none here.
    const quality = { interEyePx: 60, brightness: 0.5, overexposed: 0, sharpness: 1 };
    const face = { box: { x, y, width, height }, quality } as Parameters<typeof presence.score>[1];
    const score = (await presence.score(image, face)) ?? expect.unreachable();
    const told = Object.values(probe.logOdds).map((logOdds) => 1 / (1 + Math.exp(-logOdds)));
    const expected = meanOf(told);
    console.log(
      `presence, the probe: ${score.toFixed(4)}, PyTorch ${expected.toFixed(4)}, ${JSON.stringify(probe.logOdds)}`,
    );
    // The training's crops are rounded to bytes, the engine's are not.
    expect(Math.abs(score - expected)).toBeLessThan(0.01);
  } finally {
    image.dispose();
    for (const model of models) model.dispose();
    engine.dispose();
    runtime.dispose();
  }
});
