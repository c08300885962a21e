import type { PassiveLiveness } from '@svc/face-engine';
import type { Protections } from '../result.ts';

/** What stands between the camera and an outcome: the same words in every result, in the status, and wherever an attempt is replayed. */
export function protectionsOf(passiveLiveness: PassiveLiveness | null): Protections {
  return {
    passive: passiveLiveness === null ? 'absent-staff-in-view' : 'minifasnet',
    passiveCalibration: passiveLiveness?.calibration.id ?? null,
    active: 'head-turn',
  };
}
