import { describe, expect, it } from 'vitest';
import { engineOf, engineRecipes } from './engine-spec.ts';
import { manifestOfModels, parseManifest } from './manifest.ts';
import { minifasnetCalibration } from './passive-model.ts';
import { entryFor, manifestOf } from './testing/entry.ts';

const names = ['face-detection-short', 'face-mesh', 'face-embedding'] as const;
const whole = { ...manifestOf(...names.map((name) => entryFor(name, Uint8Array.of(1)))), engines: engineRecipes };

it('has the models that were named, no other and no recipe', () => {
  const part = manifestOfModels(whole, ['face-mesh', 'face-detection-short']);
  expect(Object.keys(part.models)).toEqual(['face-mesh', 'face-detection-short']);
  expect(() => engineOf(part)).toThrow(expect.objectContaining({ code: 'model-missing' }));
  expect(parseManifest(JSON.stringify(part))).toEqual(part);
});

it('throws model-missing for a model that is not in the bundle', () => {
  const missing = expect.objectContaining({ code: 'model-missing' });
  expect(() => manifestOfModels(whole, ['face-mesh', 'minifasnet-v2'])).toThrow(missing);
});

const entry = entryFor('face-mesh', Uint8Array.of(1));
const good = manifestOf(entry);
const withEntry = (change: object): string =>
  JSON.stringify({ ...good, models: { 'face-mesh': { ...entry, ...change } } });
const withGolden = (positions: readonly number[]): string => {
  const outputs = [{ index: 0, length: 1, positions, values: [1] }];
  return withEntry({ golden: { inputSeed: 1, faceHeight: 0.5, tolerance: 0, outputs } });
};

const withEvidence = (change: object): string => {
  const evidence = { ...minifasnetCalibration.evidence, ...change };
  return JSON.stringify({ ...good, passiveLiveness: { ...minifasnetCalibration, evidence } });
};

const [recipe] = engineRecipes;
const withEngine = (change: object | null): string =>
  JSON.stringify({ ...good, engines: [change === null ? null : { ...recipe, ...change }] });
const withFormer = (change: object): string => withEngine({ former: [{ ...recipe.former[0], ...change }] });

describe('parseManifest', () => {
  it('reads a manifest', () => {
    expect(parseManifest(JSON.stringify(good))).toEqual(good);
    expect(parseManifest(JSON.stringify(manifestOf())).models).toEqual({});
    expect(parseManifest(JSON.stringify({ ...good, engines: engineRecipes })).engines).toEqual(engineRecipes);
    // Of floats, as 0.2 and earlier wrote.
    expect(parseManifest(withGolden([0])).models['face-mesh']?.golden).toHaveProperty('outputs');
    const calibrated = { ...good, passiveLiveness: minifasnetCalibration };
    expect(parseManifest(JSON.stringify(calibrated))).toEqual(calibrated);
  });

  it('reads the manifest of an add-on that the first edition installed, which named an engine', () => {
    const old = { ...good, engine: { engineId: 'dlib-resnet-128-mirror/1', dimension: 128, matchThreshold: 0.946 } };
    expect(parseManifest(JSON.stringify(old)).models).toEqual(good.models);
  });

  it('reads the list of one calibration that 0.2 wrote', () => {
    const old = { ...good, passiveLiveness: [minifasnetCalibration] };
    expect(parseManifest(JSON.stringify(old)).passiveLiveness).toEqual(minifasnetCalibration);
    expect(parseManifest(JSON.stringify({ ...good, passiveLiveness: [] }))).toEqual(good);
  });

  it('reads a calibration without evidence, as 0.2 wrote it, for devices that staff watch', () => {
    const { evidence: _, ...older } = { ...minifasnetCalibration, id: 'minifasnet-fused/3' };
    const read = parseManifest(JSON.stringify({ ...good, passiveLiveness: older })).passiveLiveness;
    expect(read).toEqual({ ...older, evidence: null });
  });

  it('drops a calibration without a number of later versions, so its model must be installed again', () => {
    const { photoAtLeast: _photo, ...older } = minifasnetCalibration;
    const { room: _room, evidence: _evidence, ...oldest } = older;
    for (const passiveLiveness of [older, [older], oldest, [oldest]]) {
      expect(parseManifest(JSON.stringify({ ...good, passiveLiveness }))).toEqual(good);
    }
  });

  it.each([
    ['no JSON', '{'],
    ['another format', JSON.stringify({ ...good, format: 2 })],
    ['a modelId of another shape', withEngine({ modelId: 'mdl_1' })],
    ['a dimension of nothing', withEngine({ dimension: 0 })],
    ['an engine of no known model', withEngine({ model: 'another' })],
    ['a threshold that takes anybody', withEngine({ matchThreshold: 0 })],
    ['a threshold that nothing reaches', withEngine({ matchThreshold: 1.1 })],
    ['an engine without the margin of turned faces', withEngine({ turnedMargin: undefined })],
    ['a margin as wide as the threshold', withEngine({ turnedMargin: recipe.matchThreshold })],
    ['a margin below nought', withEngine({ turnedMargin: -0.1 })],
    [
      'an infinite limit',
      withEngine({ enrolmentLimits: { ...recipe.enrolmentLimits, yawDeg: 0 } }).replace('"yawDeg":0', '"yawDeg":1e999'),
    ],
    ...Object.keys(recipe.enrolmentLimits).map((name): [string, string] => [
      `an engine without the limit ${name}`,
      withEngine({ enrolmentLimits: { ...recipe.enrolmentLimits, [name]: undefined } }),
    ]),
    ['an engine without its former versions', withEngine({ former: undefined })],
    ['a former version without a threshold', withFormer({ matchThreshold: undefined })],
    ['a former version that anybody matches', withFormer({ matchThreshold: 0 })],
    ['a former version of the engine’s name', withFormer({ engineId: recipe.engineId })],
    ['a former version of the engine’s model', withFormer({ modelId: recipe.modelId })],
    ['two engines of one name', JSON.stringify({ ...good, engines: [recipe, recipe] })],
    ['an unknown alignment', withEngine({ alignment: { kind: 'box' } })],
    ['four points', withEngine({ alignment: { ...recipe.alignment, points: recipe.alignment.points.slice(1) } })],
    ['an unknown model', JSON.stringify({ ...good, models: { other: { ...entry, name: 'other' } } })],
    ['a model under another name', JSON.stringify({ ...good, models: { 'face-embedding': entry } })],
    ['a path as file', withEntry({ file: '../face-mesh.tflite' })],
    ['a short hash', withEntry({ sha256: 'abc' })],
    ['a negative size', withEntry({ bytes: -1 })],
    ['a calibration that falls', JSON.stringify({ ...good, passiveLiveness: { id: 'x/1', points: [[1, 0]] } })],
    ['evidence of half the numbers', withEvidence({ weights: { v2: 1 } })],
    ['evidence that is both', withEvidence({ surelyAttack: 0.9, surelyLive: 0.9 })],
    ['two calibrations', JSON.stringify({ ...good, passiveLiveness: [minifasnetCalibration, minifasnetCalibration] })],
    ['an input of bytes', withEntry({ inputs: [{ name: 'x', shape: [1], type: 'uint8' }] })],
    ['golden values without positions', withGolden([])],
    ['a short golden digest', withEntry({ golden: { ...entry.golden, sha256: 'abc' } })],
  ])('refuses %s', (_, json) => {
    expect(() => parseManifest(json)).toThrow(expect.objectContaining({ code: 'model-mismatch' }));
  });
});
