import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput } from '@svc/face-models';
import { openModelBundle, readTorchCheckpoint } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryAddOn, temporaryAddOn } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { Deviation } from './embedded-chips.ts';
import { miniFasNetReference } from './minifasnet-reference.ts';

const checkpoints = sharedData('models', 'minifasnet');
if (checkpoints === null) console.log('skipped: no ../shared (MiniFASNet against its reference)');

describe.skipIf(checkpoints === null)('MiniFASNet', () => {
  let addOn: TemporaryAddOn | null;

  beforeAll(async () => {
    addOn = await temporaryAddOn();
  });
  afterAll(() => addOn?.remove());

  it.each([
    ['minifasnet-v2', '2.7_80x80_MiniFASNetV2.pth'],
    ['minifasnet-v1se', '4_0_0_80x80_MiniFASNetV1SE.pth'],
  ] as const)(
    '%s computes what the published network does',
    async (name, file) => {
      const state = readTorchCheckpoint(await readFile(join(checkpoints ?? '', file)));
      const bundle = await openModelBundle({ addOnDirectory: addOn?.directory ?? null });
      const entry = bundle.manifest.models[name];
      if (entry === undefined) throw new Error('not installed');
      const runtime = await createTfjsTfliteNodeRuntime();
      const model = await runtime.load(await bundle.read(name));
      const deviation = new Deviation();
      for (const [inputSeed, faceHeight] of [0.2, 0.4, 0.6, 1].entries()) {
        const input = goldenInput({ ...entry, golden: { ...entry.golden, inputSeed, faceHeight } });
        model.input(0).set(input);
        await model.run();
        deviation.add(model.output(0), miniFasNetReference(state, input));
      }
      runtime.dispose();
      deviation.report(`${name}, drawn heads, against 64-bit floats`);
      expect(deviation.absolute).toBeLessThanOrEqual(1e-5);
    },
    180_000,
  );
});
