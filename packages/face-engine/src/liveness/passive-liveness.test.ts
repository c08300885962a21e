import { loadCore } from '@svc/core';
import { type ModelBundle, type ModelName, minifasnetCalibration, type PassiveModelName } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { landmarkCount } from '../mesh/landmarks.ts';
import { faceAnalysis } from '../testing/face-analysis.ts';
import { FakeModel, FakeRuntime } from '../testing/fake-runtime.ts';
import type { FaceAnalysis, PassiveLiveness, PassiveScore, Quality } from '../types.ts';
import { evidenceOf, type Probabilities } from './evidence.ts';
import { contextScale, faceAspect, livenessCrop, openPassiveLiveness } from './passive-liveness.ts';

const { scorable } = minifasnetCalibration;
const networkNames = ['minifasnet-v2', 'minifasnet-v1se'] as const;
/** Live probabilities of 0.8 and 0.6. */
const outputs = [
  [0.1, 0.8, 0.1],
  [0.3, 0.6, 0.1],
];

const saying = (given: readonly (readonly number[])[]): readonly FakeModel[] =>
  given.map((output) => new FakeModel({ inputLength: 80 * 80 * 3, run: () => [Float32Array.from(output)] }));

function bundleOf(names: readonly ModelName[], about: Partial<ModelBundle['manifest']> = {}): ModelBundle {
  const models = Object.fromEntries(
    names.map((name) => [
      name,
      {
        name,
        file: `${name}.tflite`,
        sha256: '',
        bytes: 1,
        inputs: [{ name: 'crop', shape: [1, 80, 80, 3], type: 'float32', range: [0, 255] }],
        outputs: [{ name: 'output', shape: [1, 3], type: 'float32' }],
        licence: 'Apache-2.0',
        origin: 'test',
        golden: { inputSeed: 1, faceHeight: 0.5, tolerance: 1, outputs: [] },
      } as const,
    ]),
  );
  return {
    manifest: { format: 1, models, passiveLiveness: minifasnetCalibration, ...about },
    has: (name) => name in models,
    read: async () => Uint8Array.of(1),
  };
}

async function opened(networks = saying(outputs), bundle = bundleOf(networkNames)): Promise<PassiveLiveness> {
  const liveness = await openPassiveLiveness({ runtime: new FakeRuntime(networks), bundle });
  return liveness ?? expect.unreachable();
}

/** A face whose measures all permit scoring. @param width of the mesh's bounds, in a frame of 640 × 480 */
const scorableFace = (quality: Partial<Quality> = {}, width = 120): FaceAnalysis =>
  faceAnalysis({ box: { width, height: (width * 4) / 3 }, quality });

/** @param paint fills the frame, RGB, black before */
async function scoreOf(
  liveness: PassiveLiveness,
  face = scorableFace(),
  paint: (data: Uint8Array) => void = () => undefined,
): Promise<PassiveScore | null> {
  const data = new Uint8Array(640 * 480 * 3);
  paint(data);
  const image = (await loadCore()).image({ data, width: 640, height: 480, channels: 3 });
  try {
    return await liveness.score(image, face);
  } finally {
    image.dispose();
  }
}

describe('a score', () => {
  it('is the mean of both networks’ live probabilities, of bytes as they are, each asked once', async () => {
    const models = saying(outputs);
    const liveness = await opened(models);
    expect([liveness.name, liveness.calibration]).toEqual(['minifasnet', minifasnetCalibration]);
    const before = models.map(({ runs }) => runs);
    expect((await scoreOf(liveness, undefined, (data) => data.fill(200)))?.score).toBeCloseTo(0.7);
    for (const { lastInput } of models) expect(new Set(lastInput)).toEqual(new Set([200]));
    expect(models.map(({ runs }, i) => runs - (before[i] ?? 0))).toEqual([1, 1]);
  });

  it('is of the face by one network and of its surroundings by the other', async () => {
    const models = saying(outputs);
    await scoreOf(await opened(models), undefined, (data) => {
      for (let y = 160; y < 320; y++) data.fill(255, (y * 640 + 260) * 3, (y * 640 + 380) * 3);
    });
    const [face = 0, around = 0] = models.map(
      ({ lastInput }) => lastInput.filter((value) => value > 127).length / lastInput.length,
    );
    // The liveness box is 1.123 times as wide and 0.966 times as high as the mesh's; the frame has room for 3.1 boxes
    // vertically.
    expect(face).toBeCloseTo(1 / (1.123 * 0.966 * 2.7 ** 2), 1);
    expect(around).toBeCloseTo(1 / (1.123 * 0.966 * 3.1 ** 2), 1);
    expect(face).toBeGreaterThan(around);
  });

  it('is given to a face as large as a tablet at arm’s length or a phone at 35 cm shows it', async () => {
    // Context scales of 1.31 and 1.98.
    for (const width of [284, 188]) expect(await scoreOf(await opened(), scorableFace({}, width))).not.toBeNull();
  });

  it.each<[string, FaceAnalysis]>([
    ['fills too much of the frame', scorableFace({}, 287)],
    ['is too small', scorableFace({ interEyePx: scorable.interEyePx - 1 })],
    ['is too dark', scorableFace({ brightness: 0.01 })],
    ['is burnt out', scorableFace({ overexposed: 0.9 })],
    ['is blurred', scorableFace({ sharpness: 0.01 })],
    ['cannot be measured', scorableFace({ sharpness: Number.NaN })],
  ])('is not given to a face that %s', async (_, face) => {
    const models = saying(outputs);
    const liveness = await opened(models);
    const before = models.map(({ runs }) => runs);
    expect(await scoreOf(liveness, face)).toBeNull();
    expect(models.map(({ runs }) => runs)).toEqual(before);
  });

  it('comes with evidence, unless the calibration has none', async () => {
    const passiveLiveness = { ...minifasnetCalibration, evidence: null };
    const old = await opened(saying(outputs), bundleOf(networkNames, { passiveLiveness }));
    expect(await scoreOf(await opened())).toMatchObject({ evidence: expect.any(Number) });
    expect(await scoreOf(old)).toMatchObject({ evidence: null });
  });

  it('keeps to the limits of the bundle’s calibration', async () => {
    const passiveLiveness = { ...minifasnetCalibration, scorable: { ...scorable, brightness: 0.6 } };
    const liveness = await opened(saying(outputs), bundleOf(networkNames, { passiveLiveness }));
    expect(await scoreOf(liveness, scorableFace({ brightness: 0.5 }))).toBeNull();
    expect(await scoreOf(liveness, scorableFace({ brightness: 0.7 }))).not.toBeNull();
  });

  it.each([0, 1])('is refused rather than not a number: network %d', async (broken) => {
    const models = saying(outputs.map((output, i) => (i === broken ? output.map(() => Number.NaN) : output)));
    await expect(scoreOf(await opened(models))).rejects.toMatchObject({ code: 'runtime-failed' });
  });
});

describe('the shipped evidence', () => {
  const fit = minifasnetCalibration.evidence ?? expect.unreachable();
  const shares = [0, 0.01, 0.1, 0.5, 0.9, 0.99, 1];
  const answer = (live: number): Probabilities => [(1 - live) / 2, live, (1 - live) / 2];
  const evidence = (v2: number, v1se: number, room: number) =>
    evidenceOf({ v2: answer(v2), v1se: answer(v1se), room }, fit);

  it.each([1.3, 1.5, 2, 2.5, 3, 8])('rises with each network’s answer at a room of %d', (room) => {
    for (const other of shares) {
      for (const of of [(p: number) => evidence(p, other, room), (p: number) => evidence(other, p, room)]) {
        const found = shares.map(of);
        expect(found.every((value, i) => value > (found[i - 1] ?? 0) && value < 1)).toBe(true);
      }
    }
  });

  it('is surely live where both networks are sure and see their surroundings, and surely an attack at neither', () => {
    expect(evidence(0.99, 0.99, 3)).toBeGreaterThan(fit.surelyLive);
    for (const room of [1.3, 2, 3]) expect(evidence(0.02, 0.02, room)).toBeLessThan(fit.surelyAttack);
    for (const p of shares) expect(evidence(p, 0.05, 2)).toBeLessThan(fit.surelyLive);
    expect(fit.surelyLive).toBeGreaterThan(0.5);
    expect(fit.surelyAttack).toBeGreaterThan(0);
  });
});

describe('the passive check of a bundle', () => {
  const whole = bundleOf(networkNames);
  const half = bundleOf(['minifasnet-v2']);
  const openIn = (bundle: ModelBundle, model?: PassiveModelName | null) =>
    openPassiveLiveness({ runtime: new FakeRuntime(saying(outputs)), bundle }, model);

  it('is there if all its networks are, and null where none is wanted', async () => {
    expect((await openIn(whole))?.name).toBe('minifasnet');
    expect(await openIn(half)).toBeNull();
    expect(await openIn(whole, null)).toBeNull();
  });

  it('is required where it is named', async () => {
    expect((await openIn(whole, 'minifasnet'))?.name).toBe('minifasnet');
    await expect(openIn(half, 'minifasnet')).rejects.toMatchObject({ code: 'model-missing' });
  });

  it('is refused by an unknown name', async () => {
    const opening = openIn(whole, 'toString' as PassiveModelName);
    await expect(opening).rejects.toMatchObject({ code: 'configuration-invalid' });
  });

  it('is refused without its calibration', async () => {
    const { passiveLiveness: _, ...manifest } = whole.manifest;
    await expect(openIn({ ...whole, manifest })).rejects.toMatchObject({ code: 'model-mismatch' });
  });

  it('frees both networks when it is disposed, and the first when the second does not open', async () => {
    const models = saying(outputs);
    (await opened(models)).dispose();
    expect(models.map(({ disposed }) => disposed)).toEqual([true, true]);
    const [first = expect.unreachable()] = saying(outputs);
    await expect(opened([first])).rejects.toThrow('no fake model left');
    expect(first.disposed).toBe(true);
  });
});

/** Face sides, forehead and chin, rotated in the image plane. */
function outline(width: number, height: number, rollDeg = 0) {
  const landmarks = new Float32Array(landmarkCount * 3);
  const [c, s] = [Math.cos((rollDeg * Math.PI) / 180), Math.sin((rollDeg * Math.PI) / 180)];
  for (const [index, x, y] of [
    [234, -width / 2, 3],
    [454, width / 2, 3],
    [10, 0, -height / 2],
    [152, 0, height / 2],
  ] as const) {
    landmarks.set([300 + c * x - s * y, 200 + s * x + c * y], 3 * index);
  }
  return landmarks;
}

describe('faceAspect', () => {
  it('is width over height, at any size and however the camera is held', () => {
    expect(faceAspect(outline(80, 100))).toBeCloseTo(0.8);
    expect(faceAspect(outline(160, 200, 35))).toBeCloseTo(0.8);
    expect(faceAspect(outline(56, 100, -90))).toBeCloseTo(0.56);
  });

  it('is no number where there is nothing', () => {
    expect(faceAspect(new Float32Array(landmarkCount * 3))).toBeNaN();
  });
});

describe('livenessCrop', () => {
  const frame = { width: 640, height: 480 };

  it.each([
    ['grows the box by the scale, ends included', [300, 220, 40, 40], 2.7, [266, 186, 109, 109]],
    ['grows no further than the frame allows, both ways alike', [200, 100, 160, 200], 4, [88, 0, 384, 480]],
    ['is shifted to stay inside, never cut', [0, 0, 100, 100], 2.7, [0, 0, 271, 271]],
    ['is shifted at the other end as well', [590, 430, 50, 50], 4, [439, 279, 201, 201]],
  ] as const)('%s', (_what, [x, y, width, height], scale, expected) => {
    const box = { x, y, width, height };
    expect(Object.values(livenessCrop(frame, box, scale))).toEqual(expected);
    expect(contextScale(frame, box)).toBeCloseTo(Math.min(639 / width, 479 / height));
  });
});
