import { describe, expect, it } from 'vitest';
import { defaultEngine, engineOf, engineRecipes, manifestOfEngine, specOf } from './engine-spec.ts';
import { entryFor, manifestOf } from './testing/entry.ts';

const manifest = { ...manifestOf(), engines: engineRecipes };

describe('engineRecipes', () => {
  it.each(engineRecipes)('$engineId makes unit vectors of its length, and no other has its name', (recipe) => {
    const { parts, dimension, engineId } = recipe;
    expect(parts.reduce((sum, part) => sum + part.dimension, 0)).toBe(dimension);
    expect(parts.reduce((sum, part) => sum + part.weight, 0)).toBeCloseTo(1, 12);
    expect(engineRecipes.filter((other) => other.engineId === engineId)).toEqual([recipe]);
  });
});

describe('engineOf', () => {
  it('finds an engine by its name, and the default one without', () => {
    for (const recipe of engineRecipes) expect(engineOf(manifest, recipe.engineId)).toBe(recipe);
    expect(engineOf(manifest)).toEqual(defaultEngine);
    expect(manifest.engine).toEqual(specOf(defaultEngine));
  });

  it('knows no other engine, and none where the manifest has no recipes', () => {
    const missing = expect.objectContaining({ code: 'model-missing' });
    expect(() => engineOf(manifest, 'another/1')).toThrow(missing);
    expect(() => engineOf(manifestOf())).toThrow(missing);
  });
});

describe('manifestOfEngine', () => {
  const names = ['face-mesh', 'face-embedding', 'face-embedding-faceres', 'minifasnet-v2'] as const;
  const whole = { ...manifestOf(...names.map((name) => entryFor(name, Uint8Array.of(1)))), engines: engineRecipes };

  it('leaves out the embeddings of other engines and nothing else', () => {
    const [first, second] = engineRecipes;
    const alone = manifestOfEngine(whole, first.engineId);
    expect([alone.engine, alone.engines]).toEqual([specOf(first), [first]]);
    expect(Object.keys(alone.models)).toEqual(['face-mesh', 'face-embedding', 'minifasnet-v2']);
    const both = manifestOfEngine(whole, second.engineId);
    expect([both.engine, both.engines]).toEqual([specOf(second), [second]]);
    expect(both.models).toEqual(whole.models);
    expect(manifestOfEngine(whole)).toEqual(manifestOfEngine(whole, defaultEngine.engineId));
  });

  it('knows no other engine', () => {
    expect(() => manifestOfEngine(whole, 'another/1')).toThrow(expect.objectContaining({ code: 'model-missing' }));
  });
});
