import { expect, it } from 'vitest';
import { engineOf, engineRecipes } from './engine-spec.ts';
import { parseManifest } from './manifest.ts';
import { manifestOfModels } from './manifest-of-models.ts';
import { entryFor, manifestOf } from './testing/entry.ts';

const names = ['face-detection-short', 'face-mesh', 'face-embedding'] as const;
const whole = { ...manifestOf(...names.map((name) => entryFor(name, Uint8Array.of(1)))), engines: engineRecipes };

it('has the models that were named, no other and no recipe', () => {
  const part = manifestOfModels(whole, ['face-mesh', 'face-detection-short']);
  expect(Object.keys(part.models)).toEqual(['face-mesh', 'face-detection-short']);
  expect(() => engineOf(part)).toThrow(expect.objectContaining({ code: 'model-missing' }));
  expect(parseManifest(JSON.stringify(part))).toEqual(part);
});

it('is none where a model is missing', () => {
  const missing = expect.objectContaining({ code: 'model-missing' });
  expect(() => manifestOfModels(whole, ['face-mesh', 'minifasnet-v2'])).toThrow(missing);
});
