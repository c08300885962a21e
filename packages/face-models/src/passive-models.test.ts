import { describe, expect, it } from 'vitest';
import { parseManifest } from './manifest.ts';
import { minifasnetCalibration, type PassiveCalibration } from './passive-calibration.ts';
import {
  defaultPassiveModel,
  manifestOfPassiveModel,
  type PassiveModelName,
  passiveModelNames,
  passiveModelsIn,
  passiveNetworks,
} from './passive-models.ts';
import { entryFor, manifestOf } from './testing/entry.ts';
import type { ModelManifest, ModelName } from './types.ts';

const passiveLiveness = passiveModelNames.map((model): PassiveCalibration => {
  const reading = { ...minifasnetCalibration, id: `${model}/1` };
  return model === 'presence-minifasnet' ? { ...reading, model, weight: 0.5 } : { ...reading, model };
});
const bundleOf = (names: readonly ModelName[], passiveDefaults?: readonly PassiveModelName[]): ModelManifest => ({
  ...manifestOf(...['face-mesh' as const, ...names].map((name) => entryFor(name, Uint8Array.of(1)))),
  passiveLiveness,
  ...(passiveDefaults === undefined ? {} : { passiveDefaults }),
});
const { presence, minifasnet, 'presence-minifasnet': both } = passiveNetworks;

describe('the passive models of a bundle', () => {
  it('are those whose networks are all there', () => {
    expect(passiveModelsIn(bundleOf([]))).toEqual([]);
    expect(passiveModelsIn(bundleOf(presence))).toEqual(['presence']);
    expect(passiveModelsIn(bundleOf(['passive-context', ...minifasnet]))).toEqual(['minifasnet']);
    expect(passiveModelsIn(bundleOf(both))).toEqual(passiveModelNames);
  });

  it('serve in the order of the defaults, and none does where there are no defaults', () => {
    expect(defaultPassiveModel(bundleOf(both, ['presence-minifasnet', 'presence']))).toBe('presence-minifasnet');
    expect(defaultPassiveModel(bundleOf(presence, ['presence-minifasnet', 'presence']))).toBe('presence');
    expect(defaultPassiveModel(bundleOf(presence, ['minifasnet']))).toBeNull();
    expect(defaultPassiveModel(bundleOf(both))).toBeNull();
  });
});

describe('the manifest of one passive model', () => {
  const whole = bundleOf(both, ['presence-minifasnet', 'presence']);

  it.each(passiveModelNames)('has the networks and the calibration of %s alone, which is the default', (name) => {
    const part = manifestOfPassiveModel(whole, name);
    expect(Object.keys(part.models)).toEqual(['face-mesh', ...passiveNetworks[name]]);
    expect(part.passiveLiveness).toEqual(passiveLiveness.filter(({ model }) => model === name));
    expect(defaultPassiveModel(part)).toBe(name);
    expect(parseManifest(JSON.stringify(part))).toEqual(part);
  });

  it('has nothing of them where none is wanted', () => {
    const part = manifestOfPassiveModel(whole, null);
    expect([Object.keys(part.models), part.passiveLiveness, defaultPassiveModel(part)]).toEqual([
      ['face-mesh'],
      [],
      null,
    ]);
  });

  it('is absent if a network is missing', () => {
    const missing = expect.objectContaining({ code: 'model-missing' });
    expect(() => manifestOfPassiveModel(bundleOf(presence), 'presence-minifasnet')).toThrow(missing);
  });
});
