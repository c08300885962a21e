import type { TurnDirection } from '@svc/device-sdk';

/**
 * From here on the direction of a turn is the one told last: an attempt draws it as a single random byte. So that the same attempts are timed each time;
 * everything longer stays random.
 */
export function chooseDirections(): (direction: TurnDirection) => void {
  const draw = crypto.getRandomValues.bind(crypto);
  let byte = 0;
  crypto.getRandomValues = (array) => {
    if (!(array instanceof Uint8Array) || array.length !== 1) return draw(array);
    array[0] = byte;
    return array;
  };
  return (direction) => {
    byte = direction === 'left' ? 0 : 1;
  };
}
