import type { RegionSettings } from '@svc/device-sdk';

/** What makes this browser a device of one list. */
export interface Pairing {
  /** `svcd_…` */
  readonly deviceToken: string;
  /** Address and signing keys of the deployment that the token belongs to. */
  readonly region: RegionSettings;
  /** The operator said that staff watch every attempt, since this kiosk has no passive check. */
  readonly staffInView: boolean;
}
