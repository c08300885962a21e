/**
 * The part of the WebAssembly JavaScript API that the core uses, typed here because this package compiles without the
 * DOM library and runs in engines that lack the object altogether.
 */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WasmHost {
  instantiate(bytes: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>;
}

/** The engine's WebAssembly object, or undefined where there is none. */
export function wasmHost(): WasmHost | undefined {
  return (globalThis as { WebAssembly?: WasmHost }).WebAssembly;
}
