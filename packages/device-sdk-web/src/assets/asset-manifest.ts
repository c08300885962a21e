import type { CoreKind } from '@svc/core';
import type { PassiveModelName } from '@svc/face-engine';

/** One file of the assets folder. */
export interface AssetFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Headers that its response must have, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Only browsers that run this build of the core load the file; others need not keep it. Default: all do. */
  readonly kind?: CoreKind;
  /** Only devices of lists of this engine load the file. Default: all do. */
  readonly engineId?: string;
}

/** The folder's `assets.json`: which files to cache for an offline start, and how to serve them. */
export interface AssetManifest {
  readonly format: 1;
  /** Engines that the folder's worker supports, the preferred one first. */
  readonly engineIds: readonly string[];
  /** The passive check whose models are among the files; null for none. */
  readonly passiveModel: PassiveModelName | null;
  /** Engines and passive checks of this version whose networks were not installed when the folder was built. */
  readonly notInstalled: readonly string[];
  readonly files: readonly AssetFile[];
}

/**
 * Content security policy of the worker's own response. The page needs `script-src 'wasm-unsafe-eval'` for the core too,
 * and `worker-src 'self'` (`child-src` for Safari before 15.5). Native shells write `unsafe-eval` in place of
 * `wasm-unsafe-eval` for a WebView that does not know this and compiles no WebAssembly without.
 */
export const ENGINE_WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Paths in the assets folder. */
export const WORKER_PATHS = {
  worker: 'engine-worker.js',
  cores: { simd: 'engine-core-simd.js', scalar: 'engine-core-scalar.js' },
  /** Ends in a slash, as `openModelBundleAt` requires. */
  models: 'models/',
} as const satisfies { cores: Record<CoreKind, string> } & Record<string, unknown>;

/** Content security policy of the page that native shells show: everything comes from the app, nothing from the net. */
export const NATIVE_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  // What WebKit before 15.5 asks for workers; of frames there are none.
  "child-src 'self'",
  "frame-src 'none'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The page that native shells show, relative to the folder. */
export const NATIVE_PAGE_PATHS = {
  page: 'index.html',
  others: ['start.js', 'page.js', 'page.css'],
} as const;
