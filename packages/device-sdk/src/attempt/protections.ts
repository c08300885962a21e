import type { PassiveLiveness } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
import type { Protections } from '../result.ts';

/** Protections of an attempt, identical in results, in the status and in replays. */
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
 * State of the light protection after the last sequence. A face that was not held still, or showed no trace, gave no
 * answer.
 */
export function lightProtection(verdict: LightVerdict | null): Protections['light'] {
  if (verdict === null) return 'when-possible';
  return verdict.outcome === 'abstained' && verdict.reason !== 'too-bright' ? 'not-answered' : verdict.outcome;
}
