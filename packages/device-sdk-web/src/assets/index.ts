/** For Node: builds the folder that the engine's worker loads, and describes how to serve it. */
export { type AssetFile, type AssetManifest, ENGINE_WORKER_POLICY } from './asset-manifest.ts';
export { type BuildDeviceAssetsOptions, buildDeviceAssets, parsePassiveModel } from './build-device-assets.ts';
