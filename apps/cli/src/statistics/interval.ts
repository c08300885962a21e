import { betaQuantile } from './beta.ts';

/** An observed share with its exact 95 % interval. */
export interface Rate {
  readonly errors: number;
  readonly trials: number;
  /** errors ÷ trials; null without trials. */
  readonly rate: number | null;
  /** Clopper–Pearson, two-sided, 95 %; null without trials. Assumes independent trials. */
  readonly interval95: readonly [number, number] | null;
}

/**
 * Exact interval of a binomial proportion (Clopper and Pearson, Biometrika 26, 1934), two-sided, 95 %.
 * @param errors 0..trials
 * @param trials at least 1
 */
export function clopperPearson95(errors: number, trials: number): [number, number] {
  const low = errors === 0 ? 0 : betaQuantile(0.025, errors, trials - errors + 1);
  const high = errors === trials ? 1 : betaQuantile(0.975, errors + 1, trials - errors);
  return [low, high];
}

export function rateOf(errors: number, trials: number): Rate {
  if (trials === 0) return { errors, trials, rate: null, interval95: null };
  return { errors, trials, rate: errors / trials, interval95: clopperPearson95(errors, trials) };
}
