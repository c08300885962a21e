/** The numbers of a recipe out of what was measured (docs/cli.md). */

/** Up, at the third decimal; what lies there already, but for the last bits of arithmetic, stays. */
export const upAtThirdDecimal = (value: number): number => Math.ceil(value * 1000 - 1e-6) / 1000;

/** The greater of the thresholds for the target rate on half of the portraits and on all. */
export const thresholdRule = (onOdd: number, onAll: number): number => upAtThirdDecimal(Math.max(onOdd, onAll));

/** The share of genuine comparisons of a turned face that must match. */
export const turnedShare = 0.99;

/**
 * The smallest margin below the threshold at which that share matches, but at least 0.
 * @param genuine cosines of turned faces to their own frontal references
 * @throws RangeError without any
 */
export function turnedMarginRule(genuine: readonly number[], threshold: number): number {
  const sorted = [...genuine].sort((a, b) => a - b);
  // 1e-9 mends products that come out just below the whole number.
  const needed = sorted[Math.floor((1 - turnedShare) * sorted.length + 1e-9)];
  if (needed === undefined) throw new RangeError('there are no comparisons');
  return Math.max(0, upAtThirdDecimal(threshold - needed));
}
