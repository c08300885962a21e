import { describe, expect, it } from 'vitest';
import { minifasnetCalibration as good, isPassiveCalibration } from './passive-calibration.ts';

describe('a calibration', () => {
  const ofTwo = { ...good, model: 'presence-minifasnet', weight: 0.5 };

  it('of two models weighs them', () => expect(isPassiveCalibration(ofTwo)).toBe(true));

  it('may say that photos were never measured', () =>
    expect(isPassiveCalibration({ ...good, photoAtLeast: null })).toBe(true));

  it('may keep away from the edge of what was measured', () =>
    expect(isPassiveCalibration({ ...good, scorable: { ...good.scorable, contextScale: 2 } })).toBe(true));

  it('is what the add-on ships', () => expect(isPassiveCalibration(JSON.parse(JSON.stringify(good)))).toBe(true));

  it.each([
    ['nothing', null],
    ['no name', { ...good, id: undefined }],
    ['no model', { ...good, model: 1 }],
    ['of a model that nobody knows', { ...good, model: 'another' }],
    ['of two models without a weight', { ...ofTwo, weight: undefined }],
    ['a weight above one', { ...ofTwo, weight: 1.1 }],
    ['a weight that is no number', { ...ofTwo, weight: '1' }],
    ['nothing of photos', { ...good, photoAtLeast: undefined }],
    ['a photo above one', { ...good, photoAtLeast: 1.1 }],
    ['one point', { ...good, points: [[0, 0]] }],
    ['no points', { ...good, points: {} }],
    [
      'a point of three',
      {
        ...good,
        points: [
          [0, 0, 0],
          [1, 1],
        ],
      },
    ],
    [
      'points that stand still',
      {
        ...good,
        points: [
          [0, 0],
          [0, 1],
        ],
      },
    ],
    [
      'points that turn back',
      {
        ...good,
        points: [
          [0, 0],
          [0.6, 0.9],
          [0.5, 1],
        ],
      },
    ],
    [
      'scores that fall',
      {
        ...good,
        points: [
          [0, 0.9],
          [1, 0.8],
        ],
      },
    ],
    [
      'a score above one',
      {
        ...good,
        points: [
          [0, 0],
          [1, 1.1],
        ],
      },
    ],
    ['a band that is no number', { ...good, attackFrameAtMost: Number.NaN }],
    ['a band below nought', { ...good, attackFrameAtMost: -0.1 }],
    ['no limits', { ...good, scorable: undefined }],
    ['limits without one', { ...good, scorable: { ...good.scorable, sharpness: undefined } }],
    ['no room', { ...good, room: undefined }],
    ['a room that is a number', { ...good, room: 1.3 }],
    ['a room less than the face', { ...good, room: { ...good.room, from: 0.9 } }],
    ['a comfort below what was measured', { ...good, room: { from: 1.3, comfortableFrom: 1.2 } }],
    ['limits that reach beyond what was measured', { ...good, scorable: { ...good.scorable, contextScale: 1.2 } }],
    ['limits without context', { ...good, scorable: { ...good.scorable, contextScale: '2' } }],
  ])('is not %s', (_, value) => expect(isPassiveCalibration(value)).toBe(false));
});
