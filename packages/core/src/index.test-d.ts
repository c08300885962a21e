import { expectTypeOf } from 'vitest';
import { type CoreImage, decodeFloat16, encodeFloat16, FaceError, type FaceErrorCode, loadCore } from './index.ts';
import { hkdfSha256 } from './pack/index.ts';

// Checked by `typecheck` only.
const core = await loadCore();

expectTypeOf(core.image).parameter(0).toEqualTypeOf<{
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}>();
expectTypeOf(core.image).returns.toEqualTypeOf<CoreImage>();
expectTypeOf(core.normalise).toEqualTypeOf<(vector: Float32Array) => boolean>();
expectTypeOf(core.cosine).toEqualTypeOf<(a: Float32Array, b: Float32Array) => number>();
expectTypeOf(decodeFloat16(encodeFloat16(new Float32Array(2)))).toExtend<Float32Array>();
expectTypeOf(hkdfSha256).returns.toExtend<Uint8Array>();

// A code is one of a list, also for errors of other copies of this package.
expectTypeOf<FaceErrorCode>().not.toEqualTypeOf<string>();
expectTypeOf(FaceError.is).guards.toEqualTypeOf<FaceError>();
// @ts-expect-error no such code
new FaceError('no-such-code', 'text');
