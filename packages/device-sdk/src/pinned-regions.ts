/** Regions that have a name. */
export type RegionName = 'EU' | 'US';

export interface RegionSettings {
  /** https. */
  readonly baseUrl: string;
  /** Raw Ed25519 public keys, base64url without padding: the current one and the next. */
  readonly signingKeys: readonly string[];
}

/**
 * Put in by the bundler of a release, which reads the file that SVC_PINNED_REGIONS names; not there in sources and
 * plain builds.
 */
declare const __SVC_PINNED_REGIONS__: Readonly<Partial<Record<RegionName, RegionSettings>>> | undefined;

/**
 * The keys that a release trusts for the named regions. They are constants of a build and nothing that a program could
 * set: whoever could change them at run time could sign packs. A build without them refuses the names; a deployment's
 * own address and keys always work.
 */
export const pinnedRegions: Readonly<Partial<Record<RegionName, RegionSettings>>> =
  typeof __SVC_PINNED_REGIONS__ === 'undefined' ? {} : __SVC_PINNED_REGIONS__;
