/** @throws RangeError beyond the end, which means that two weights don't belong together */
export function at(values: ArrayLike<number>, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError('weights of unequal length');
  return value;
}
