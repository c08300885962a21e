import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNodeFaceEngine, createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput } from '@svc/face-models';
import { openModelBundle, readTorchCheckpoint } from '@svc/face-models/node';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryAddOn, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { Deviation } from './embedded-chips.ts';
import { miniFasNetReference } from './minifasnet-reference.ts';

const checkpoints = sharedData('models', 'minifasnet');
const samples = sharedData('data', 'spoof', 'minivision', 'images');
if (checkpoints === null || samples === null) console.log('skipped: no ../shared (MiniFASNet against its reference)');

describe.skipIf(checkpoints === null || samples === null)('MiniFASNet', () => {
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

  it('finds upstream’s live sample live and its two fakes fake', async () => {
    const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(withMiniFasNet(addOn?.directory ?? null));
    const score = async (file: string, quarterTurns: number): Promise<number | null> => {
      const picture = sharp(join(samples ?? '', 'sample', file)).rotate(90 * quarterTurns);
      const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const frame = engine.open({ data, width: info.width, height: info.height, channels: 3 });
      const [detection] = await engine.detect(frame);
      const face = detection === undefined ? null : await engine.analyse(frame, detection);
      const result = face === null ? null : ((await passiveLiveness?.score(frame, face)) ?? null);
      frame.dispose();
      return result;
    };
    // The live sample is stored lying on its side.
    const scores = {
      T1: await score('image_T1.jpg', 1),
      F1: await score('image_F1.jpg', 0),
      F2: await score('image_F2.jpg', 0),
    };
    passiveLiveness?.dispose();
    engine.dispose();
    runtime.dispose();
    console.log(`parity: MiniFASNet, upstream's samples, live probability: ${JSON.stringify(scores)}`);
    expect(scores.T1).toBeGreaterThan(0.95);
    expect(scores.F1).toBeLessThan(0.35);
    expect(scores.F2).toBeLessThan(0.35);
  });
});
