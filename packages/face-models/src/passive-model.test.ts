import { describe, expect, it } from 'vitest';
import {
  minifasnetCalibration as good,
  isPassiveCalibration,
  manifestOfPassiveModel,
  passiveModelIn,
} from './passive-model.ts';
import { entryFor, manifestOf } from './testing/entry.ts';
import type { ModelManifest, ModelName } from './types.ts';

const bundleOf = (...names: readonly ModelName[]): ModelManifest => ({
  ...manifestOf(...names.map((name) => entryFor(name, Uint8Array.of(1)))),
  passiveLiveness: good,
});
const whole = bundleOf('face-mesh', 'minifasnet-v2', 'minifasnet-v1se');
const half = bundleOf('face-mesh', 'minifasnet-v2');

describe('the passive model of a bundle', () => {
  it('is there if all its networks are', () => {
    expect([whole, half, bundleOf('face-mesh')].map(passiveModelIn)).toEqual(['minifasnet', null, null]);
  });

  it('is in a manifest made for it, and required', () => {
    expect(manifestOfPassiveModel(whole, 'minifasnet')).toEqual(whole);
    const missing = expect.objectContaining({ code: 'model-missing' });
    expect(() => manifestOfPassiveModel(half, 'minifasnet')).toThrow(missing);
  });

  it('leaves nothing in a manifest without it', () => {
    for (const manifest of [whole, half]) {
      expect(manifestOfPassiveModel(manifest, null)).toEqual(manifestOf(entryFor('face-mesh', Uint8Array.of(1))));
    }
  });
});

describe('a calibration', () => {
  it('may say that photos were never measured', () =>
    expect(isPassiveCalibration({ ...good, photoAtLeast: null })).toBe(true));

  it('may keep away from the edge of what was measured', () =>
    expect(isPassiveCalibration({ ...good, scorable: { ...good.scorable, contextScale: 2 } })).toBe(true));

  it('is what the add-on ships', () => expect(isPassiveCalibration(good)).toBe(true));

  const withPoints = (...points: readonly (readonly number[])[]) => ({ ...good, points });

  it.each([
    ['of a model that nobody knows', { ...good, model: 'another' }],
    ['nothing of photos', { ...good, photoAtLeast: undefined }],
    ['a photo above one', { ...good, photoAtLeast: 1.1 }],
    ['one point', withPoints([0, 0])],
    ['points that turn back', withPoints([0, 0], [0.6, 0.9], [0.5, 1])],
    ['scores that fall', withPoints([0, 0.9], [1, 0.8])],
    ['a score above one', withPoints([0, 0], [1, 1.1])],
    ['a band below nought', { ...good, attackFrameAtMost: -0.1 }],
    ['limits without one', { ...good, scorable: { ...good.scorable, sharpness: undefined } }],
    ['a room less than the face', { ...good, room: { ...good.room, from: 0.9 } }],
    ['a comfort below what was measured', { ...good, room: { from: 1.3, comfortableFrom: 1.2 } }],
    ['limits that reach beyond what was measured', { ...good, scorable: { ...good.scorable, contextScale: 1.2 } }],
  ])('is not %s', (_, value) => expect(isPassiveCalibration(value)).toBe(false));
});
