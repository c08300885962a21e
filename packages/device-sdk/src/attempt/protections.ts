import type { PassiveLiveness } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
import type { Protections } from '../result.ts';

/**
 * What stands between the camera and an outcome: the same words in every result, in the status, and wherever an attempt
 * is replayed.
 */
export function protectionsOf(
  passiveLiveness: PassiveLiveness | null,
  light: Protections['light'],
  active: Protections['active'] = 'head-turn',
): Protections {
  return {
    passive: passiveLiveness?.name ?? 'absent-staff-in-view',
    passiveCalibration: passiveLiveness?.calibration.id ?? null,
    active,
    light,
  };
}

/**
 * Of an attempt with a lit screen: how the last sequence ended. A face that was not held to it, or showed no trace of
 * it, gave no answer.
 */
export function lightProtection(verdict: LightVerdict | null): Protections['light'] {
  if (verdict === null) return 'when-possible';
  return verdict.outcome === 'abstained' && verdict.reason !== 'too-bright' ? 'not-answered' : verdict.outcome;
}
