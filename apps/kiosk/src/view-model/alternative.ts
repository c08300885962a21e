import type { DeviceStatus } from '@svc/device-sdk';

/** What people who can't turn their head do at this kiosk instead. Without a passive check there is nothing. */
export function alternativeOf(status: DeviceStatus | null): DeviceStatus['headTurnAlternative'] {
  if (status === null || status.protections.passive === 'absent-staff-in-view') return 'none';
  return status.headTurnAlternative;
}
