import { describe, expect, it } from 'vitest';
import { constraintsOf, nextChoices } from './camera-choice.ts';

const cameras = ['a', 'b', 'c'].map((deviceId) => ({ deviceId, label: '' }));

describe('the next camera', () => {
  it('is the other side if the running camera reports its side, otherwise the next in turn', () => {
    expect(nextChoices({ facingMode: 'user', deviceId: 'a' }, cameras)).toEqual([
      { facing: 'environment' },
      { deviceId: 'b' },
      { deviceId: 'c' },
    ]);
    expect(nextChoices({ facingMode: 'environment', deviceId: 'c' }, cameras)[0]).toEqual({ facing: 'user' });
    expect(nextChoices({ deviceId: 'b' }, cameras)).toEqual([{ deviceId: 'c' }, { deviceId: 'a' }]);
  });

  it('is any camera if the former one is gone, and none if there is no other', () => {
    expect(nextChoices({ deviceId: 'gone' }, cameras).map((choice) => 'deviceId' in choice && choice.deviceId)).toEqual(
      ['a', 'b', 'c'],
    );
    expect(nextChoices({ deviceId: 'a' }, cameras.slice(0, 1))).toEqual([]);
  });
});

describe('the constraints for the browser', () => {
  it('are exact only for a camera that the guest asked for', () => {
    expect(constraintsOf({ facing: 'user' }, false)).toMatchObject({ facingMode: 'user' });
    expect(constraintsOf({ facing: 'environment' }, true)).toMatchObject({ facingMode: { exact: 'environment' } });
    expect(constraintsOf({ deviceId: 'b' }, false)).toMatchObject({ deviceId: { exact: 'b' } });
  });
});
