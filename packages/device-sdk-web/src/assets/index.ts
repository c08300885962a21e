/** Node: makes the folder that the engine's worker loads, and tells how it wants to be served. */
export { type AssetFile, type AssetManifest, ENGINE_WORKER_POLICY } from './asset-manifest.ts';
export { type BuildDeviceAssetsOptions, buildDeviceAssets } from './build-device-assets.ts';
export { parsePassiveModel } from './parse-passive-model.ts';
