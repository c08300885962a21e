import { FaceError } from './errors.ts';
import { type CoreImage, createCoreImage, type PixelImage } from './image.ts';
import { attachKernel, createKernel, type KernelExports } from './kernel.ts';
import { cosine, normalise } from './match.ts';
import { wasmHost } from './wasm-host.ts';

/** `simd` needs WebAssembly SIMD; `scalar` does not, gives the same bits, and takes several times as long. */
export type CoreKind = 'simd' | 'scalar';

export interface LoadCoreOptions {
  /** Which build of the core. Default: `simd` where the engine has it, otherwise `scalar`. */
  readonly kind?: CoreKind;
}

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
   * Cosine of two vectors of equal length, in [-1, 1], in the fixed summation order of docs/internals/core.md; 0 if a
   * norm is 0 or not finite.
   * @throws FaceError `invalid-argument` for unequal lengths or length 0
   */
  cosine(a: Float32Array, b: Float32Array): number;
}

/** A function with one instruction of WebAssembly SIMD, the last that was standardised. */
const simdProbe = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

// Each is fetched only where it is used.
const binaries: Readonly<Record<CoreKind, () => Promise<{ readonly coreWasmBase64: string }>>> = {
  simd: () => import('@svc/wasm/simd'),
  scalar: () => import('@svc/wasm/scalar'),
};

/** The build of the core that `loadCore` takes here; without WebAssembly neither loads. */
export function coreKind(): CoreKind {
  return wasmHost()?.validate(simdProbe) === true ? 'simd' : 'scalar';
}

async function load(kind: CoreKind): Promise<FaceCore> {
  const host = wasmHost();
  if (host === undefined) throw new FaceError('webassembly-missing', 'this engine has no WebAssembly');
  let exports: KernelExports;
  try {
    const { coreWasmBase64 } = await binaries[kind]();
    const { instance } = await host.instantiate(bytesOf(coreWasmBase64));
    exports = instance.exports as KernelExports;
  } catch (cause) {
    throw new FaceError('core-load-failed', `the ${kind} core does not load here`, { cause });
  }
  const kernel = createKernel(exports);
  const core: FaceCore = {
    kind,
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

const loaded = new Map<CoreKind, Promise<FaceCore>>();

/**
 * Compiles the core once; later calls return the same object. Works in Node, browsers and bundlers: the wasm bytes are
 * modules of this package, and only the one that is needed is imported.
 * @throws FaceError `webassembly-missing` without WebAssembly, as in iOS' Lockdown Mode; `core-load-failed` if it does
 *   not compile
 */
export function loadCore({ kind = coreKind() }: LoadCoreOptions = {}): Promise<FaceCore> {
  let core = loaded.get(kind);
  if (core === undefined) {
    core = load(kind).catch((error: unknown) => {
      loaded.delete(kind);
      throw error;
    });
    loaded.set(kind, core);
  }
  return core;
}
