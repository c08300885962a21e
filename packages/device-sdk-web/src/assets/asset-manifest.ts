import type { PassiveModelName } from '@svc/face-engine';

/** One file of the assets folder. */
export interface AssetFile {
  /** Below the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Headers that its response needs, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `assets.json` of the folder: what to cache for a start offline, and how to serve it. */
export interface AssetManifest {
  readonly format: 1;
  /** The engines whose templates the folder's worker makes and compares, the preferred one first. */
  readonly engineIds: readonly string[];
  /** The passive check whose models are among the files; null where there are none. */
  readonly passiveModel: PassiveModelName | null;
  /** Engines and passive checks of this edition whose networks were not installed where the folder was made. */
  readonly notInstalled: readonly string[];
  readonly files: readonly AssetFile[];
}

/**
 * The worker's own content security policy: its runtime makes functions out of text. The page around it needs none of
 * that, only `script-src 'wasm-unsafe-eval'` for the core and `worker-src 'self'`.
 */
export const ENGINE_WORKER_POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src 'self'";
