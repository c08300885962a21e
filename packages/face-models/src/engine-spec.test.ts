import { describe, expect, it } from 'vitest';
import { engineOf, engineRecipes, enginesIn, manifestOfEngines, strictestLimits, versionsOf } from './engine-spec.ts';
import { entryFor, manifestOf } from './testing/entry.ts';
import type { EngineRecipe, ModelManifest, ModelName } from './types.ts';

const [retail, dlib] = engineRecipes;
const engines: readonly EngineRecipe[] = [retail, dlib];
const missing = expect.objectContaining({ code: 'model-missing' });
const manifestWith = (...names: readonly ModelName[]): ModelManifest => ({
  ...manifestOf(...names.map((name) => entryFor(name, Uint8Array.of(1)))),
  engines,
});
const base = manifestWith('face-mesh', 'face-embedding', 'minifasnet-v2');
const whole = manifestWith('face-mesh', 'face-embedding', 'minifasnet-v2', 'face-reidentification-retail-0095');

describe('engineRecipes', () => {
  it.each(engineRecipes)('$engineId has names of its own', (recipe) => {
    expect(engineRecipes.filter((other) => other.model === recipe.model)).toEqual([recipe]);
    const all = engineRecipes.flatMap(versionsOf);
    for (const version of versionsOf(recipe)) {
      for (const name of ['engineId', 'modelId'] as const) {
        expect(all.filter((other) => other[name] === version[name])).toEqual([version]);
      }
      expect(version.modelId).toMatch(/^mdl_[0-9a-z]{26}$/);
    }
  });

  it('is the list of limits that no engine exceeds', () => {
    for (const { enrolmentLimits } of engineRecipes) {
      expect(strictestLimits.interEyePx).toBeGreaterThanOrEqual(enrolmentLimits.interEyePx);
      expect(strictestLimits.sharpness).toBeGreaterThanOrEqual(enrolmentLimits.sharpness);
      expect(strictestLimits.overexposed).toBeLessThanOrEqual(enrolmentLimits.overexposed);
      expect(strictestLimits.yawDeg).toBeLessThanOrEqual(enrolmentLimits.yawDeg);
    }
  });
});

describe('engineOf', () => {
  it('is the preferred engine whose network is there', () => {
    expect(engineOf(whole)).toBe(retail);
    expect(engineOf(base)).toBe(dlib);
    expect(enginesIn(whole)).toEqual([retail, dlib]);
    expect(enginesIn(base)).toEqual([dlib]);
  });

  it('finds an engine by its name, and by that of a former version', () => {
    for (const recipe of engines)
      for (const { engineId } of versionsOf(recipe)) expect(engineOf(whole, engineId)).toBe(recipe);
  });

  it('knows no other engine, none whose add-on is not installed, and none in a manifest without recipes', () => {
    expect(() => engineOf(whole, 'another/1')).toThrow(missing);
    for (const { engineId } of versionsOf(retail)) expect(() => engineOf(base, engineId)).toThrow(missing);
    expect(() => engineOf(manifestOf())).toThrow(missing);
    expect(() => engineOf(manifestWith('face-mesh'))).toThrow(missing);
  });
});

describe('manifestOfEngines', () => {
  it('leaves out other engines and their networks and nothing else', () => {
    const alone = manifestOfEngines(whole, [dlib.engineId]);
    expect(alone.engines).toEqual([dlib]);
    expect(Object.keys(alone.models)).toEqual(['face-mesh', 'face-embedding', 'minifasnet-v2']);
    const both = manifestOfEngines(whole, [dlib.engineId, retail.engineId]);
    expect(both.engines).toEqual(engines);
    expect(both.models).toEqual(whole.models);
    expect(manifestOfEngines(whole)).toEqual(manifestOfEngines(whole, [retail.engineId]));
    expect(manifestOfEngines(base)).toEqual(manifestOfEngines(base, [dlib.engineId]));
  });

  it('knows no other engine', () => {
    expect(() => manifestOfEngines(base, [retail.engineId])).toThrow(missing);
    expect(() => manifestOfEngines(whole, ['another/1'])).toThrow(missing);
  });
});
