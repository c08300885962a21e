import { coreWasmBase64 } from '@svc/wasm';
import { FaceError } from './errors.ts';
import { type CoreImage, createCoreImage, type PixelImage } from './image.ts';
import { attachKernel, createKernel, type KernelExports } from './kernel.ts';
import { cosine, normalise } from './match.ts';
import { wasmHost } from './wasm-host.ts';

/** `simd` needs WebAssembly SIMD; `scalar` does not, gives the same bits, and takes several times as long. */
export type CoreKind = 'simd' | 'scalar';

/** The face core: image warps and vector arithmetic, bit-identical on all platforms. */
export interface FaceCore {
  readonly kind: CoreKind;
  /**
   * Copies an image into wasm memory; the caller disposes it.
   * @throws FaceError `image-invalid` if width, height, channels and byte length are inconsistent
   */
  image(source: PixelImage): CoreImage;
  /** Scales to unit L2 norm in place. False if the norm is 0 or not finite; the vector is then zeroed. */
  normalise(vector: Float32Array): boolean;
  /**
   * Cosine of two vectors of equal length, in [-1, 1], in the fixed summation order of docs/core.md; 0 if a norm is 0
   * or not finite.
   * @throws FaceError `invalid-argument` for unequal lengths or length 0
   */
  cosine(a: Float32Array, b: Float32Array): number;
}

async function load(): Promise<FaceCore> {
  const host = wasmHost();
  if (host === undefined) throw new FaceError('webassembly-missing', 'this engine has no WebAssembly');
  let exports: KernelExports;
  try {
    const { instance } = await host.instantiate(bytesOf(coreWasmBase64));
    exports = instance.exports as KernelExports;
  } catch (cause) {
    throw new FaceError('core-load-failed', 'the core does not compile here; it needs WebAssembly SIMD', { cause });
  }
  const kernel = createKernel(exports);
  const core: FaceCore = {
    kind: 'simd',
    image: (source) => createCoreImage(kernel, source),
    normalise: (vector) => normalise(kernel, vector),
    cosine: (a, b) => cosine(kernel, a, b),
  };
  return attachKernel(core, kernel);
}

function bytesOf(base64: string): Uint8Array {
  const { atob } = globalThis as unknown as { readonly atob: (base64: string) => string };
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

let loaded: Promise<FaceCore> | undefined;

/**
 * Compiles the core once; later calls return the same object. Works in Node, browsers and bundlers: the wasm bytes are
 * part of this module.
 * @throws FaceError `webassembly-missing` without WebAssembly, as in iOS' Lockdown Mode; `core-load-failed` if it does
 *   not compile
 */
export function loadCore(): Promise<FaceCore> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}
