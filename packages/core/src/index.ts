export { secretBytes, secretCopy } from './bytes.ts';
export { FaceError, type FaceErrorCode } from './errors.ts';
export { encodeFloat16 } from './float16.ts';
export type { AffineTransform, CoreImage, PixelImage } from './image.ts';
export { type CoreKind, coreKind, type FaceCore, loadCore } from './load-core.ts';
