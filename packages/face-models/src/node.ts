/** The model bundle on a file system. */
export { addOns, installAddOn, isAddress } from './node/install-add-on.ts';
export { integerPlanOf } from './node/integer-model.ts';
export { defaultAddOnDirectory, openModelBundle } from './node/open-model-bundle.ts';
export { type IrConstant, type IrGraph, type IrNode, readOpenVinoIr } from './sources/openvino-ir.ts';
export { readTorchCheckpoint, type TorchTensor } from './sources/torch-checkpoint.ts';
export { type AddOnName, addOnNames } from './types.ts';
