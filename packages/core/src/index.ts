export { secretBytes, secretCopy } from './bytes.ts';
export { FaceError, type FaceErrorCode, type FaceErrorOptions } from './errors.ts';
export { decodeFloat16, encodeFloat16 } from './float16.ts';
export type { AffineTransform, CoreImage, PixelImage, WarpBytesOptions, WarpOptions } from './image.ts';
export { type CoreKind, coreKind, type FaceCore, type LoadCoreOptions, loadCore } from './load-core.ts';
