/** Maximum deviation from the original over all results added. */
export class Deviation {
  comparisons = 0;
  absolute = 0;
  cosine = 1;

  add(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
    if (actual.length !== expected.length) throw new RangeError('results of unequal length');
    let [dot, left, right] = [0, 0, 0];
    for (let i = 0; i < actual.length; i++) {
      const [a = Number.NaN, b = Number.NaN] = [actual[i], expected[i]];
      dot += a * b;
      left += a * a;
      right += b * b;
      // Negated, so that a NaN counts as the worst.
      if (!(Math.abs(a - b) <= this.absolute)) this.absolute = Math.abs(a - b);
    }
    const cosine = dot / Math.sqrt(left * right);
    if (!(cosine >= this.cosine)) this.cosine = cosine;
    this.comparisons++;
  }

  report(what: string): void {
    console.log(
      `parity: ${what}: ${this.comparisons} comparisons, worst ${this.absolute.toExponential(1)}, cosine ≥ ${this.cosine.toFixed(9)}`,
    );
  }
}
