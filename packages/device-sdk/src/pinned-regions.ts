/** Named regions. */
export type RegionName = 'EU' | 'US';

/** Address and signing keys of a deployment. */
export interface RegionSettings {
  /** An https URL. */
  readonly baseUrl: string;
  /** Raw Ed25519 public keys, base64url without padding: the current one and the next. */
  readonly signingKeys: readonly string[];
}

/** Defined by the bundler of a release from the file in SVC_PINNED_REGIONS; undefined in sources and plain builds. */
declare const __SVC_PINNED_REGIONS__: Readonly<Partial<Record<RegionName, RegionSettings>>> | undefined;

/**
 * Trusted keys of the named regions. They are constants of a build, not settings: changing them at run time would allow
 * forged packs. A build without them rejects the names; a deployment's own address and keys always work.
 */
export const pinnedRegions: Readonly<Partial<Record<RegionName, RegionSettings>>> =
  typeof __SVC_PINNED_REGIONS__ === 'undefined' ? {} : __SVC_PINNED_REGIONS__;
