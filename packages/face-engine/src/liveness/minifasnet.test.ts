import { loadCore } from '@svc/core';
import { type ModelBundle, type ModelEntry, type ModelName, minifasnetCalibration } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { FakeModel, FakeRuntime } from '../testing/fake-runtime.ts';
import type { FaceAnalysis, Quality } from '../types.ts';
import { contextScale, createMiniFasNet, livenessBox, livenessCrop } from './minifasnet.ts';

const entryOf = (name: ModelName): ModelEntry => ({
  name,
  file: `${name}.tflite`,
  sha256: '',
  bytes: 1,
  inputs: [{ name: 'input', shape: [1, 80, 80, 3], type: 'float32', range: [0, 255] }],
  outputs: [{ name: 'output', shape: [1, 3], type: 'float32' }],
  licence: 'Apache-2.0',
  origin: 'test',
  golden: { inputSeed: 1, faceHeight: 0.5, tolerance: 1, outputs: [] },
});

function bundleOf(...names: ModelName[]): ModelBundle {
  const models = Object.fromEntries(names.map((name) => [name, entryOf(name)]));
  return {
    manifest: {
      format: 1,
      engine: { engineId: 'test/1', dimension: 128, matchThreshold: 0.9 },
      models,
      passiveLiveness: minifasnetCalibration,
    },
    has: (name) => name in models,
    read: async () => Uint8Array.of(1),
  };
}

const giving = (...softmax: number[]) =>
  new FakeModel({ inputLength: 80 * 80 * 3, run: () => [Float32Array.from(softmax)] });

const face = (quality: Partial<Quality> = {}, width = 120): FaceAnalysis => ({
  box: { x: 260, y: 160, width, height: (width * 4) / 3 },
  faceFlag: 1,
  landmarks: new Float32Array(1404),
  pose: { yawDeg: 0, pitchDeg: 0, rollDeg: 0 },
  quality: {
    faceWidthPx: 120,
    interEyePx: 50,
    brightness: 0.5,
    contrast: 0.1,
    overexposed: 0,
    sharpness: 0.5,
    coverage: 1,
    ...quality,
  },
  parallax: 0,
  reliefChip: new Uint8Array(0),
});

async function scoreOf(analysis: FaceAnalysis, models = [giving(0.1, 0.8, 0.1), giving(0.3, 0.6, 0.1)]) {
  const core = await loadCore();
  const runtime = new FakeRuntime(models);
  const liveness = await createMiniFasNet({ core, runtime, bundle: bundleOf('minifasnet-v2', 'minifasnet-v1se') });
  const image = core.image({ data: new Uint8Array(640 * 480 * 3), width: 640, height: 480, channels: 3 });
  try {
    return await liveness.score(image, analysis);
  } finally {
    image.dispose();
    liveness.dispose();
  }
}

describe('createMiniFasNet', () => {
  it('gives the mean of both networks’ live probability', async () => {
    expect(await scoreOf(face())).toBeCloseTo(0.7);
  });

  it.each<[string, FaceAnalysis]>([
    ['fills too much of the frame', face({}, 300)],
    ['is too small', face({ interEyePx: minifasnetCalibration.scorable.interEyePx - 1 })],
    ['is too dark', face({ brightness: 0.01 })],
    ['is burnt out', face({ overexposed: 0.9 })],
    ['is blurred', face({ sharpness: 0.01 })],
    ['cannot be measured', face({ sharpness: Number.NaN })],
  ])('does not score a face that %s', async (_, analysis) => {
    const models = [giving(0, 1, 0), giving(0, 1, 0)];
    const runsAtStart = 1;
    expect(await scoreOf(analysis, models)).toBeNull();
    expect(models.map((model) => model.runs)).toEqual([runsAtStart, runsAtStart]);
  });

  it('fails rather than give a score that is not a number', async () => {
    await expect(scoreOf(face(), [giving(0, Number.NaN, 0), giving(0, 1, 0)])).rejects.toMatchObject({
      code: 'runtime-failed',
    });
  });

  it('says how its scores are read, and refuses models that came without', async () => {
    const core = await loadCore();
    const bundle = bundleOf('minifasnet-v2', 'minifasnet-v1se');
    const models = () => new FakeRuntime([giving(0, 1, 0), giving(0, 1, 0)]);
    const liveness = await createMiniFasNet({ core, runtime: models(), bundle });
    expect([liveness.name, liveness.calibration]).toEqual(['minifasnet', minifasnetCalibration]);
    liveness.dispose();
    const { passiveLiveness: _, ...without } = bundle.manifest;
    const another = { ...bundle.manifest, passiveLiveness: { ...minifasnetCalibration, model: 'another' } };
    for (const manifest of [without, another]) {
      const refused = createMiniFasNet({ core, runtime: models(), bundle: { ...bundle, manifest } });
      await expect(refused).rejects.toMatchObject({ code: 'model-mismatch' });
    }
  });

  it('keeps to the limits of its own calibration', async () => {
    const core = await loadCore();
    const bundle = bundleOf('minifasnet-v2', 'minifasnet-v1se');
    const scorable = { ...minifasnetCalibration.scorable, brightness: 0.6 };
    const manifest = { ...bundle.manifest, passiveLiveness: { ...minifasnetCalibration, scorable } };
    const runtime = new FakeRuntime([giving(0, 1, 0), giving(0, 1, 0)]);
    const liveness = await createMiniFasNet({ core, runtime, bundle: { ...bundle, manifest } });
    const image = core.image({ data: new Uint8Array(640 * 480 * 3), width: 640, height: 480, channels: 3 });
    expect(await liveness.score(image, face({ brightness: 0.5 }))).toBeNull();
    image.dispose();
    liveness.dispose();
  });

  it('answers model-missing without the add-on, and with half of it', async () => {
    const core = await loadCore();
    const runtime = new FakeRuntime([]);
    for (const bundle of [bundleOf(), bundleOf('minifasnet-v2')]) {
      await expect(createMiniFasNet({ core, runtime, bundle })).rejects.toMatchObject({ code: 'model-missing' });
    }
  });
});

describe('livenessCrop', () => {
  const frame = { width: 640, height: 480 };

  it('grows the box by the scale, ends included', () => {
    expect(livenessCrop(frame, { x: 300, y: 220, width: 40, height: 40 }, 2.7)).toEqual({
      x: 266,
      y: 186,
      width: 109,
      height: 109,
    });
  });

  it('grows no further than the frame allows, by the same factor both ways', () => {
    const box = { x: 200, y: 100, width: 160, height: 200 };
    expect(contextScale(frame, box)).toBeCloseTo(479 / 200);
    expect(livenessCrop(frame, box, 4)).toEqual({ x: 88, y: 0, width: 384, height: 480 });
  });

  it('is shifted to stay inside, never cut', () => {
    expect(livenessCrop(frame, { x: 0, y: 0, width: 100, height: 100 }, 2.7)).toEqual({
      x: 0,
      y: 0,
      width: 271,
      height: 271,
    });
    expect(livenessCrop(frame, { x: 590, y: 430, width: 50, height: 50 }, 4)).toEqual({
      x: 439,
      y: 279,
      width: 201,
      height: 201,
    });
  });
});

describe('livenessBox', () => {
  it('is wider and lower than the mesh’s bounds by the fitted amounts', () => {
    const box = livenessBox({ x: 0, y: 0, width: 1000, height: 1000 });
    expect(box.width).toBeCloseTo(1123);
    expect(box.height).toBeCloseTo(966);
    expect(box.x + box.width / 2).toBeCloseTo(502);
    expect(box.y + box.height / 2).toBeCloseTo(518);
  });
});
