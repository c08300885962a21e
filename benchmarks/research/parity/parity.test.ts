import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FaceCore, loadCore } from '@svc/core';
import { createCoreRuntime } from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime } from '@svc/face-engine/node';
import { goldenInput, type ModelBundle, type ModelName } from '@svc/face-models';
import { addOnNames, openModelBundle } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { beforeAll, describe, expect, it } from 'vitest';
import { floatNetworks, openEngineOf, temporaryAddOn } from '../../inputs/engine.ts';
import { readPhoto } from '../../inputs/read-photo.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { Deviation } from './deviation.ts';
import { openOriginal } from './originals.ts';

/** `SVC_TEST_ALL=1` compares everything that docs/internals/models.md reports; otherwise the golden pictures alone. */
const isWhole = process.env.SVC_TEST_ALL === '1';
const published = sharedData('models');
const folder = sharedData('data', 'faces', 'congress-portraits', 'images');
if (published === null) console.log('skipped: no ../shared (golden outputs and parity of add-ons)');
if (folder === null) console.log('skipped: no ../shared (parity on real faces)');

/** In floats, which the integers that ship are made of. */
let bundle: ModelBundle;
let integers: ModelBundle;
beforeAll(async () => {
  bundle = await floatNetworks();
  const addOn = await temporaryAddOn(addOnNames);
  const shipped = await openModelBundle({ addOnDirectory: addOn?.directory ?? null });
  const read = new Map<ModelName, Uint8Array>();
  for (const { name } of Object.values(shipped.manifest.models)) read.set(name, await shipped.read(name));
  integers = { ...shipped, read: async (name) => read.get(name) ?? expect.unreachable() };
  await addOn?.remove();
});

/** Greatest differences from the originals on golden pictures: several times what runtimes and processors differ by. */
const mostOfFloats: Readonly<Record<ModelName, number>> = {
  'face-detection-short': 2e-4,
  'face-detection-full': 2e-4,
  'face-mesh': 2e-4,
  'face-embedding': 2e-6,
  'face-reidentification-retail-0095': 2e-5,
  'minifasnet-v2': 1e-5,
  'minifasnet-v1se': 1e-5,
};

describe('floats', () => {
  it('are those of the originals for golden pictures, by tfjs-tflite and by the core’s kernels', async () => {
    const tfjs = await createTfjsTfliteNodeRuntime();
    const runtimes = [tfjs, createCoreRuntime(await loadCore())];
    for (const entry of Object.values(bundle.manifest.models)) {
      const { name } = entry;
      const input = goldenInput(entry);
      const expected = await (await openOriginal(bundle, name, tfjs))(input);
      for (const runtime of runtimes) {
        const model = await runtime.load(await bundle.read(name));
        model.input(0).set(input);
        await model.run();
        const deviation = new Deviation();
        for (const [i, output] of expected.entries()) deviation.add(model.output(i), output);
        deviation.report(`${name}, golden picture, ${runtime.name}`);
        expect(deviation.comparisons).toBe(entry.outputs.length);
        expect(deviation.absolute).toBeLessThanOrEqual(mostOfFloats[name]);
      }
    }
    for (const runtime of runtimes) runtime.dispose();
  });
});

/** Of each output, and the least cosine of the first: twice to four times what was measured, detectors where they see a face. */
const mostApart: Readonly<Record<ModelName, readonly [worst: readonly number[], cosine: number]>> = {
  'face-detection-short': [[3, 0.5], 0.999],
  'face-detection-full': [[0.2, 0.1], 0.99999],
  'face-mesh': [[1, 0.3], 0.999999],
  'face-embedding': [[0.001], 0.999998],
  'face-reidentification-retail-0095': [[0.3], 0.999],
  'minifasnet-v2': [[0.03], 0.999],
  'minifasnet-v1se': [[0.015], 0.9999],
};

describe('integers that ship', () => {
  it('stay near their floats, and are the same without SIMD', async () => {
    const [simd, scalar] = [createCoreRuntime(await loadCore()), createCoreRuntime(await loadCore({ kind: 'scalar' }))];
    for (const { name, ...entry } of Object.values(integers.manifest.models)) {
      const [worst, cosine] = mostApart[name];
      const deviations = worst.map(() => new Deviation());
      const floats = await simd.load(await bundle.read(name));
      const [own, other] = [await simd.load(await integers.read(name)), await scalar.load(await integers.read(name))];
      for (const inputSeed of [entry.golden.inputSeed, 21]) {
        const input = goldenInput({ ...entry, name, golden: { ...entry.golden, inputSeed } });
        for (const model of [floats, own, other]) {
          model.input(0).set(input);
          await model.run();
        }
        const scores = name.startsWith('face-detection') ? floats.output(1) : [1];
        deviations.forEach((deviation, i) => {
          expect(other.output(i)).toEqual(own.output(i));
          const width = floats.output(i).length / scores.length;
          const seen = (output: Float32Array) => output.filter((_, at) => (scores[Math.floor(at / width)] ?? 0) > 0);
          deviation.add(seen(own.output(i)), seen(floats.output(i)));
        });
      }
      for (const [i, deviation] of deviations.entries()) {
        deviation.report(`${name}, output ${i} of integers`);
        expect(deviation.absolute).toBeLessThanOrEqual(worst[i] ?? Number.NaN);
      }
      expect(deviations[0]?.cosine).toBeGreaterThanOrEqual(cosine);
    }
    for (const runtime of [simd, scalar]) runtime.dispose();
  });

  it('see a turned head as their floats do', async () => {
    const [floats, own] = [await openEngineOf(bundle), await openEngineOf(integers)];
    for (const yawDeg of [-15, 0, 15]) {
      const head = renderHead({ seed: 3, yawDeg, distance: 0.8, width: 320, height: 320 });
      const images = [floats.engine.open(head), own.engine.open(head)] as const;
      const [detection = expect.unreachable()] = await floats.engine.detect(images[0]);
      const expected = (await floats.engine.analyse(images[0], detection)) ?? expect.unreachable();
      const { pose, parallax } = (await own.engine.analyse(images[1], detection)) ?? expect.unreachable();
      const differences = [pose.yawDeg - expected.pose.yawDeg, parallax - expected.parallax].map(Math.abs);
      console.log(`parity: yaw ${expected.pose.yawDeg}, parallax ${expected.parallax}: apart by ${differences}`);
      expect(differences[0]).toBeLessThan(0.5);
      expect(differences[1]).toBeLessThan(0.01);
      for (const image of images) image.dispose();
    }
    for (const engine of [floats, own]) engine.close();
  });
});

/** Made unit vectors, like templates. */
function unit(values: ArrayLike<number>): Float64Array {
  const length = Math.hypot(...Array.from(values));
  return Float64Array.from(values, (value) => value / length);
}

/** The networks with another original than their file. */
const networks = (
  [
    ['face-embedding', { side: 150, heads: 16, portraits: 50 }, 1e-5],
    ['face-reidentification-retail-0095', { side: 128, heads: 16, portraits: 50 }, 1e-4],
    ['minifasnet-v2', { side: 80, heads: 4, portraits: 4 }, 1e-5],
    ['minifasnet-v1se', { side: 80, heads: 4, portraits: 4 }, 1e-5],
  ] as const
).map(([model, pictures, most]) => ({ model, pictures, most }));

/** Rendered heads and public portraits, each as wide as a network's input: RGB, 0 to 255. */
async function* inputsOf(
  core: FaceCore,
  { side, heads, portraits }: (typeof networks)[number]['pictures'],
): AsyncGenerator<Float32Array> {
  const names = folder === null ? [] : readdirSync(folder).sort();
  const step = Math.max(1, Math.floor(names.length / portraits));
  const chosen = names.filter((_, i) => i % step === 0).slice(0, portraits);
  for (const what of [...Array.from({ length: heads }, (_, i) => i + 1), ...chosen]) {
    const isSeed = typeof what === 'number';
    const picture = isSeed
      ? renderHead({ seed: what, yawDeg: what % 2 === 0 ? 10 : -15, distance: 0.8, width: 320, height: 320 })
      : await readPhoto(join(folder ?? '', what));
    const image = core.image(picture);
    const scale = Math.min(picture.width, picture.height) / side;
    yield image.warpToFloat({ a: scale, b: 0, c: 0, d: 0, e: scale, f: 0 }, side, side);
    image.dispose();
  }
}

it.skipIf(!isWhole).each(networks.filter(({ model }) => model === 'face-embedding' || published !== null))(
  '$model computes what its original does',
  { timeout: 600_000 },
  async ({ model, pictures, most }) => {
    const core = await loadCore();
    const tfjs = await createTfjsTfliteNodeRuntime();
    const original = await openOriginal(bundle, model, tfjs);
    const normalise = model === 'face-reidentification-retail-0095' ? unit : (values: ArrayLike<number>) => values;
    const runtimes = [tfjs, createCoreRuntime(core)];
    const deviations = runtimes.map(() => new Deviation());
    const models = [];
    for (const runtime of runtimes) models.push(await runtime.load(await bundle.read(model)));
    for await (const input of inputsOf(core, pictures)) {
      const [expected = []] = await original(input);
      for (const [i, own] of models.entries()) {
        own.input(0).set(input);
        await own.run();
        deviations[i]?.add(normalise(own.output(0)), normalise(expected));
      }
    }
    for (const [i, deviation] of deviations.entries()) {
      deviation.report(`${model}, ${runtimes[i]?.name}`);
      expect(deviation.comparisons).toBe(pictures.heads + (folder === null ? 0 : pictures.portraits));
      expect(deviation.absolute).toBeLessThanOrEqual(most);
      expect(deviation.cosine).toBeGreaterThanOrEqual(0.99999);
    }
    for (const runtime of runtimes) runtime.dispose();
  },
);
