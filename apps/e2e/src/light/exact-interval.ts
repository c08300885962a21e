/** Probability of at most `errors` in `trials` at a rate. */
function atMost(errors: number, trials: number, rate: number): number {
  if (rate <= 0) return 1;
  if (rate >= 1) return errors >= trials ? 1 : 0;
  let [term, sum] = [trials * Math.log1p(-rate), 0];
  for (let k = 0; k <= errors; k++) {
    sum += Math.exp(term);
    term += Math.log(((trials - k) / (k + 1)) * (rate / (1 - rate)));
  }
  return Math.min(1, sum);
}

function solve(above: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (above(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** Two-sided 95 % interval of a rate (Clopper and Pearson, Biometrika 26, 1934), found on the binomial distribution itself. */
export function exactInterval(errors: number, trials: number): readonly [number, number] {
  return [
    errors === 0 ? 0 : solve((rate) => 1 - atMost(errors - 1, trials, rate) > 0.025),
    errors === trials ? 1 : solve((rate) => atMost(errors, trials, rate) < 0.025),
  ];
}
