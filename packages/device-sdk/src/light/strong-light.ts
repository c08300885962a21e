import type { LightEvidence } from './evidence.ts';
import type { StrongLightPolicy } from './policy.ts';

/** An attempt's light before a sequence. */
export interface EarlierLight {
  /** Number of sequences, including aborted ones and those with a moving face. */
  readonly sequences: number;
  /** Evidence of the first if it showed no trace in strong light, else null. */
  readonly faint: LightEvidence | null;
}

export const nothingEarlier: EarlierLight = { sequences: 0, faint: null };

/**
 * Whether the drawn order is visible enough to abstain in strong light. Each sequence's chance is exact whatever came
 * before, and the limit of the second depends on the chance of the first only (P. Bauer and K. Köhne, Evaluation of
 * experiments with adaptive interim analyses, Biometrics 1994). Dropping a sequence on purpose gains nothing, and a
 * third never counts.
 */
export function showsTrace(
  chance: number,
  { sequences, faint }: EarlierLight,
  { maxChance, again }: StrongLightPolicy,
): boolean {
  if (sequences === 0) return chance <= maxChance;
  if (sequences > 1) return false;
  return chance <= again.maxChance || (faint !== null && chance * faint.chance <= again.maxProduct);
}
