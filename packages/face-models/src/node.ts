/** The model bundle on a file system. */
export { compilePresence, type PresenceBranch } from './networks/presence.ts';
export { addOns, type InstallAddOnOptions, type InstalledAddOn, installAddOn } from './node/install-add-on.ts';
export { defaultAddOnDirectory, type OpenModelBundleOptions, openModelBundle } from './node/open-model-bundle.ts';
export { type IrConstant, type IrGraph, type IrNode, readOpenVinoIr } from './sources/openvino-ir.ts';
export { readTorchCheckpoint, type TorchTensor } from './sources/torch-checkpoint.ts';
export { type AddOnName, addOnNames } from './types.ts';
