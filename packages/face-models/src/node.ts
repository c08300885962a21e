/** The model bundle on a file system. */
export { type AddOnName, addOnNames } from './add-ons/add-on.ts';
export { addOns } from './add-ons/family.ts';
export { compilePresence, type PresenceBranch } from './networks/presence.ts';
export { defaultAddOnDirectory } from './node/directories.ts';
export { type InstallAddOnOptions, type InstalledAddOn, installAddOn } from './node/install-add-on.ts';
export { type OpenModelBundleOptions, openModelBundle } from './node/open-model-bundle.ts';
export { type IrConstant, type IrGraph, type IrNode, readOpenVinoIr } from './sources/openvino-ir.ts';
export { readTorchCheckpoint, type TorchTensor } from './sources/torch-checkpoint.ts';
