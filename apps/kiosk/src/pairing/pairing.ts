import type { RegionSettings } from '@svc/device-sdk';

/** What makes this browser a device of one list. */
export interface Pairing {
  /** `svcd_…` */
  readonly deviceToken: string;
  /**
   * Address and signing keys of the deployment that the token belongs to, as they were when the kiosk was paired: from there on the device follows
   * the keys by what it is told under them, whatever the page says.
   */
  readonly region: RegionSettings;
  /** The operator said that staff watch every attempt, since this kiosk has no passive check. */
  readonly staffInView: boolean;
}
