/** The model bundle on a file system. */

export { compilePresence, type PresenceBranch } from './networks/presence.ts';
export { defaultAddOnDirectory } from './node/directories.ts';
export { type InstallMiniFasNetOptions, installMiniFasNet } from './node/install-minifasnet.ts';
export { type OpenModelBundleOptions, openModelBundle } from './node/open-model-bundle.ts';
export { readTorchCheckpoint, type TorchTensor } from './sources/torch-checkpoint.ts';
