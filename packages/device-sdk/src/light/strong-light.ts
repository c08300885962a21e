import type { LightEvidence } from './evidence.ts';
import type { StrongLightPolicy } from './policy.ts';

/** What an attempt showed before a sequence. */
export interface EarlierLight {
  /** Sequences, those that were broken off or not held still for among them. */
  readonly sequences: number;
  /** Of the first where it showed no trace in strong light, else null. */
  readonly faint: LightEvidence | null;
}

export const nothingEarlier: EarlierLight = { sequences: 0, faint: null };

/**
 * Whether the drawn order is seen well enough to tell nothing in strong light. Each sequence's chance is exact whatever
 * came before, and what a second one's may be depends on the first one's alone (P. Bauer and K. Köhne, Evaluation of
 * experiments with adaptive interim analyses, Biometrics 1994). Who loses a sequence on purpose is given no more than
 * who has it judged, and a third is given nothing.
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
