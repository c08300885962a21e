/** Paths in the assets folder. */
export const WORKER_PATHS = {
  worker: 'engine-worker.js',
  glue: 'tflite/tflite_web_api_cc_simd.js',
  wasm: 'tflite/tflite_web_api_cc_simd.wasm',
  /** Ends in a slash, as `openModelBundleAt` requires. */
  models: 'models/',
} as const;
